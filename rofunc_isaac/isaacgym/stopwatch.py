"""Seconds that the host spends on physics and on images."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Dict, Iterator, List

PHYSICS = "physics_sim"
RENDERING = "graphics_sensor_rendering"
"""What is timed: fields of `PerformanceTimers`."""


class Stopwatch:
    """Wall-clock seconds by kind of work, since the simulation was created."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.seconds: Dict[str, float] = {PHYSICS: 0.0, RENDERING: 0.0}
        self.readers: List[Dict[str, float]] = []
        """What `seconds` was when each of the performance timers was last asked."""

    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    @contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[kind] += time.perf_counter() - begin
