"""Environments of tensors alone, which obey the `VecEnv` contract: buffers are reused."""

from __future__ import annotations

from typing import Any

import torch

from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.schedulers.config import SchedulerChoice
from rofunc_isaac.vec_env import StepResult
from tests.ppo.zipped import zipped

CPU = torch.device("cpu")


class ReachEnv:
    """Reward -|action - target(obs)|^2, target(obs) = (obs[0], -obs[1]) / 2: the best return is 0.

    Observations are drawn anew every step. An episode is truncated after 6 steps, and
    terminates before that with a chance of one in ten a step.
    """

    def __init__(self, num_envs: int, seed: int = 0) -> None:
        self.num_envs, self.num_obs, self.num_actions = num_envs, 3, 2
        self.num_states = 0  # the third column tells nothing: it can stand for a state
        self.device = CPU
        self.max_episode_length: int | None = 6
        self.generator = torch.Generator().manual_seed(seed)
        self.obs = torch.zeros(num_envs, 3)
        self.final_obs = torch.zeros(num_envs, 3)
        self.steps = torch.zeros(num_envs)

    def _draw(self) -> torch.Tensor:
        return torch.rand(self.num_envs, 3, generator=self.generator) * 2.0 - 1.0

    def reset(self) -> torch.Tensor:
        self.steps.zero_()
        return self.obs.copy_(self._draw())

    def step(self, actions: torch.Tensor) -> StepResult:
        target = torch.stack([self.obs[:, 0], -self.obs[:, 1]], dim=1) / 2.0
        reward = -(actions - target).square().sum(1)
        self.steps += 1
        terminated = torch.rand(self.num_envs, generator=self.generator) < 0.1
        truncated = (self.steps >= 6) & ~terminated
        done = terminated | truncated
        self.final_obs.copy_(self._draw())
        self.obs.copy_(torch.where(done[:, None], self._draw(), self.final_obs))
        self.steps.masked_fill_(done, 0.0)
        return StepResult(self.obs, reward, terminated, truncated, self.final_obs)

    def metrics(self) -> dict[str, torch.Tensor]:
        return {"env/steps_mean": self.steps.mean()}

    def state_dict(self) -> dict[str, torch.Tensor]:
        return {
            "obs": self.obs.clone(),
            "steps": self.steps.clone(),
            "generator": self.generator.get_state(),
        }

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        self.obs.copy_(state["obs"])
        self.steps.copy_(state["steps"])
        self.generator.set_state(state["generator"])


class ScriptedEnv:
    """Plays a script over and over, whatever the actions are.

    Args:
        rewards: one list an env, a number a step.
        ends: one text an env, a letter a step: `.` goes on, `T` terminated, `X` truncated.
        max_episode_length: as in `VecEnv`.
    """

    def __init__(
        self, rewards: list[list[float]], ends: list[str], max_episode_length: int | None = None
    ) -> None:
        self.rewards = torch.tensor(rewards).T.contiguous()
        self.length, self.num_envs = self.rewards.shape
        letters = [[row[step] for row in ends] for step in range(self.length)]
        self.terminated = torch.tensor([[letter == "T" for letter in row] for row in letters])
        self.truncated = torch.tensor([[letter == "X" for letter in row] for row in letters])
        self.num_obs, self.num_states, self.num_actions = 4, 0, 2
        self.device, self.max_episode_length = CPU, max_episode_length
        generator = torch.Generator().manual_seed(7)
        # What is seen after step t: the state that it led to, and the one after a reset.
        self.reached = torch.randn(self.length, self.num_envs, 4, generator=generator)
        fresh = torch.randn(self.length, self.num_envs, 4, generator=generator)
        done = (self.terminated | self.truncated)[..., None]
        self.seen = torch.where(done, fresh, self.reached)
        self.first = torch.randn(self.num_envs, 4, generator=generator)
        self.time = 0
        self.actions: list[torch.Tensor] = []
        self._buffers = StepResult(
            torch.zeros(self.num_envs, 4),
            torch.zeros(self.num_envs),
            torch.zeros(self.num_envs, dtype=torch.bool),
            torch.zeros(self.num_envs, dtype=torch.bool),
            torch.zeros(self.num_envs, 4),
        )

    def reset(self) -> torch.Tensor:
        self.time = 0
        return self._buffers.obs.copy_(self.first)

    def step(self, actions: torch.Tensor) -> StepResult:
        self.actions.append(actions.clone())
        script = (self.seen, self.rewards, self.terminated, self.truncated, self.reached)
        for buffer, values in zipped(self._buffers, script):
            buffer.copy_(values[self.time % self.length])
        self.time += 1
        return self._buffers

    def metrics(self) -> dict[str, torch.Tensor]:
        return {}


def small_config(**settings: Any) -> PPOConfig:
    """A small network, float32, one thread; `settings` on top."""
    defaults: dict[str, Any] = {
        "horizon_length": 8,
        "hidden_sizes": [32, 16],
        "precision": "float32",
        "update_threads": 1,
        "reward_scale": 1.0,
    }
    return PPOConfig(**{**defaults, **settings})


def reach_learner(
    num_envs: int = 16, seed: int = 0, choice: SchedulerChoice | None = None, **settings: Any
) -> Learner:
    """A learner on a `ReachEnv`, both of the same seed."""
    env = ReachEnv(num_envs, seed)
    return Learner(env, small_config(**settings), choice or SchedulerChoice(), seed)
