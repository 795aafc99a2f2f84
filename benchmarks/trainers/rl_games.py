"""rl_games' PPO (a2c_continuous) on our environments, with the settings of our configuration.

Its own `Runner` trains, with its own defaults for whatever the settings don't say: it compiles the
model, chooses torch's threads, and writes TensorBoard events. Checkpoints are switched off.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from rl_games.algos_torch.a2c_continuous import A2CAgent
from rl_games.common.algo_observer import IsaacAlgoObserver
from rl_games.torch_runner import Runner

from benchmarks.pace import Pace
from rofunc_isaac.adapters.rl_games_env import register
from rofunc_isaac.errors import UserError
from rofunc_isaac.ppo.batch_sizes import resolve_minibatch_size
from rofunc_isaac.vec_env import VecEnv

ENV_NAME = "rofunc_isaac"
ACTIVATIONS = {"elu": "elu", "relu": "relu", "tanh": "tanh", "silu": "swish"}
FIXED = {
    "train.bounds_limit": 1.1,
    "scheduler.name": "kl_adaptive",
    "scheduler.min_lr": 1e-6,
    "scheduler.max_lr": 1e-2,
    "scheduler.kl_factor": 2.0,
    "scheduler.lr_factor": 1.5,
}
"""Settings that are constants in rl_games."""
SCHEDULE_TYPES = {"minibatch": "legacy", "epoch": "standard"}
"""When the learning rate moves, by `scheduler.update_every`."""


class PacedAgent(A2CAgent):
    """rl_games' agent, stopped and timed between its iterations."""

    def __init__(self, pace: Pace, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pace = pace

    def train_epoch(self) -> tuple[Any, ...]:
        self.pace.begin()
        result = super().train_epoch()
        _, rollout_s, update_s, *_ = result
        self.pace.end(rollout_s, update_s)
        return result


def run(env: VecEnv, config: Any, folder: Path, pace: Pace) -> None:
    register(env, ENV_NAME)
    runner = Runner(algo_observer=IsaacAlgoObserver())
    runner.algo_factory.register_builder(
        "a2c_continuous", lambda **kwargs: PacedAgent(pace, **kwargs)
    )
    params = parameters(config, env, folder)
    runner.load({"params": params})
    mixed = params["config"]["mixed_precision"]
    pace.ready(
        f"{'bfloat16 autocast' if mixed else 'float32'}; compiled model; "
        f"torch threads {torch.get_num_threads()}"
    )
    runner.run({"train": True, "play": False})


def parameters(config: Any, env: VecEnv, folder: Path) -> dict[str, Any]:
    """What stands under `params` in rl_games' YAML files, from our configuration.

    Raises:
        UserError: a setting that rl_games can't follow.
    """
    train, scheduler = config.train, config.scheduler
    for name, value in FIXED.items():
        group, _, key = name.partition(".")
        if config[group][key] != value:
            raise UserError(
                f"rl_games can't train with {name}={config[group][key]}: it has {value} built in"
            )
    if scheduler.update_every not in SCHEDULE_TYPES:
        raise UserError(
            f"rl_games can't train with scheduler.update_every={scheduler.update_every}; "
            f"use one of: {', '.join(SCHEDULE_TYPES)}"
        )
    return {
        "seed": config.seed,
        "algo": {"name": "a2c_continuous"},
        "model": {"name": "continuous_a2c_logstd"},
        "network": {
            "name": "actor_critic",
            "separate": False,
            "space": {
                "continuous": {
                    "mu_activation": "None",
                    "sigma_activation": "None",
                    "mu_init": {"name": "default"},
                    "sigma_init": {"name": "const_initializer", "val": train.initial_log_std},
                    "fixed_sigma": True,
                }
            },
            "mlp": {
                "units": list(train.hidden_sizes),
                "activation": ACTIVATIONS[train.activation],
                "initializer": {"name": "default"},
                "regularizer": {"name": "None"},
            },
        },
        "config": {
            "name": config.task.name,
            "env_name": ENV_NAME,
            "device": str(env.device),
            "train_dir": str(folder),
            "print_stats": False,
            # The published files switch it on; it is CUDA's autocast, and nothing on the CPU.
            "mixed_precision": env.device.type == "cuda",
            "num_actors": env.num_envs,
            "horizon_length": train.horizon_length,
            "minibatch_size": resolve_minibatch_size(train, env.num_envs),
            "mini_epochs": train.mini_epochs,
            "max_epochs": -1,
            "save_frequency": 0,
            "save_best_after": 2**62,
            "normalize_input": train.normalize_observations,
            "normalize_value": train.normalize_values,
            "normalize_advantage": train.normalize_advantages,
            "value_bootstrap": True,
            "reward_shaper": {"scale_value": train.reward_scale},
            "gamma": train.gamma,
            "tau": train.gae_lambda,
            "learning_rate": train.learning_rate,
            "lr_schedule": "adaptive",
            "schedule_type": SCHEDULE_TYPES[scheduler.update_every],
            "kl_threshold": scheduler.kl_threshold,
            "truncate_grads": train.max_grad_norm is not None,
            "grad_norm": train.max_grad_norm or 1.0,
            "entropy_coef": train.entropy_coef,
            "e_clip": train.clip_range,
            "clip_value": train.clip_value_loss,
            "critic_coef": train.critic_coef,
            "bounds_loss_coef": train.bounds_loss_coef,
        },
    }
