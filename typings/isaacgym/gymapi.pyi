"""For type checkers: the name `isaacgym` stands for ours."""

from rofunc_isaac.isaacgym._constants import *  # noqa: F403
from rofunc_isaac.isaacgym._inputs import *  # noqa: F403
from rofunc_isaac.isaacgym._math import *  # noqa: F403
from rofunc_isaac.isaacgym._params import *  # noqa: F403
from rofunc_isaac.isaacgym._properties import *  # noqa: F403
from rofunc_isaac.isaacgym._tensor import *  # noqa: F403
from rofunc_isaac.isaacgym.gym import Gym as Gym
from rofunc_isaac.isaacgym.gym import acquire_gym as acquire_gym
from rofunc_isaac.isaacgym.scene import Env as Env
from rofunc_isaac.isaacgym.scene import SceneAsset
from rofunc_isaac.isaacgym.simulation import Simulation

Asset = SceneAsset
Sim = Simulation
