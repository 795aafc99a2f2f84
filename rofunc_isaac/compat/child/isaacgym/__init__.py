"""What `import isaacgym` finds in a process that a program for Isaac Gym started.

Importing it puts `rofunc_isaac.isaacgym` in its place, as `rofunc_isaac.isaacgym.install` does.
"""

import importlib
import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("rofunc_isaac") is None:
    # Ours runs from a checkout that is not installed.
    sys.path.append(str(Path(__file__).resolve().parents[4]))

del sys.modules[__name__]  # the place is free
importlib.import_module("rofunc_isaac.isaacgym.install")
