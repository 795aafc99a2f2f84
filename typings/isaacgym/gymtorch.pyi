"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym.gymtorch import *  # noqa: F403
