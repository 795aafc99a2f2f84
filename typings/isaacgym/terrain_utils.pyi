"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym.terrain_utils import *  # noqa: F403
