from rofunc_isaac.isaacgym.torch_utils import *  # noqa: F403
