"""Between NumPy's arrays and the tensors of a `VecEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import VecEnv


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """A copy, which stays as it is when the environments write their buffers again."""
    return tensor.cpu().numpy().copy()


def to_actions(env: VecEnv, actions: Any) -> torch.Tensor:
    """An array or tensor as actions for `env.step`: float32 on its device.

    Raises:
        UserError: not of shape (num_envs, num_actions).
    """
    tensor = torch.as_tensor(actions, dtype=torch.float32, device=env.device)
    expected = (env.num_envs, env.num_actions)
    if tensor.shape != expected:
        raise UserError(f"actions have shape {tuple(tensor.shape)}; step() takes {expected}")
    return tensor
