from isaacgym import _closed
from rofunc_isaac.isaacgym import gymapi as _ours
from rofunc_isaac.isaacgym.gymapi import *  # noqa: F403

Asset = Env = Sim = Tensor = _closed.Handle
_gym = _closed.Gym()


def acquire_gym():
    return _gym


__all__ = list(_ours.__all__)
