"""`tests.compat.soak` in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.compat.programs import python

QUICK = ("envs=16", "steps=40")
FULL = ("envs=256", "steps=500")
FULL_SECONDS = 3000


def soaked(*words: str, cwd: Path, seconds: int = 200) -> dict[str, Any]:
    """The report on the task that `words` name; fails where it is not sound."""
    done = python("-m", "tests.compat.soak", *words, cwd=cwd, seconds=seconds)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    report = json.loads(done.stdout.splitlines()[-1])
    print(report)  # shown with pytest -rP
    return report
