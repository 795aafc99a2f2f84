from rofunc_isaac.isaacgym.gymutil import *  # noqa: F403
