"""Learning-rate schedulers for PPO: `KLAdaptiveRL`, and torch's own chosen by name. Needs torch.

The names load on first use, so that `rofunc_isaac.schedulers.config` can be read before torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from rofunc_isaac.schedulers.choice import build_scheduler
    from rofunc_isaac.schedulers.config import SchedulerChoice
    from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL

__all__ = ["KLAdaptiveRL", "SchedulerChoice", "build_scheduler"]

_MODULE_OF = {
    "KLAdaptiveRL": "kl_adaptive",
    "SchedulerChoice": "config",
    "build_scheduler": "choice",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULE_OF[name]}")
    return getattr(module, name)


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
