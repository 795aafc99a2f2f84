"""Precision and threads are what was asked for, and threads are given back."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac import compiler
from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo import numerics
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.numerics import Numerics

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("name", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)]
)
def test_a_named_precision_is_taken(name: str, dtype: torch.dtype) -> None:
    chosen = Numerics(PPOConfig(precision=name), CPU, 8)
    assert chosen.trunk_dtype == dtype
    assert chosen.as_dict()["precision"] == name


@pytest.mark.parametrize(("native", "name"), [(True, "bfloat16"), (False, "float32")])
def test_auto_follows_the_processor(
    native: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numerics, "multiplies_bfloat16", lambda device: native)
    assert Numerics(PPOConfig(), CPU, 8).precision == name


def test_a_torch_that_cannot_say_means_no(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"):
        monkeypatch.delattr(torch.cpu, name, raising=False)
    assert numerics.multiplies_bfloat16(CPU) is False


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(ConfigError, match="train.precision=fp16 is not one of auto, float32"):
        Numerics(PPOConfig(precision="fp16"), CPU, 8)


def test_threads_are_set_within_and_restored_after() -> None:
    before = torch.get_num_threads()
    chosen = Numerics(PPOConfig(rollout_threads=3, update_threads=0), CPU, 8)
    assert chosen.as_dict() == {
        "precision": chosen.precision,
        "compile": False,
        "rollout_threads": 3,
        "update_threads": before,
        "torch": torch.__version__,
        "processor": torch.backends.cpu.get_cpu_capability(),
    }
    with chosen.threads(chosen.rollout_threads):
        assert torch.get_num_threads() == 3
    assert torch.get_num_threads() == before
    with pytest.raises(RuntimeError, match="within"), chosen.threads(2):
        raise RuntimeError("within")
    assert torch.get_num_threads() == before


def test_threads_stay_where_another_device_computes() -> None:
    before = torch.get_num_threads()
    chosen = Numerics(PPOConfig(precision="float32"), torch.device("meta"), 8)
    with chosen.threads(before + 1):
        assert torch.get_num_threads() == before


@pytest.mark.parametrize(("max_iterations", "compiled"), [(99, False), (100, True)])
def test_long_runs_are_compiled(
    max_iterations: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "can_compile", lambda: True)
    # 1,000 envs x 150 steps x 4 epochs: 600,000 visits of samples an iteration.
    config = PPOConfig(max_iterations=max_iterations, horizon_length=150, mini_epochs=4)
    assert Numerics(config, CPU, 1000).compile is compiled
    assert Numerics(config, torch.device("meta"), 1000).compile is False
    assert Numerics(PPOConfig(max_iterations=10**6), CPU, 1000).compile is False  # small batches


def test_without_a_compiler_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert Numerics(PPOConfig(max_iterations=10**6), CPU, 2048).compile is False
    with pytest.raises(ConfigError, match=r"train.compile=True needs a C\+\+ compiler"):
        Numerics(PPOConfig(compile=True), CPU, 1000)


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({"GOMP_SPINCOUNT": "10000"}, "all"),
        ({"OMP_WAIT_POLICY": "passive"}, "all"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "one"),
        ({}, "one"),
    ],
)
def test_threads_that_wait_in_loops_are_kept_from_the_physics(
    environment: dict[str, str], threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 6)
    found = Numerics(PPOConfig(precision="float32"), CPU, 8)
    assert found.rollout_threads == (6 if threads == "all" else 1)
    assert found.update_threads == 6
