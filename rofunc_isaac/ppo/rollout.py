"""What a rollout leaves behind, and how it is gathered."""

from __future__ import annotations

from typing import Tuple

import torch

from rofunc_isaac.ppo.episodes import EpisodeStatistics
from rofunc_isaac.ppo.gae import compute_advantages
from rofunc_isaac.ppo.gaussian import log_prob
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer
from rofunc_isaac.ppo.policy_step import PolicyStep
from rofunc_isaac.ranks import Ranks
from rofunc_isaac.vec_env import VecEnv


class Rollout:
    """`horizon` steps of every env, allocated once: tensors (horizon, num_envs, ...).

    `obs` is normalised, in the dtype that the network's trunk computes in, `final_obs` as it came.
    Values and returns are in reward units after scaling (not normalised). `old_log_std`,
    (num_actions,), is the policy's of the whole rollout.
    """

    def __init__(self, env: VecEnv, horizon: int, obs_dtype: torch.dtype) -> None:
        def empty(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(horizon, env.num_envs, *shape, dtype=dtype, device=env.device)

        self.horizon = horizon
        self.obs = empty(env.num_obs, dtype=obs_dtype)
        self.actions = empty(env.num_actions)
        self.old_mean = empty(env.num_actions)
        self.old_log_prob = empty()
        self.values = empty()
        self.rewards = empty()
        self.terminated = empty(dtype=torch.bool)
        self.truncated = empty(dtype=torch.bool)
        self.final_obs = empty(env.num_obs)
        self.next_values = empty()
        self.advantages = empty()
        self.returns = empty()
        self.obs_mean = torch.zeros(horizon, env.num_obs, dtype=torch.float64, device=env.device)
        self.obs_var = torch.zeros_like(self.obs_mean)
        self.old_log_std = torch.zeros(env.num_actions, device=env.device)

        # How many final observations can need a value: an env is truncated once in so many steps.
        length = env.max_episode_length
        per_env = horizon if length is None else min(horizon, 1 + (horizon - 1) // length)
        self.max_truncations = per_env * env.num_envs

    @property
    def num_samples(self) -> int:
        return self.rewards.numel()

    @torch.no_grad()
    def gather(
        self,
        env: VecEnv,
        obs: torch.Tensor,
        policy_step: PolicyStep,
        value_normalizer: Normalizer,
        episodes: EpisodeStatistics,
        reward_scale: float,
        generator: torch.Generator,
        ranks: Ranks,
    ) -> torch.Tensor:
        """Fill the buffers from `horizon` steps that begin at `obs`; returns the next one.

        The observations also move the statistics of their normaliser, which are not applied here.
        """
        network, normalizer = policy_step.network, policy_step.normalizer
        self.old_log_std.copy_(network.log_std)
        std = self.old_log_std.exp()
        for step in range(self.horizon):
            noise = self.actions[step].normal_(generator=generator)
            decision = policy_step(obs, noise, std)
            self.obs[step] = decision.obs
            self.old_mean[step] = decision.mean
            self.values[step] = decision.value
            self.actions[step] = decision.actions
            self.obs_mean[step] = decision.obs_mean
            self.obs_var[step] = decision.obs_var

            result = env.step(self.actions[step])
            obs = result.obs
            self.rewards[step] = result.reward
            self.terminated[step] = result.terminated
            self.truncated[step] = result.truncated
            self.final_obs[step] = result.final_obs
            episodes.record(result.reward, result.terminated | result.truncated)

        mean, var = ranks.gather_rows(self.obs_mean), ranks.gather_rows(self.obs_var)
        normalizer.observe_moments(mean, var, env.num_envs)
        self.old_log_prob.copy_(log_prob(self.actions, self.old_mean, self.old_log_std))
        self.rewards.mul_(reward_scale)
        self.values.copy_(value_normalizer.denormalize(self.values))
        last_value = network.value(normalizer.normalize(obs).to(self.obs.dtype))
        self.next_values[:-1] = self.values[1:]
        self.next_values[-1] = value_normalizer.denormalize(last_value)
        return obs

    @torch.no_grad()
    def estimate(
        self,
        network: ActorCritic,
        obs_normalizer: Normalizer,
        value_normalizer: Normalizer,
        gamma: float,
        gae_lambda: float,
    ) -> None:
        """Compute `advantages` and `returns`; call it once after `gather`."""
        flat_index, final_value = self._values_at_truncations(
            network, obs_normalizer, value_normalizer
        )
        self.next_values.view(-1).index_copy_(0, flat_index, final_value)
        self.next_values.masked_fill_(self.terminated, 0.0)
        done = self.terminated | self.truncated
        compute_advantages(
            self.rewards,
            self.values,
            self.next_values,
            done,
            gamma,
            gae_lambda,
            out=self.advantages,
        )
        torch.add(self.advantages, self.values, out=self.returns)

    def _values_at_truncations(
        self, network: ActorCritic, obs_normalizer: Normalizer, value_normalizer: Normalizer
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """Where `next_values` is V(final observation), and those values.

        A fixed number of rows is valued, the truncated ones first, so that shapes don't depend on
        data; rows that fill up the number keep the value they have.
        """
        truncated = self.truncated.view(-1)
        order = truncated.to(torch.uint8).argsort(descending=True, stable=True)
        index = order[: self.max_truncations]
        final_obs = self.final_obs.view(truncated.shape[0], -1)[index]
        normalized = obs_normalizer.normalize(final_obs).to(self.obs.dtype)
        value = value_normalizer.denormalize(network.value(normalized))
        kept = self.next_values.view(-1)[index]
        return index, torch.where(truncated[index], value, kept)
