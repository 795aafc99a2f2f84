"""Gymnasium's spaces of one environment, for the libraries that ask for them."""

from __future__ import annotations

import gymnasium
import numpy as np

from rofunc_isaac.vec_env import VecEnv


def observation_space(env: VecEnv) -> gymnasium.spaces.Box:
    """float32 (num_obs,), without bounds."""
    return gymnasium.spaces.Box(-np.inf, np.inf, (env.num_obs,), np.float32)


def action_space(env: VecEnv) -> gymnasium.spaces.Box:
    """float32 (num_actions,) in [-1, 1], to which tasks clamp actions by default."""
    return gymnasium.spaces.Box(-1.0, 1.0, (env.num_actions,), np.float32)
