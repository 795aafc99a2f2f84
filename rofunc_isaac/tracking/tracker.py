"""What every tracker does, and several of them as one."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Dict, List, Optional, Protocol, Sequence, Tuple, Type, Union

Metrics = Dict[str, Union[int, float, None]]
"""One iteration's numbers by key; None where there is none yet. Keys: docs/tracking.md."""

Updates = Sequence[Tuple[float, float]]
"""One iteration's (KL, learning rate) pairs, one for each adjustment by the scheduler."""


class Tracker(Protocol):
    """Shows or keeps the metrics of a run."""

    def log(self, metrics: Metrics, updates: Updates) -> None:
        """Take one iteration's metrics; called once an iteration, in order."""

    def close(self, status: str) -> None:
        """End; called once. `status` is "finished", "interrupted" or "failed"."""


class Trackers:
    """Hands metrics to every tracker of a list, in its order.

    As a context manager it closes them when the block is left: "finished" at its end,
    "interrupted" at Ctrl-C, "failed" at any other exception.
    """

    def __init__(self, trackers: Sequence[Tracker]) -> None:
        self.trackers: List[Tracker] = list(trackers)

    def log(self, metrics: Metrics, updates: Updates) -> None:
        for tracker in self.trackers:
            tracker.log(metrics, updates)

    def close(self, status: str) -> None:
        """Close all, also when one of them raises; its exception comes out at the end."""
        with contextlib.ExitStack() as stack:
            for tracker in reversed(self.trackers):
                stack.callback(tracker.close, status)

    def __enter__(self) -> Trackers:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.close("finished")
        elif issubclass(kind, KeyboardInterrupt):
            self.close("interrupted")
        else:
            self.close("failed")
