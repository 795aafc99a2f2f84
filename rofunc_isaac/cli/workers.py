"""Jobs of a sweep in processes of joblib: how they stop with their checkpoints written.

Of itself joblib kills its processes where the sweep is interrupted, and leaves them running where
it is ended.
"""

from __future__ import annotations

import os
import signal
import threading
import time

from rofunc_isaac.cli.sweeps import JobError

POLL_S = 0.5

_parent = 0
_stopped = False


def begin_job() -> None:
    """In a process of joblib, before a job: take care that it ends with the sweep.

    Raises:
        JobError: the sweep was stopped during an earlier job.
    """
    global _parent
    if _stopped:
        raise JobError("not begun, since the sweep was stopped")
    if _parent == 0:
        _parent = os.getppid()
        threading.Thread(target=_stop_when_alone, daemon=True).start()


def stopped(interrupt: KeyboardInterrupt) -> JobError:
    """What an interrupted job raises: the sweep gets it as a result, and waits for the others."""
    global _stopped
    _stopped = True
    if os.getppid() != _parent:
        os._exit(128 + signal.SIGTERM)  # nobody waits for the result
    return JobError(*interrupt.args or ["Interrupted."])


def _stop_when_alone() -> None:
    while os.getppid() == _parent:
        time.sleep(POLL_S)
    os.kill(os.getpid(), signal.SIGTERM)
