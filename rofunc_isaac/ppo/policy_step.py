"""From an observation to an action: what the learner does between two steps of the environments."""

from __future__ import annotations

from typing import Callable, NamedTuple, Tuple

import torch

from rofunc_isaac.compiler import Compiled
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer, moments
from rofunc_isaac.ppo.numerics import Numerics

Moments = Tuple[torch.Tensor, torch.Tensor]
"""Mean and variance, see `normalizer.moments`."""


class Decision(NamedTuple):
    """What the policy makes of the observations of all environments."""

    obs: torch.Tensor
    """(num_envs, num_obs): normalised, in the dtype of the network's trunk."""
    mean: torch.Tensor
    """float32 (num_envs, num_actions)"""
    value: torch.Tensor
    """float32 (num_envs,): in the units of the value normaliser."""
    actions: torch.Tensor
    """float32 (num_envs, num_actions): mean + std * noise."""


class PolicyStep:
    """Normalises observations and samples actions; the observations also move the statistics of the
    normaliser, which are not applied here.

    Called with `obs` (num_envs, num_obs), `noise` (num_envs, num_actions), standard normal, and
    `std` (num_actions,). Where `numerics.compile` says so, torch's compiler makes one function of
    it.
    """

    def __init__(self, network: ActorCritic, normalizer: Normalizer, numerics: Numerics) -> None:
        self.network, self.normalizer = network, normalizer
        self._compute: Callable[..., Tuple[Decision, Moments]] = self.compute
        if numerics.compile:
            self._compute = Compiled(self.compute, "train.compile=False")

    @torch.no_grad()
    def __call__(self, obs: torch.Tensor, noise: torch.Tensor, std: torch.Tensor) -> Decision:
        decision, moments_of_obs = self._compute(obs, noise, std)
        if self.normalizer.enabled:
            # Not compiled: torch 2.13 would lose what is written to a tensor without dimensions.
            self.normalizer.merge(*moments_of_obs, float(obs.shape[0]))
        return decision

    def compute(
        self, obs: torch.Tensor, noise: torch.Tensor, std: torch.Tensor
    ) -> Tuple[Decision, Moments]:
        """The decision, and the moments of `obs`."""
        normalized = self.normalizer.normalize(obs).to(self.network.trunk_dtype)
        mean, value = self.network(normalized)
        actions = torch.addcmul(mean, noise, std)
        return Decision(normalized, mean, value, actions), moments(obs)
