"""Functions of tensors that torch's compiler may make faster, where it works on this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import sysconfig
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

import torch

REASON_WORDS = 60
"""How much of an error of torch's compiler is shown."""


def can_compile() -> bool:
    """Whether what torch's compiler needs is here: a C++ compiler, and Python's headers.

    On Linux alone: elsewhere the compiler's OpenMP is often missing.
    """
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    return sys.platform == "linux" and compiler is not None and headers.exists()


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Let no Ctrl-C or SIGTERM reach the C++ compiler, which is started within the block.

    A terminal sends them to all programs of the command. A compiler that they end leaves files that
    torch takes for compiled code from then on. Programs inherit which signals are blocked; this
    process takes its own up by another thread, or at the end of the block.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Compiled:
    """A function that torch's compiler makes one of at its first call; called as it is itself.

    Where that fails, it says so in a warning and goes on as it was written. The compiler fails
    before it computes anything, so no effect of a call happens twice.

    Args:
        function: of tensors, without branches on what they hold.
        setting: what switches compilation off, for the warning.
    """

    def __init__(self, function: Callable[..., Any], setting: str) -> None:
        self.is_compiled = True
        self._function, self._setting = function, setting
        self._call = torch.compile(function, fullgraph=True)

    def __call__(self, *arguments: Any) -> Any:
        if not self.is_compiled:
            return self._function(*arguments)
        try:
            with signals_held():
                return self._call(*arguments)
        except RuntimeError as error:  # all that torch's compiler raises derives from it
            self.is_compiled = False
            warn(self._function.__qualname__, error, self._setting)
        return self._function(*arguments)


def warn(what: str, error: RuntimeError, setting: str) -> None:
    """Say that `what` could not be compiled, and how to do without from the start."""
    # Of a backend's error the first line only says whose it is.
    message = " ".join(str(error).split()[:REASON_WORDS])
    warnings.warn(
        f"torch.compile failed for {what} ({type(error).__name__}: {message}); it goes on "
        f"uncompiled. If it names a damaged file, delete that. {setting} does without from the "
        "start",
        RuntimeWarning,
        stacklevel=3,
    )
