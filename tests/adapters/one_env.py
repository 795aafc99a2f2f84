"""One environment alone, seen through an adapter: what libraries' checks for a single one take."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from rofunc_isaac.adapters.gymnasium_env import GymnasiumEnv


class OneEnv(gymnasium.Env):
    """The only environment of `envs`, with its final observation where an episode ends."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  the base class has it so
    spec = EnvSpec("rofunc_isaac/OneEnv-v0")

    def __init__(self, envs: GymnasiumEnv) -> None:
        assert envs.num_envs == 1
        self.envs = envs
        self.observation_space = envs.single_observation_space
        self.action_space = envs.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        obs, infos = self.envs.reset(seed=seed, options=options)
        return obs[0], infos

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        obs, reward, terminated, truncated, infos = self.envs.step(action[None])
        last = infos["final_obs"][0] if infos else obs[0]
        return last, float(reward[0]), bool(terminated[0]), bool(truncated[0]), {}
