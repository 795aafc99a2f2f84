"""A guard for code that must not make the host wait for a device, which works without one."""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.host_syncs import reason


class NoSync(TorchDispatchMode):
    """Within it, whatever would wait for a CUDA device fails, on any device."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        why = reason(func.overloadpacket, args)
        assert why is None, why
        return func(*args, **(kwargs or {}))
