"""Programs that a program for Isaac Gym starts itself: `import isaacgym` gives them ours, too.

They inherit neither modules nor their names. So a folder whose only package is called `isaacgym`,
and puts ours in its own place, comes on their path: through PYTHONPATH for those that are started
anew, through this process's path for those that `multiprocessing` spawns.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER = str(Path(__file__).resolve().parent / "child")


def let_import_isaacgym() -> None:
    """Let every Python that this process starts from now on find ours."""
    given = os.environ.get("PYTHONPATH")
    if FOLDER not in (given or "").split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, given] if given else [FOLDER])
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # behind the script's own folder
