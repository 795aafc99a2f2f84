"""Ctrl-C and SIGTERM: the first asks the run to stop in good order, the second ends it at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, Dict, Optional, Sequence, Type

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_SHOW_CURSOR = b"\x1b[?25h"


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop, and did, with its checkpoint written.

    Args:
        words: what to tell the user.
        signum: the signal that asked.
    """

    def __init__(self, words: str, signum: int) -> None:
        super().__init__(words)
        self.signum = signum


def signals_that_stop() -> Sequence[int]:
    """`SIGNALS`, but for a Slurm job of submitit SIGINT alone.

    There Slurm says by SIGTERM that it takes the job back, and queues it again if it does not end
    by itself; submitit has a handler for that.
    """
    if os.environ.get("SUBMITIT_EXECUTOR") == "slurm":
        return (signal.SIGINT,)
    return SIGNALS


class StopRequest:
    """Within the block the first of `signals` is noted in `signum`, and nothing else.

    The second ends the process at once, with the shells' exit status for the signal, unless it is
    `patient`: whoever started it may hand on a signal that it has heard itself. Outside Python's
    main thread, where no handler can be set, signals keep their old meaning.
    """

    def __init__(self, signals: Sequence[int] = SIGNALS, patient: bool = False) -> None:
        self._signals = signals
        self._patient = patient
        self.signum: Optional[int] = None
        self._before: Dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in self._signals}
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, signum: int, frame: Optional[FrameType]) -> None:
        # Straight to the file descriptors: the signal may have come amid a print.
        if self.signum is not None:
            if self._patient:
                return
            if sys.stdout.isatty():
                os.write(1, _SHOW_CURSOR)
            os.write(2, b"\nLeft at once.\n")
            os._exit(128 + signum)
        self.signum = signum
        os.write(
            2,
            b"\nStopping: this iteration is finished and a checkpoint written"
            + (b".\n" if self._patient else b"; once more leaves at once.\n"),
        )
