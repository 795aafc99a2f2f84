"""A guard for code that must not make the host wait for a device, which works without one."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class NoSync(TorchDispatchMode):
    """Within it, whatever would wait for a CUDA device fails, on any device."""

    FORBIDDEN = (
        torch.ops.aten._local_scalar_dense,
        torch.ops.aten.nonzero,
        torch.ops.aten.masked_select,
        torch.ops.aten.equal,
        torch.ops.aten.is_nonzero,
        torch.ops.aten.unique_dim,
        torch.ops.aten._unique2,
    )
    INDEXING = (
        torch.ops.aten.index,
        torch.ops.aten.index_put,
        torch.ops.aten.index_put_,
        torch.ops.aten._index_put_impl_,
    )

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        packet = func.overloadpacket
        assert packet not in self.FORBIDDEN, f"{func} waits for the device"
        if packet is torch.ops.aten.lift_fresh:
            # `torch.tensor` of several numbers; one alone may be the value of an assignment.
            assert args[0].dim() == 0, "numbers from the host wait for the device"
        if packet in self.INDEXING:
            dtypes = {index.dtype for index in args[1] if index is not None}
            assert torch.bool not in dtypes, f"{func} by a mask waits for the device"
        return func(*args, **(kwargs or {}))
