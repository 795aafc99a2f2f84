"""rsl_rl's PPO on our environments, with the settings of our configuration.

Its own runner trains and writes TensorBoard events. Policy and value are networks of their own
there, each of `train.hidden_sizes`; rewards are scaled by our wrapper, for want of a setting.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import torch
from rsl_rl.algorithms import PPO
from rsl_rl.runners import OnPolicyRunner

from benchmarks.pace import Pace
from benchmarks.scaled_rewards import ScaledRewards
from rofunc_isaac.adapters.rsl_rl_env import RslRlEnv
from rofunc_isaac.vec_env import VecEnv


class PacedPPO(PPO):
    """rsl_rl's algorithm, stopped and timed between its iterations."""

    pace: Pace

    def act(self, obs: Any) -> torch.Tensor:
        if self.storage.step == 0:
            self.pace.begin()
            self._start = time.perf_counter()
        return super().act(obs)

    def compute_returns(self, obs: Any) -> None:
        self._rollout_end = time.perf_counter()
        super().compute_returns(obs)

    def update(self) -> dict[str, float]:
        losses = super().update()
        end = time.perf_counter()
        self.pace.end(self._rollout_end - self._start, end - self._rollout_end)
        return losses


def run(env: VecEnv, config: Any, folder: Path, pace: Pace) -> None:
    scaled = ScaledRewards(env, config.train.reward_scale)
    torch.manual_seed(config.seed)
    runner = OnPolicyRunner(RslRlEnv(scaled), settings(config), str(folder), str(env.device))
    runner.alg.pace = pace
    pace.ready(f"float32; torch threads {torch.get_num_threads()}")
    runner.learn(2**31)


def settings(config: Any) -> dict[str, Any]:
    """rsl_rl's configuration, from ours."""
    train, scheduler = config.train, config.scheduler
    network = {
        "class_name": "MLPModel",
        "hidden_dims": list(train.hidden_sizes),
        "activation": train.activation,
        "obs_normalization": train.normalize_observations,
    }
    noise = {"class_name": "GaussianDistribution", "init_std": math.exp(train.initial_log_std)}
    return {
        "num_steps_per_env": train.horizon_length,
        "save_interval": 2**31,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**network, "distribution_cfg": {**noise, "std_type": "log"}},
        "critic": network,
        "algorithm": {
            "class_name": PacedPPO,
            "num_learning_epochs": train.mini_epochs,
            "num_mini_batches": train.num_minibatches,
            "clip_param": train.clip_range,
            "gamma": train.gamma,
            "lam": train.gae_lambda,
            "value_loss_coef": 0.5 * train.critic_coef,
            "entropy_coef": train.entropy_coef,
            "learning_rate": train.learning_rate,
            "max_grad_norm": train.max_grad_norm or math.inf,
            "use_clipped_value_loss": train.clip_value_loss,
            "schedule": "adaptive",
            "desired_kl": scheduler.kl_threshold,
        },
    }
