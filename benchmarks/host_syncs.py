"""Where a computation makes the host wait for its device, counted on any device.

What torch would wait for is seen in its dispatcher, on the CPU as well: numbers read from tensors,
and shapes that follow from what a tensor holds. On CUDA torch's own detector is asked too. Warp
waits in functions of its own, which are replaced while it is counted.
"""

from __future__ import annotations

import collections
import contextlib
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

WAITING = frozenset(
    (
        torch.ops.aten._local_scalar_dense,
        torch.ops.aten.nonzero,
        torch.ops.aten.masked_select,
        torch.ops.aten.equal,
        torch.ops.aten.is_nonzero,
        torch.ops.aten.unique_dim,
        torch.ops.aten._unique2,
    )
)
"""Operations whose result, or its shape, the host needs."""
INDEXING = frozenset(
    (
        torch.ops.aten.index,
        torch.ops.aten.index_put,
        torch.ops.aten.index_put_,
        torch.ops.aten._index_put_impl_,
    )
)
"""Operations that wait where they are given a mask."""


def reason(packet: Any, arguments: Any) -> str | None:
    """Why this call of the operation `packet` waits for the device; None where it does not."""
    if packet in WAITING:
        return f"{packet} waits for the device"
    if packet is torch.ops.aten.lift_fresh and arguments[0].dim() > 0:
        # `torch.tensor` of several numbers; one alone may be the value of an assignment.
        return "numbers from the host wait for the device"
    if packet in INDEXING:
        dtypes = {index.dtype for index in arguments[1] if index is not None}
        if torch.bool in dtypes:
            return f"{packet} by a mask waits for the device"
    return None


class _Counter(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.found: collections.Counter[str] = collections.Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        why = reason(func.overloadpacket, args)
        if why is not None:
            self.found[why] += 1
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def counted() -> Iterator[collections.Counter[str]]:
    """Count, by their reasons, how often the host waits within the block."""
    counter = _Counter()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_warps_own(counter.found))
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            stack.enter_context(_of_cuda(counter.found))
        stack.enter_context(counter)
        yield counter.found


@contextlib.contextmanager
def _warps_own(found: collections.Counter[str]) -> Iterator[None]:
    """Of Warp, where it is installed: its synchronisations and copies to the host."""
    try:
        import warp
    except ImportError:
        yield
        return

    def counting(owner: Any, name: str) -> Any:
        own = getattr(owner, name)

        def call(*arguments: Any, **options: Any) -> Any:
            found[f"warp's {name} waits for the device"] += 1
            return own(*arguments, **options)

        return mock.patch.object(owner, name, call)

    names = [name for name in dir(warp) if name.startswith("synchronize")]
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(counting(warp, name))
        for name in ("numpy", "list"):
            stack.enter_context(counting(warp.array, name))
        yield


@contextlib.contextmanager
def _of_cuda(found: collections.Counter[str]) -> Iterator[None]:
    """What torch's own detector warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")
    for warning in caught:
        if "synchroniz" in str(warning.message):
            found["torch waited for CUDA"] += 1
