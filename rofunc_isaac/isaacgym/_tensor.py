"""The handle in which `gymapi` passes tensors around; `gymtorch` opens it."""

from __future__ import annotations

from typing import Tuple

import torch

from rofunc_isaac.isaacgym._constants import TensorDataType

__all__ = ["Tensor"]

# The interface has no signed 32- or 64-bit type: index tensors travel as unsigned ones.
_DATA_TYPES = {
    torch.float32: TensorDataType.DTYPE_FLOAT32,
    torch.int32: TensorDataType.DTYPE_UINT32,
    torch.int64: TensorDataType.DTYPE_UINT64,
    torch.uint8: TensorDataType.DTYPE_UINT8,
    torch.bool: TensorDataType.DTYPE_UINT8,
    torch.int16: TensorDataType.DTYPE_INT16,
}


class GymTensor:
    """A live torch tensor behind the description that Isaac Gym's ``Tensor`` offers.

    ``tensor`` is the torch tensor itself; the other attributes describe it. Raises TypeError for
    what is not a tensor of a supported dtype, and ValueError for one that is not contiguous.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: torch.Tensor) -> None:
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"expected a torch.Tensor, got {type(tensor).__name__}")
        if tensor.dtype not in _DATA_TYPES:
            names = ", ".join(str(dtype) for dtype in _DATA_TYPES)
            raise TypeError(f"{tensor.dtype} cannot be passed to the simulator; use {names}")
        if not tensor.is_contiguous():
            raise ValueError(
                f"a tensor of shape {tuple(tensor.shape)} and strides {tensor.stride()} is not "
                "contiguous; pass tensor.contiguous()"
            )
        self.tensor = tensor

    @property
    def device(self) -> int:
        """The CUDA device's index, -1 on the CPU."""
        if self.tensor.device.type == "cpu":
            return -1
        return self.tensor.device.index or 0

    @property
    def dtype(self) -> TensorDataType:
        return _DATA_TYPES[self.tensor.dtype]

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return self.tensor.ndim

    @property
    def data_address(self) -> int:
        return self.tensor.data_ptr()

    @property
    def data_ptr(self) -> int:
        """The same address as ``data_address`` (a capsule in the original)."""
        return self.tensor.data_ptr()

    @property
    def own_data(self) -> bool:
        """False: the memory belongs to the torch tensor."""
        return False

    def __repr__(self) -> str:
        return f"GymTensor(shape={self.shape}, dtype={self.dtype}, device={self.device})"


Tensor = GymTensor
