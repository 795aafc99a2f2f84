"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym.gymutil import *  # noqa: F403
