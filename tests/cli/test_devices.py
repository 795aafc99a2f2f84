"""The device that a run takes by itself."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from rofunc_isaac.cli import devices
from rofunc_isaac.cli.compose import compose


@pytest.fixture
def machine(monkeypatch):
    """`machine(gpus, ...)`: what the driver, torch and the environment would say."""

    def pretend(gpus: int, cuda=(13, 0), driver=(13, 0), card=(9, 0), warp: bool = True) -> None:
        monkeypatch.setattr(devices, "count_gpus", lambda: gpus)
        monkeypatch.setattr(devices, "torch_cuda", lambda: cuda)
        monkeypatch.setattr(devices, "driver_cuda", lambda: driver)
        monkeypatch.setattr(devices, "gpu_generation", lambda: card)
        find_spec = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name: find_spec(name) if name != "mujoco_warp" or warp else None,
        )

    return pretend


def test_this_machine_is_seen_as_torch_sees_it():
    assert devices.count_gpus() == torch.cuda.device_count()
    of_torch = torch.version.cuda and tuple(map(int, torch.version.cuda.split(".")[:2]))
    assert devices.torch_cuda() == of_torch
    assert (devices.driver_cuda() > (0, 0)) or torch.cuda.device_count() == 0


@pytest.mark.parametrize(("line", "cuda"), [("'13.0'", (13, 0)), ("None", None)])
def test_the_cuda_of_torch_is_read_from_its_version(tmp_path, monkeypatch, line, cuda):
    (tmp_path / "version.py").write_text(f"debug = False\ncuda: Optional[str] = {line}\n")
    torch_there = importlib.util.spec_from_file_location("torch", tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: torch_there)
    assert devices.torch_cuda() == cuda


class Driver:
    """Answers as NVIDIA's library does."""

    def cuDriverGetVersion(self, version) -> int:  # noqa: N802
        version._obj.value = 12040
        return 0

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetAttribute(self, value, attribute: int, device: int) -> int:  # noqa: N802
        value._obj.value = {75: 8, 76: 9}[attribute]
        return 0


def test_the_cuda_of_the_driver_is_what_the_driver_says(monkeypatch):
    monkeypatch.setattr(devices, "_driver", Driver)
    assert devices.driver_cuda() == (12, 4)
    assert devices.gpu_generation() == (8, 9)


@pytest.mark.parametrize("simulator", ["auto", "mujoco_warp", "isaacgym"])
def test_a_gpu_is_taken_and_said(machine, simulator):
    machine(gpus=2)
    device, why = devices.choose_device(simulator)
    assert device == "cuda:0"
    assert "training on cuda:0" in why


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        ({"cuda": None}, "built without CUDA"),
        ({"warp": False}, "mujoco-warp is not installed"),
        ({"card": (7, 0)}, "it is older than Turing"),
        ({"driver": (12, 8)}, "its driver is for CUDA 12.8 and this torch for 13.0"),
    ],
)
def test_a_gpu_that_cannot_be_used_is_told(machine, lacking, why):
    machine(gpus=1, **lacking)
    device, words = devices.choose_device("auto")
    assert device == "cpu"
    assert why in words


def test_a_driver_serves_older_cudas_and_all_of_its_major_version(machine):
    for driver in ((13, 0), (14, 0)):
        machine(gpus=1, cuda=(13, 2), driver=driver)
        assert devices.choose_device("auto")[0] == "cuda:0"


def test_cuda_12_serves_older_cards(machine):
    machine(gpus=1, cuda=(12, 6), card=(7, 0))
    assert devices.choose_device("auto")[0] == "cuda:0"


def test_without_a_gpu_it_is_the_cpu(machine):
    machine(gpus=0)
    assert devices.choose_device("auto") == ("cpu", "")
    assert devices.choose_device("mujoco_warp")[0] == "cpu"
    assert "slow" in devices.choose_device("mujoco_warp")[1]


def test_mujocos_own_engine_is_the_cpus(machine):
    machine(gpus=1)
    assert devices.choose_device("mujoco") == ("cpu", "")


def test_the_device_decides_the_number_of_envs(machine):
    machine(gpus=1)
    config = compose(["task=Ant"])
    assert (config.sim_device, config.rl_device, config.num_envs) == ("cuda:0", "cuda:0", 4096)
    config = compose(["task=Ant", "sim_device=cpu"])
    assert (config.sim_device, config.rl_device, config.num_envs) == ("cpu", "cpu", 2048)
    machine(gpus=0)
    config = compose(["task=Ant"])
    assert (config.sim_device, config.rl_device, config.num_envs) == ("cpu", "cpu", 2048)
