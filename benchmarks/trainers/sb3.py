"""Stable-Baselines3's PPO on our environments, with the settings of our configuration.

It has no KL-adaptive rate and does not normalise values: the rate stays at its start, and rewards
are scaled by our wrapper. Its `VecNormalize` normalises observations.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from benchmarks.pace import Pace
from benchmarks.scaled_rewards import ScaledRewards
from rofunc_isaac.adapters.sb3_env import Sb3Env
from rofunc_isaac.ppo.batch_sizes import resolve_minibatch_size
from rofunc_isaac.ppo.network import ACTIVATIONS
from rofunc_isaac.vec_env import VecEnv


class Trunk(BaseFeaturesExtractor):
    """The layers that policy and value share."""

    def __init__(
        self, observation_space: gymnasium.Space, sizes: list[int], activation: type[nn.Module]
    ) -> None:
        super().__init__(observation_space, sizes[-1])
        widths = [*observation_space.shape, *sizes]
        layers: list[nn.Module] = []
        for size_in, size_out in zip(widths, sizes):
            layers += [nn.Linear(size_in, size_out), activation()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(observations)


class PacedPPO(PPO):
    """Stable-Baselines3's algorithm, stopped and timed between its iterations."""

    pace: Pace

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        self.pace.begin()
        self._start = time.perf_counter()
        return super().collect_rollouts(*args, **kwargs)

    def train(self) -> None:
        rollout_end = time.perf_counter()
        super().train()
        end = time.perf_counter()
        self.pace.end(rollout_end - self._start, end - rollout_end)


def run(env: VecEnv, config: Any, folder: Path, pace: Pace) -> None:
    train = config.train
    wrapped = Sb3Env(ScaledRewards(env, train.reward_scale))
    if train.normalize_observations:
        wrapped = VecNormalize(wrapped, norm_reward=False, clip_obs=5.0)
    trunk = {"sizes": list(train.hidden_sizes), "activation": ACTIVATIONS[train.activation]}
    model = PacedPPO(
        "MlpPolicy",
        wrapped,
        learning_rate=train.learning_rate,
        n_steps=train.horizon_length,
        batch_size=resolve_minibatch_size(train, env.num_envs),
        n_epochs=train.mini_epochs,
        gamma=train.gamma,
        gae_lambda=train.gae_lambda,
        clip_range=train.clip_range,
        clip_range_vf=train.clip_range if train.clip_value_loss else None,
        normalize_advantage=train.normalize_advantages,
        ent_coef=train.entropy_coef,
        vf_coef=0.5 * train.critic_coef,
        max_grad_norm=train.max_grad_norm or math.inf,
        policy_kwargs={
            "net_arch": [],
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": trunk,
            "log_std_init": train.initial_log_std,
            "ortho_init": False,
        },
        seed=config.seed,
        device=str(env.device),
    )
    model.pace = pace
    model.set_logger(configure(str(folder), ["csv"]))
    pace.ready(f"float32; torch threads {torch.get_num_threads()}")
    model.learn(2**62)
