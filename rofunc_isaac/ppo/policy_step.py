"""From an observation to an action: what the learner does between two steps of the environments."""

from __future__ import annotations

from typing import Callable, NamedTuple

import torch

from rofunc_isaac.compiler import Compiled
from rofunc_isaac.cuda_graphs import Graphed
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer, moments
from rofunc_isaac.ppo.numerics import Numerics


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
    obs_mean: torch.Tensor
    """float64 (num_obs,): of the observations as they came, for the normaliser."""
    obs_var: torch.Tensor
    """Likewise, biased."""


class PolicyStep:
    """Normalises observations and samples actions.

    Called with `obs` (num_envs, num_obs), `noise` (num_envs, num_actions), standard normal, and
    `std` (num_actions,). Where `numerics.compile` says so, torch's compiler makes one function of
    it; on CUDA it runs as a graph. The next call may write the same tensors anew.
    """

    def __init__(self, network: ActorCritic, normalizer: Normalizer, numerics: Numerics) -> None:
        self.network, self.normalizer = network, normalizer
        decide: Callable[..., Decision] = self.decide
        if numerics.compile:
            decide = Compiled(self.decide, "train.compile=False")
        self.graphed = Graphed("the policy's step", decide, network.log_std.device)

    @torch.no_grad()
    def __call__(self, obs: torch.Tensor, noise: torch.Tensor, std: torch.Tensor) -> Decision:
        return self.graphed(obs, noise, std)

    def decide(self, obs: torch.Tensor, noise: torch.Tensor, std: torch.Tensor) -> Decision:
        normalized = self.normalizer.normalize(obs).to(self.network.trunk_dtype)
        mean, value = self.network(normalized)
        actions = torch.addcmul(mean, noise, std)
        return Decision(normalized, mean, value, actions, *moments(obs))
