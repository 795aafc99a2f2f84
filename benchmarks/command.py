"""What every benchmark's command line does alike."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.worker import WorkerError
from rofunc_isaac.errors import UserError

LOG_TAIL = 3000
"""Characters of a failed process's output that are shown."""


def run(argv: Sequence[str] | None, text: str | None, measure: Callable[[list[str]], Any]) -> int:
    """Call `measure` with the words `argv`, by default the process's; returns the exit status.

    Args:
        text: what `--help` prints.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--help"], ["-h"]):
        print(text)
        return 0
    try:
        measure(words)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except WorkerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {error}\n{(error.stderr or '')[-LOG_TAIL:]}", file=sys.stderr)
        return 1
    return 0
