"""Which engine serves which device."""

import pytest
import torch

from rofunc_isaac.physics.capacity import Capacity
from rofunc_isaac.physics.engine import EngineChoice, check_device, choose_engine, create_batch
from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.mujoco_batch import MujocoBatch
from rofunc_isaac.physics.warp_batch import WarpBatch


@pytest.fixture(autouse=True)
def auto():
    yield
    choose_engine(EngineChoice())


@pytest.mark.parametrize("name", ["cpu", "cpu:0"])
@pytest.mark.parametrize("engine", ["auto", "mujoco"])
def test_the_cpu_is_served_by_mujoco(box, name, engine):
    choose_engine(EngineChoice(engine))
    batch = create_batch(box, 2, sim_device=name)
    assert isinstance(batch, MujocoBatch)
    assert batch.device == torch.device("cpu")


def test_mujoco_warp_serves_it_where_it_is_named(box):
    choose_engine(EngineChoice("mujoco_warp", Capacity(16, 64)))
    batch = create_batch(box, 2, sim_device="cpu")
    assert isinstance(batch, WarpBatch)
    assert batch.capacity == Capacity(16, 64)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_where_there_is_none_names_the_cpu_override(box):
    with pytest.raises(PhysicsError, match="sim_device=cuda:0 .*sim_device=cpu"):
        create_batch(box, 2, sim_device="cuda:0")


def test_mujoco_does_not_run_on_cuda():
    choose_engine(EngineChoice("mujoco"))
    with pytest.raises(PhysicsError, match="simulator=mujoco runs on the CPU.*simulator=auto"):
        check_device("cuda:0")


@pytest.mark.parametrize(("name", "words"), [("gpu0", "is not a device"), ("mps", "no physics")])
def test_what_is_no_device_is_refused(name, words):
    with pytest.raises(PhysicsError, match=f"{words}.*sim_device=cpu"):
        check_device(name)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_cuda_is_served_by_mujoco_warp(box):
    batch = create_batch(box, 2, sim_device="cuda")
    assert isinstance(batch, WarpBatch)
    assert batch.view("qpos").device == torch.device("cuda", 0)
