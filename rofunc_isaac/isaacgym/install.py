"""`import rofunc_isaac.isaacgym.install` before anything else lets code for Isaac Gym run.

The line does for notebooks and programs what `python -m rofunc_isaac run` does for a script. It
stands beside the interface for its short name; by its imports it belongs to `rofunc_isaac.compat`.
"""

from rofunc_isaac.compat.install import install

install()
