"""The device that a run takes by itself."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from rofunc_isaac.cli import devices
from rofunc_isaac.cli.compose import compose


@pytest.fixture
def machine(monkeypatch):
    """`machine(gpus, cuda, warp)`: what the driver, torch and the environment would say."""

    def pretend(gpus: int, cuda: bool = True, warp: bool = True) -> None:
        monkeypatch.setattr(devices, "count_gpus", lambda: gpus)
        monkeypatch.setattr(devices, "torch_has_cuda", lambda: cuda)
        find_spec = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name: find_spec(name) if name != "mujoco_warp" or warp else None,
        )

    return pretend


def test_this_machine_is_seen_as_torch_sees_it():
    assert devices.count_gpus() == torch.cuda.device_count()
    assert devices.torch_has_cuda() == (torch.version.cuda is not None)


@pytest.mark.parametrize("simulator", ["auto", "mujoco_warp", "isaacgym"])
def test_a_gpu_is_taken_and_said(machine, simulator):
    machine(gpus=2)
    device, why = devices.choose_device(simulator)
    assert device == "cuda:0"
    assert "training on cuda:0" in why


@pytest.mark.parametrize(
    ("lacking", "why"),
    [({"cuda": False}, "built without CUDA"), ({"warp": False}, "mujoco-warp is not installed")],
)
def test_a_gpu_that_cannot_be_used_is_told(machine, lacking, why):
    machine(gpus=1, **lacking)
    device, words = devices.choose_device("auto")
    assert device == "cpu"
    assert why in words


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
