"""A whole iteration of Ant without waiting for the device, on both engines."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

from benchmarks import host_syncs
from rofunc_isaac.cli.build import build_env, build_learner
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.physics import engine


@pytest.fixture(autouse=True)
def _own_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine that a test chooses is not the next one's."""
    monkeypatch.setattr(engine, "_chosen", engine._chosen)


def ant(*words: str) -> tuple[Any, Any]:
    """Environments and a learner of Ant, after an iteration."""
    defaults = {"num_envs": "8", "sim_device": "cpu"}
    defaults.update(word.split("=", 1) for word in words)
    chosen = [f"{key}={value}" for key, value in defaults.items()]
    config = compose(["task=Ant", "train.compile=False", *chosen])
    env = build_env(config)
    learner = build_learner(config, env)
    learner.iterate()
    return env, learner


def test_on_mujoco_warp_the_host_never_waits() -> None:
    """Physics included: the same code runs on CUDA."""
    env, learner = ant("simulator=mujoco_warp")
    learner.iterate()  # the physics' graph is captured
    with host_syncs.counted() as syncs:
        learner.gather()
        learner.learn()
    assert not syncs
    assert env.progress_buf.max() > 16


def test_on_the_cpu_the_physics_alone_looks_at_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    env, learner = ant("simulator=mujoco")
    step = env.sim.batch.step

    def unwatched(nstep: int) -> None:
        with _disable_current_modes():
            step(nstep)

    monkeypatch.setattr(env.sim.batch, "step", unwatched)
    with host_syncs.counted() as syncs:
        learner.gather()
        learner.learn()
    assert not syncs


def test_what_waits_is_counted_by_its_reason() -> None:
    warp = pytest.importorskip("warp")
    numbers = torch.tensor([1.0, -1.0])
    array = warp.zeros(3, device="cpu")
    with host_syncs.counted() as syncs:
        numbers[0].item()
        numbers[0].item()
        numbers[numbers > 0.0]
        warp.synchronize_device("cpu")
        array.numpy()
    assert sorted(syncs.values()) == [1, 1, 1, 2]
    assert "warp's synchronize_device waits for the device" in syncs
    with host_syncs.counted() as after:
        torch.where(numbers > 0.0, numbers, -numbers)
    assert not after


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_cuda_it_runs_as_graphs_that_follow_the_eager_training() -> None:
    def cuda_ant() -> tuple[Any, Any]:
        return ant("simulator=mujoco_warp", "sim_device=cuda:0", "rl_device=cuda:0", "num_envs=64")

    env, learner = cuda_ant()
    plain_env, plain = cuda_ant()
    graphed = (plain.policy_step.graphed, plain.updater.graphed, plain.updater.graphed_first)
    for part in (*graphed, plain_env.graphed, plain_env.sim.batch.graphed_watch):
        part._capture = None
    for _ in range(6):
        metrics, expected = learner.iterate(), plain.iterate()
        # Contacts blow up the last bits: the same training, not the same numbers.
        assert metrics["train/action_std"] == pytest.approx(expected["train/action_std"], rel=0.02)
        assert metrics["train/lr_next"] > 0.0
    assert {*learner.graphs().values(), env.graphed.status} == {"graph"}
    assert env.sim.batch.graphed_watch.status == "graph"
    with host_syncs.counted() as syncs:
        learner.gather()
        learner.learn()
    assert not syncs
