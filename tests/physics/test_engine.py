import pytest
import torch

from rofunc_isaac.physics.engine import check_device, create_batch
from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.mujoco_batch import MujocoBatch


@pytest.mark.parametrize("name", ["cpu", "cpu:0"])
def test_the_cpu_is_served_by_mujoco(box, name):
    batch = create_batch(box, 2, sim_device=name)
    assert isinstance(batch, MujocoBatch)
    assert batch.device == torch.device("cpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_where_there_is_none_names_the_cpu_override(box):
    with pytest.raises(PhysicsError, match="sim_device=cuda:0 .*sim_device=cpu"):
        create_batch(box, 2, sim_device="cuda:0")


def test_what_is_no_device_is_refused():
    with pytest.raises(PhysicsError, match="sim_device=gpu0 is not a device"):
        check_device("gpu0")
