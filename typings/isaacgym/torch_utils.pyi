"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym.torch_utils import *  # noqa: F403
