"""What torch's threads do while they have nothing to do.

GNU's OpenMP, which torch's wheels for Linux bring, lets them wait in a loop for a while after each
parallel operation. Physics threads then share cores with threads that only wait: on two busy cores
a frame of Ant, 2,048 environments, took four times as long.
"""

from __future__ import annotations

import os
import sys


def let_sleep() -> None:
    """Let idle threads sleep at once, unless the user has chosen; before torch is imported."""
    if "torch" not in sys.modules:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
