"""skrl's PPO on our environments, with the settings of our configuration.

Its own sequential trainer trains and writes TensorBoard events.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import torch
from skrl.agents.torch.ppo import PPO
from skrl.memories.torch import RandomMemory
from skrl.resources.preprocessors.torch import RunningStandardScaler
from skrl.resources.schedulers.torch import KLAdaptiveLR
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from skrl.utils.model_instantiators.torch import shared_model

from benchmarks.pace import Pace
from rofunc_isaac.adapters.skrl_env import FinalObsAgent, SkrlEnv
from rofunc_isaac.vec_env import VecEnv

TIMESTEPS = 10**9
"""More than anybody measures; skrl's trainer wants a number."""


class PacedPPO(FinalObsAgent, PPO):
    """skrl's agent, stopped and timed between its iterations."""

    pace: Pace

    def pre_interaction(self, *, timestep: int, timesteps: int) -> None:
        if self._rollout % self.cfg.rollouts == 0:
            self.pace.begin()
            self._start = time.perf_counter()
        super().pre_interaction(timestep=timestep, timesteps=timesteps)

    def update(self, *, timestep: int, timesteps: int) -> None:
        rollout_end = time.perf_counter()
        super().update(timestep=timestep, timesteps=timesteps)
        end = time.perf_counter()
        self.pace.end(rollout_end - self._start, end - rollout_end)


def run(env: VecEnv, config: Any, folder: Path, pace: Pace) -> None:
    logging.getLogger("skrl").setLevel(logging.WARNING)
    set_seed(config.seed)
    wrapped = SkrlEnv(env)
    train = config.train
    spaces = {
        "observation_space": wrapped.observation_space,
        "action_space": wrapped.action_space,
        "device": env.device,
    }
    layers, activation = list(train.hidden_sizes), train.activation
    network = [
        {"name": "net", "input": "OBSERVATIONS", "layers": layers, "activations": activation}
    ]
    policy = {"network": network, "output": "ACTIONS", "initial_log_std": train.initial_log_std}
    policy.update(clip_log_std=False, clip_actions=False)
    model = shared_model(
        **spaces,
        roles=["policy", "value"],
        parameters=[policy, {"network": network, "output": "ONE"}],
    )
    agent = PacedPPO(
        models={"policy": model, "value": model},
        memory=RandomMemory(
            memory_size=train.horizon_length, num_envs=env.num_envs, device=env.device
        ),
        cfg=settings(config, wrapped, folder),
        **spaces,
    )
    agent.pace = pace
    pace.ready(f"float32; torch threads {torch.get_num_threads()}")
    trainer_settings = {"timesteps": TIMESTEPS, "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=wrapped, agents=agent, cfg=trainer_settings).train()


def settings(config: Any, env: SkrlEnv, folder: Path) -> dict[str, Any]:
    """skrl's configuration, from ours."""
    train, scheduler = config.train, config.scheduler
    found = {
        "rollouts": train.horizon_length,
        "learning_epochs": train.mini_epochs,
        "mini_batches": train.num_minibatches,
        "discount_factor": train.gamma,
        "gae_lambda": train.gae_lambda,
        "learning_rate": train.learning_rate,
        "learning_rate_scheduler": KLAdaptiveLR,
        "learning_rate_scheduler_kwargs": {"kl_threshold": scheduler.kl_threshold},
        "grad_norm_clip": train.max_grad_norm or 0.0,
        "ratio_clip": train.clip_range,
        "value_clip": train.clip_range if train.clip_value_loss else 0.0,
        "entropy_loss_scale": train.entropy_coef,
        "value_loss_scale": 0.5 * train.critic_coef,
        "time_limit_bootstrap": True,
        "rewards_shaper": lambda rewards, *_: rewards * train.reward_scale,
        "experiment": {
            "directory": str(folder),
            "write_interval": train.horizon_length,
            "checkpoint_interval": 0,
        },
    }
    device = env.device
    if train.normalize_observations:
        found["observation_preprocessor"] = RunningStandardScaler
        found["observation_preprocessor_kwargs"] = {"size": env.observation_space, "device": device}
    if train.normalize_values:
        found["value_preprocessor"] = RunningStandardScaler
        found["value_preprocessor_kwargs"] = {"size": 1, "device": device}
    return found
