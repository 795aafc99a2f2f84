"""Environments whose rewards are scaled, for trainers that have no setting for it."""

from __future__ import annotations

from typing import Any

import torch

from rofunc_isaac.vec_env import StepResult, VecEnv


class ScaledRewards:
    """A `VecEnv` around another, whose rewards are multiplied by `scale`."""

    def __init__(self, env: VecEnv, scale: float) -> None:
        self._env, self._scale = env, scale
        self._reward = torch.zeros(env.num_envs, device=env.device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)

    def step(self, actions: torch.Tensor) -> StepResult:
        result = self._env.step(actions)
        return result._replace(reward=torch.mul(result.reward, self._scale, out=self._reward))
