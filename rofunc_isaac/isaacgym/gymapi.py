"""The types and constants of Isaac Gym's ``gymapi``, gathered under the names that tasks use."""

from __future__ import annotations

from rofunc_isaac.isaacgym import (
    _array_math,
    _constants,
    _inputs,
    _math,
    _params,
    _properties,
    _tensor,
    _versions,
)
from rofunc_isaac.isaacgym._array_math import *  # noqa: F403
from rofunc_isaac.isaacgym._constants import *  # noqa: F403
from rofunc_isaac.isaacgym._inputs import *  # noqa: F403
from rofunc_isaac.isaacgym._math import *  # noqa: F403
from rofunc_isaac.isaacgym._params import *  # noqa: F403
from rofunc_isaac.isaacgym._properties import *  # noqa: F403
from rofunc_isaac.isaacgym._tensor import *  # noqa: F403
from rofunc_isaac.isaacgym._versions import *  # noqa: F403
from rofunc_isaac.isaacgym.actor import SceneAsset as Asset
from rofunc_isaac.isaacgym.calls.force_sensors import ForceSensor
from rofunc_isaac.isaacgym.gym import Gym, acquire_gym
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation as Sim

__all__ = ["Asset", "Env", "ForceSensor", "Gym", "Sim", "acquire_gym"]
__all__ += _array_math.__all__
__all__ += _constants.__all__
__all__ += _inputs.__all__
__all__ += _math.__all__
__all__ += _params.__all__
__all__ += _properties.__all__
__all__ += _tensor.__all__
__all__ += _versions.__all__
