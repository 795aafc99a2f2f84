"""Environments that remember how their episodes went, whoever trains on them."""

from __future__ import annotations

import torch

from rofunc_isaac.ppo.episodes import EpisodeStatistics
from rofunc_isaac.vec_env import StepResult, VecEnv


class RecordedEnv:
    """A `VecEnv` around another, which counts its steps and the raw returns of its episodes.

    Attributes:
        env_steps: steps of all environments together.
        episodes: of the last that finished; see `EpisodeStatistics`.
    """

    def __init__(self, env: VecEnv) -> None:
        self.env = env
        self.num_envs, self.num_obs, self.num_actions = env.num_envs, env.num_obs, env.num_actions
        self.num_states = env.num_states
        self.device, self.max_episode_length = env.device, env.max_episode_length
        # What a trainer seeds, where the environments have it.
        self.generator = getattr(env, "generator", None)
        self.env_steps = 0
        self.episodes = EpisodeStatistics(env.num_envs, env.device)

    def reset(self) -> torch.Tensor:
        return self.env.reset()

    def step(self, actions: torch.Tensor) -> StepResult:
        result = self.env.step(actions)
        self.env_steps += self.num_envs
        self.episodes.record(result.reward, result.terminated | result.truncated)
        return result

    def metrics(self) -> dict[str, torch.Tensor]:
        return self.env.metrics()
