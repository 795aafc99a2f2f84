"""What an update minimises, from one minibatch."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

import torch

from rofunc_isaac import compiler
from rofunc_isaac.ppo import gaussian, losses
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.numerics import Numerics


class Terms(NamedTuple):
    """What a minibatch came to beside its loss, scalars without gradients.

    `kl` is exact, of the rollout's policy from the network's; `clip_fraction` is the part of the
    samples whose ratio the clip holds back.
    """

    policy_loss: torch.Tensor
    value_loss: torch.Tensor
    bounds_loss: torch.Tensor
    clip_fraction: torch.Tensor
    kl: torch.Tensor


class Objective:
    """PPO's loss; called with a minibatch, it gives the loss and its `Terms`.

    Where `numerics.compile` says so, torch's compiler makes one function of it, and one of its
    gradients. The last bits are others than uncompiled.
    """

    def __init__(self, network: ActorCritic, config: PPOConfig, numerics: Numerics) -> None:
        self._network, self._config, self._numerics = network, config, numerics
        self._ready = not numerics.compile
        self._evaluate = self.evaluate
        if numerics.compile:
            self._evaluate = torch.compile(self.evaluate, fullgraph=True, dynamic=False)

    def __call__(
        self, batch: Dict[str, torch.Tensor], old_log_std: torch.Tensor
    ) -> Tuple[torch.Tensor, Terms]:
        if not self._ready:
            self._compile(batch, old_log_std)
        return self._evaluate(batch, old_log_std)

    def _compile(self, batch: Dict[str, torch.Tensor], old_log_std: torch.Tensor) -> None:
        """Do what the first call does anyhow, and give up compiling if it fails."""
        try:
            with compiler.signals_held():
                loss, _ = self._evaluate(batch, old_log_std)
                loss.backward()
        except RuntimeError as error:  # all that torch's compiler raises derives from it
            compiler.warn("the loss", error, "train.compile=False")
            self._numerics.compile = False
            self._evaluate = self.evaluate
        self._ready = True

    def evaluate(
        self, batch: Dict[str, torch.Tensor], old_log_std: torch.Tensor
    ) -> Tuple[torch.Tensor, Terms]:
        config, log_std = self._config, self._network.log_std
        mean, values = self._network(batch["obs"])
        log_ratio = gaussian.log_prob(batch["actions"], mean, log_std) - batch["old_log_prob"]
        ratio = log_ratio.exp()
        policy_loss = losses.policy_loss(ratio, batch["advantages"], config.clip_range)
        value_clip = config.clip_range if config.clip_value_loss else float("inf")
        value_loss = losses.value_loss(values, batch["old_values"], batch["returns"], value_clip)
        bounds_loss = losses.bounds_loss(mean, config.bounds_limit)
        loss = policy_loss + 0.5 * config.critic_coef * value_loss
        loss = loss + config.bounds_loss_coef * bounds_loss
        loss = loss - config.entropy_coef * gaussian.entropy(log_std)
        with torch.no_grad():
            kl = gaussian.kl_divergence(batch["old_mean"], old_log_std, mean, log_std).mean()
            clip_fraction = ((ratio - 1.0).abs() > config.clip_range).float().mean()
        terms = (policy_loss.detach(), value_loss.detach(), bounds_loss.detach())
        return loss, Terms(*terms, clip_fraction, kl)
