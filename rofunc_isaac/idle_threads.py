"""What torch's threads do while they have nothing to do.

GNU's OpenMP, which torch's wheels for Linux bring, lets them wait in a loop after each parallel
operation, for a millisecond or so. Physics threads then share cores with threads that only wait,
and where other programs take a core, the threads of one operation wait for each other: on two busy
cores a frame of Ant, 2,048 environments, took four times as long, and an update ten times.
"""

from __future__ import annotations

import os
import sys
from typing import Dict

SPIN_COUNT = "10000"
"""Rounds of that loop, some tens of microseconds, instead of 300,000. None at all would cost an
update on idle cores a fifth of its time, because the next operation comes sooner than that."""


def let_sleep() -> None:
    """Let idle threads sleep soon, unless the user has chosen; before torch is imported."""
    if "torch" not in sys.modules:
        os.environ.update(settings())


def settings() -> Dict[str, str]:
    """What a process's environment needs for that; nothing where the user has chosen."""
    chosen = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys()
    return {} if chosen else {"GOMP_SPINCOUNT": SPIN_COUNT}
