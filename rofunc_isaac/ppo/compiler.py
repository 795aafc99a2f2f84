"""Whether torch's compiler can work on this machine, and when it pays."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from rofunc_isaac.ppo.config import PPOConfig

LARGE_BATCH = 16_384
"""Samples an update. Fewer leave most of the time outside of what is compiled."""

LONG_RUN = 60_000_000
"""Visits of samples (env steps times epochs) in a run. Compiling takes some half a minute the first
time on a machine, and some seconds later; it saves about a tenth of a training's time."""


def can_compile() -> bool:
    """Whether what torch's compiler needs is here: a C++ compiler, and Python's headers.

    On Linux alone: elsewhere the compiler's OpenMP is often missing.
    """
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    return sys.platform == "linux" and compiler is not None and headers.exists()


def pays(config: PPOConfig, num_envs: int) -> bool:
    """Whether a run of these settings is large and long enough that compiling makes it shorter."""
    batch = config.horizon_length * num_envs
    visits = batch * config.mini_epochs * config.max_iterations
    return batch >= LARGE_BATCH and visits >= LONG_RUN
