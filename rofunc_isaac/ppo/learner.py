"""Proximal policy optimisation on vectorised environments."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch.optim.lr_scheduler import LambdaLR

from rofunc_isaac.ppo import gaussian, losses
from rofunc_isaac.ppo.batch_sizes import resolve_minibatch_size
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.episodes import EpisodeStatistics
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer, moments
from rofunc_isaac.ppo.numerics import Numerics
from rofunc_isaac.ppo.objective import Objective
from rofunc_isaac.ppo.policy_step import PolicyStep
from rofunc_isaac.ppo.rollout import Rollout
from rofunc_isaac.ppo.update import LOGGED, Updater, column
from rofunc_isaac.ranks import Ranks
from rofunc_isaac.schedulers import KLAdaptiveRL
from rofunc_isaac.schedulers.choice import build_scheduler
from rofunc_isaac.schedulers.config import SchedulerChoice
from rofunc_isaac.vec_env import VecEnv

Metrics = Dict[str, Union[int, float, None]]

UNKNOWN_WITHOUT_EPISODES = ("train/return_mean", "train/episode_length_mean")
UNKNOWN_WITH_ONE_MINIBATCH = ("train/kl_mean", "train/kl_max")
"""What has no value before the first episode ends, or where an update is a single minibatch: None.
Any other number that is NaN went wrong, and stays NaN."""


class Learner:
    """Trains a policy on `env`, an iteration at a time.

    Args:
        env: any `VecEnv`.
        config: hyperparameters.
        scheduler: how the learning rate moves.
        seed: of the network's start, the actions' noise and the minibatches' order.
        ranks: the processes that train together; None is this one alone. Each has as many
            environments, and noise of its own; network, learning rate and normalisers are the same
            in all of them.

    Attributes:
        iteration, env_steps: how much has been done.
        updates: (KL, learning rate) of every minibatch of the last iteration that has a KL.
        obs: what the next rollout begins at; None before the environments are reset for it.

    Raises:
        ConfigError: hyperparameters that don't fit each other or the env.
    """

    def __init__(
        self,
        env: VecEnv,
        config: PPOConfig,
        scheduler: SchedulerChoice,
        seed: int = 0,
        ranks: Optional[Ranks] = None,
    ) -> None:
        self.env, self.config = env, config
        self.ranks = ranks or Ranks()
        self.choice = asdict(scheduler)
        device = env.device
        minibatch_size = resolve_minibatch_size(config, env.num_envs)
        self.numerics = Numerics(config, device, env.num_envs)

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = ActorCritic(
                env.num_obs,
                env.num_actions,
                config.hidden_sizes,
                config.activation,
                config.initial_log_std,
                self.numerics.trunk_dtype,
                config.critic_hidden_sizes or (config.hidden_sizes if env.num_states else None),
                env.num_states,
            ).to(device)
        self.ranks.share_parameters(self.network)
        self.generator = torch.Generator(device).manual_seed(seed + self.ranks.rank)
        self.obs_normalizer = Normalizer((env.num_obs,), config.normalize_observations).to(device)
        self.value_normalizer = Normalizer((), config.normalize_values).to(device)

        # A tensor, so that the scheduler moves it on the device, where the optimizer reads it.
        learning_rate = torch.tensor(config.learning_rate, device=device)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(),
            lr=learning_rate,
            fused=True,
            capturable=device.type == "cuda",  # in a CUDA graph
        )
        self.scheduler = build_scheduler(scheduler, self.optimizer, config.max_iterations)
        self.rollout = Rollout(env, config.horizon_length, self.numerics.trunk_dtype)
        self.updater = Updater(
            self.network,
            self.optimizer,
            self.scheduler,
            scheduler,
            config,
            minibatch_size,
            self.generator,
            self.rollout,
            Objective(self.network, config, self.numerics),
            self.ranks,
        )
        self.policy_step = PolicyStep(self.network, self.obs_normalizer, self.numerics)
        self.episodes = EpisodeStatistics(env.num_envs, device)
        self.iteration = 0
        self.env_steps = 0
        self.wall_time = 0.0
        self.updates: List[Tuple[float, float]] = []
        self.obs: Optional[torch.Tensor] = None

    def iterate(self) -> Metrics:
        """One rollout and the update on it; what they came to, as plain numbers."""
        start = time.perf_counter()
        with self.numerics.threads(self.numerics.rollout_threads):
            self.gather()
        rollout_end = time.perf_counter()
        with self.numerics.threads(self.numerics.update_threads):
            self.learn()
            numbers, log = self.read_metrics()
        end = time.perf_counter()

        samples = self.rollout.num_samples * self.ranks.size
        self.iteration += 1
        self.env_steps += samples
        self.wall_time += end - start
        self.updates = log
        return {
            "iteration": self.iteration,
            "env_steps": self.env_steps,
            "wall_time_s": self.wall_time,
            **numbers,
            "perf/env_steps_per_s": samples / (end - start),
            "perf/rollout_env_steps_per_s": samples / (rollout_end - start),
            "perf/update_env_steps_per_s": samples / (end - rollout_end),
        }

    def gather(self) -> None:
        """Fill the rollout with what the current policy does."""
        if self.obs is None:
            self.obs = self.env.reset()
            self.episodes.restart()
        self.obs = self.rollout.gather(
            self.env,
            self.obs,
            self.policy_step,
            self.value_normalizer,
            self.episodes,
            self.config.reward_scale,
            self.generator,
            self.ranks,
        )

    def learn(self) -> None:
        """Update network, learning rate and normalisers on the rollout."""
        config = self.config
        self.rollout.estimate(
            self.network,
            self.obs_normalizer,
            self.value_normalizer,
            config.gamma,
            config.gae_lambda,
        )
        returns = self.rollout.returns.view(-1)
        mean, var = (self.ranks.gather_rows(part[None]) for part in moments(returns))
        self.value_normalizer.observe_moments(mean, var, len(returns))
        self.value_normalizer.apply_statistics()
        self.updater.run(self.rollout, self.value_normalizer)
        self.obs_normalizer.apply_statistics()

    def graphs(self) -> Dict[str, str]:
        """Which parts run as CUDA graphs: "graph", or "eager: " and why."""
        return {
            "policy": self.policy_step.graphed.status,
            "first minibatch": self.updater.graphed_first.status,
            "minibatch": self.updater.graphed.status,
        }

    def read_metrics(self) -> Tuple[Metrics, List[Tuple[float, float]]]:
        """The iteration's numbers, in one copy from the device to the host."""
        rollout, log = self.rollout, self.updater.log
        finished, mean_return, mean_length = self.episodes.means()
        kl = column(log, "kl")
        on_device: Dict[str, torch.Tensor] = {
            "train/return_mean": mean_return,
            "train/episode_length_mean": mean_length,
            "train/episodes": finished,
            "train/kl_mean": kl.nanmean(),
            "train/kl_max": torch.where(
                kl.isnan().all(), kl[0], kl.nan_to_num(0.0, math.inf).max()
            ),
            "train/lr": column(log, "lr")[0],
            "train/lr_next": self.updater.learning_rate,
            "train/kl_nan_count": torch.as_tensor(getattr(self.scheduler, "nan_count", 0)),
            "train/lr_at_bound": column(log, "at_bound").mean(),
            "train/clip_fraction": column(log, "clip_fraction").mean(),
            "train/explained_variance": losses.explained_variance(rollout.values, rollout.returns),
            "train/entropy": gaussian.entropy(self.network.log_std.detach()),
            "train/grad_norm": column(log, "grad_norm").mean(),
            "train/action_std": self.network.log_std.detach().exp().mean(),
            "train/policy_loss": column(log, "policy_loss").mean(),
            "train/value_loss": column(log, "value_loss").mean(),
            "train/bounds_loss": column(log, "bounds_loss").mean(),
            "train/skipped_updates": column(log, "skipped").sum(),
            "train/reward_mean": rollout.rewards.mean() / self.config.reward_scale,
            **self.env.metrics(),
        }
        device = log.device
        numbers = [value.detach().reshape(1).to(device).double() for value in on_device.values()]
        # Means of what the processes have found; where one has nothing yet, of the others'.
        own = torch.cat(numbers)
        everyones = self.ranks.gather_rows(own[None]).nanmean(dim=0)
        host = torch.cat([everyones, log.double().flatten()]).tolist()
        metrics: Metrics = dict(zip(on_device, host))
        unknown = UNKNOWN_WITHOUT_EPISODES if metrics["train/episodes"] == 0 else ()
        if len(log) == 1:
            unknown = (*unknown, *UNKNOWN_WITH_ONE_MINIBATCH)
        metrics.update(dict.fromkeys(unknown))
        rows = [
            host[start : start + len(LOGGED)]
            for start in range(len(numbers), len(host), len(LOGGED))
        ]
        kl_column, lr_column = LOGGED.index("kl"), LOGGED.index("lr")
        pairs = [(row[kl_column], row[lr_column]) for row in rows]
        return metrics, [pair for pair in pairs if pair[0] == pair[0]]

    def state_dict(self) -> Dict[str, Any]:
        """Everything that the run goes on from, but for the environments; plain data."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "obs_normalizer": self.obs_normalizer.state_dict(),
            "value_normalizer": self.value_normalizer.state_dict(),
            "episodes": self.episodes.state_dict(),
            "generator": self.generator.get_state(),
            "numerics": self.numerics.as_dict(),
            "iteration": self.iteration,
            "env_steps": self.env_steps,
            "wall_time": self.wall_time,
        }

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Go on from `state`.

        Environments start new episodes, unless the caller puts theirs back, and `obs` with them.
        """
        self.network.load_state_dict(state["network"])
        learning_rate = self.updater.learning_rate
        self.optimizer.load_state_dict(state["optimizer"])
        self.updater.graphed_first.forget()  # the optimizer's tensors are new ones
        self.updater.graphed.forget()
        for group in self.optimizer.param_groups:
            # Loading replaces the tensor that updater and scheduler share.
            learning_rate.copy_(torch.as_tensor(group["lr"]))
            group["lr"] = learning_rate
        # Its settings are those of this run's configuration, not of the one that was stopped, which
        # may have had another scheduler: one that counted minibatches and not iterations.
        counters = {k: v for k, v in state["scheduler"].items() if k not in self.choice}
        if not isinstance(self.scheduler, KLAdaptiveRL):
            counters["last_epoch"] = state["iteration"]
        self.scheduler.load_state_dict({**self.scheduler.state_dict(), **counters})
        if isinstance(self.scheduler, LambdaLR):
            # The rate of this run's schedule: of a longer one it is not where the last one ended.
            factor = self.scheduler.lr_lambdas[0](state["iteration"])
            learning_rate.fill_(self.scheduler.base_lrs[0] * factor)
        self.obs_normalizer.load_state_dict(state["obs_normalizer"])
        self.value_normalizer.load_state_dict(state["value_normalizer"])
        self.episodes.load_state_dict(state["episodes"])
        # On another kind of device a generator has another kind of state: it begins anew there.
        if state["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(state["generator"].cpu())
        self.iteration = state["iteration"]
        self.env_steps = state["env_steps"]
        self.wall_time = state["wall_time"]
        self.obs = None
