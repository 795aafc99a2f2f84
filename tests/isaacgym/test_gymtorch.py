"""Tensor handles: no copies, honest descriptions, clear refusals."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch


def test_wrapping_gives_the_live_tensor_back():
    tensor = torch.arange(26.0).view(2, 13)
    handle = gymtorch.unwrap_tensor(tensor)
    assert gymtorch.wrap_tensor(handle) is tensor
    view = gymtorch.wrap_tensor(handle)[:, 3:7]
    tensor += 1.0
    assert view[0].tolist() == [4.0, 5.0, 6.0, 7.0]


@pytest.mark.parametrize(
    ("dtype", "data_type"),
    [
        (torch.float32, gymapi.DTYPE_FLOAT32),
        (torch.int32, gymapi.DTYPE_UINT32),
        (torch.int64, gymapi.DTYPE_UINT64),
        (torch.uint8, gymapi.DTYPE_UINT8),
        (torch.int16, gymapi.DTYPE_INT16),
    ],
)
def test_handles_describe_their_tensor(dtype, data_type):
    tensor = torch.zeros(4, 2, dtype=dtype)
    handle = gymtorch.unwrap_tensor(tensor)
    assert (handle.dtype, handle.shape, handle.ndim, handle.device) == (data_type, (4, 2), 2, -1)
    assert handle.data_address == handle.data_ptr == tensor.data_ptr()
    assert handle.own_data is False
    assert isinstance(handle, gymapi.Tensor)


def test_tensors_that_are_not_contiguous_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"not contiguous; pass tensor\.contiguous\(\)"):
        gymtorch.unwrap_tensor(torch.zeros(4, 2)[:, 0])
    gymtorch.unwrap_tensor(torch.zeros(4, 2)[:, 0].contiguous())


def test_what_is_no_tensor_or_handle_is_refused():
    with pytest.raises(TypeError, match="float64 cannot be passed"):
        gymtorch.unwrap_tensor(torch.zeros(2, dtype=torch.float64))
    with pytest.raises(TypeError, match=r"expected a torch\.Tensor, got list"):
        gymtorch.unwrap_tensor([1.0])
    with pytest.raises(TypeError, match="got Tensor"):
        gymtorch.wrap_tensor(torch.zeros(2))


def test_star_import_brings_both_functions():
    namespace: dict = {}
    exec("from rofunc_isaac.isaacgym.gymtorch import *", namespace)
    assert {"wrap_tensor", "unwrap_tensor"} <= set(namespace)
