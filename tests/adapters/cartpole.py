"""A small Cartpole whose falls are counted, so that one can see whether a trainer learns."""

from __future__ import annotations

from typing import Any

import rofunc_isaac
from rofunc_isaac.vec_env import StepResult, VecEnv

NUM_ENVS = 64


class WatchedEnv:
    """Another `VecEnv`, and in `falls` how many of its episodes terminated, a number a step."""

    def __init__(self, env: VecEnv) -> None:
        self.env = env
        self.falls: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def step(self, actions: Any) -> StepResult:
        result = self.env.step(actions)
        self.falls.append(int(result.terminated.sum()))
        return result

    def falls_are_rarer(self) -> bool:
        """Whether the last third of the steps saw less than half as many falls as the first."""
        third = len(self.falls) // 3
        return sum(self.falls[-third:]) < 0.5 * sum(self.falls[:third])


def cartpole(num_envs: int = NUM_ENVS) -> WatchedEnv:
    overrides = {"sim.num_threads": 1}
    return WatchedEnv(rofunc_isaac.make("Cartpole", num_envs=num_envs, overrides=overrides))
