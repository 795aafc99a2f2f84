"""Jobs of a sweep in processes of joblib: how they stop with their checkpoints written.

Of itself joblib kills its processes where the sweep is interrupted or one of them ends, and leaves
them running where the sweep is ended. So the sweep's process takes the signals and sends its
processes SIGTERM, which each hears from its first job on. Ctrl-C in a terminal, which all of them
get, they never hear themselves.
"""

from __future__ import annotations

import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, Optional

from rofunc_isaac.cli.interrupts import SIGNALS
from rofunc_isaac.cli.sweeps import JobError

POLL_S = 0.5

_parent = 0
_is_busy = False
_is_stopped = False


class Workers:
    """In the sweep's process, around the sweep: the first signal stops all jobs, the second kills.

    After a signal the block is left by SystemExit, with the shells' status for it. Both signals are
    held back for good: what follows is the end of the process.
    """

    def __init__(self) -> None:
        self.signum: Optional[int] = None

    def __enter__(self) -> Workers:
        import joblib.externals.loky.backend.resource_tracker

        for number in SIGNALS:
            signal.signal(number, self._stop)
        # Both let the signals through again where they start.
        multiprocessing.resource_tracker.ensure_running()
        joblib.externals.loky.backend.resource_tracker.ensure_running()
        # It holds nothing back, so the signals come there; Python calls `_stop` in the main thread.
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        # Processes that are started from now on begin with them held back.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        return self

    def __exit__(self, *error: object) -> None:
        if self.signum is not None:
            sys.exit(128 + self.signum)

    def _stop(self, signum: int, frame: Optional[FrameType]) -> None:
        is_first = self.signum is None
        self.signum = self.signum or signum
        for process in multiprocessing.active_children():
            process.terminate() if is_first else process.kill()
        if is_first:
            os.write(2, b"\nStopping every job of the sweep; once more leaves at once.\n")
        else:
            os.write(2, b"\nLeft at once.\n")
            os._exit(128 + signum)


@contextmanager
def job() -> Iterator[None]:
    """In a process of joblib, around a job: it is not begun, or stops, where the sweep stops.

    Raises:
        JobError: instead of KeyboardInterrupt. The sweep gets it as the job's result, and waits for
            the others.
    """
    global _parent, _is_busy, _is_stopped
    if _parent == 0:
        _parent = os.getppid()
        threading.Thread(target=_stop_when_alone, daemon=True).start()
        signal.signal(signal.SIGTERM, _note_stop)
        # From the sweep's process it came held back, and may have been sent already.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    if _is_stopped:
        raise JobError("not begun, since the sweep was stopped")
    _is_busy = True
    try:
        yield
    except KeyboardInterrupt as interrupt:
        _is_stopped = True
        raise JobError(*interrupt.args or ["Interrupted."]) from None
    finally:
        _is_busy = False
        if os.getppid() != _parent:
            os._exit(128 + signal.SIGTERM)  # nobody waits for the result


def _note_stop(signum: int, frame: Optional[FrameType]) -> None:
    """While a job trains, `StopRequest` hears the signal in its place."""
    global _is_stopped
    _is_stopped = True
    if _is_busy:
        raise KeyboardInterrupt("Stopped before the training began.")


def _stop_when_alone() -> None:
    while os.getppid() == _parent:
        time.sleep(POLL_S)
    if not _is_busy:
        os._exit(128 + signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
