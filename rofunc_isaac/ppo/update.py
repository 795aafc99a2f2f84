"""One update: epochs of minibatches, each with its KL, its learning rate and its step."""

from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch.optim import Optimizer

from rofunc_isaac.cuda_graphs import Graphed
from rofunc_isaac.ppo import minibatches
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer, moments
from rofunc_isaac.ppo.objective import Objective, Terms
from rofunc_isaac.ppo.rollout import Rollout
from rofunc_isaac.ranks import Ranks
from rofunc_isaac.schedulers import KLAdaptiveRL
from rofunc_isaac.schedulers.config import SchedulerChoice

LOGGED = (
    "policy_loss",
    "value_loss",
    "bounds_loss",
    "clip_fraction",
    "kl",
    "grad_norm",
    "skipped",
    "lr",
    "at_bound",
)
"""What is kept of every minibatch, in this order."""


class Updater:
    """Moves the network and the learning rate by one rollout at a time.

    `log`, float32 (minibatches of an update, len(LOGGED)), holds the last update's numbers on the
    device. The KL is exact, of the rollout's policy from the policy before the minibatch's step;
    in the first minibatch of an update it is 0 by construction, and NaN in the log. On CUDA a
    minibatch is one graph, an update's first another.
    """

    def __init__(
        self,
        network: ActorCritic,
        optimizer: Optimizer,
        scheduler: object,
        choice: SchedulerChoice,
        config: PPOConfig,
        minibatch_size: int,
        generator: torch.Generator,
        rollout: Rollout,
        objective: Objective,
        ranks: Ranks,
    ) -> None:
        self.ranks = ranks
        self.optimizer, self.config, self.objective = optimizer, config, objective
        self.scheduler, self.choice = scheduler, choice
        self.minibatch_size, self.generator = minibatch_size, generator
        self.num_samples = rollout.num_samples
        self.per_epoch = self.num_samples // minibatch_size
        device = network.log_std.device
        self.log = torch.zeros(config.mini_epochs * self.per_epoch, len(LOGGED), device=device)
        self.parameters = list(network.parameters())
        self.learning_rate: torch.Tensor = optimizer.param_groups[0]["lr"]

        self.old_log_std = rollout.old_log_std
        self.data = {
            "obs": rollout.obs.flatten(0, 1),
            "actions": rollout.actions.flatten(0, 1),
            "old_mean": rollout.old_mean.flatten(0, 1),
            "old_log_prob": rollout.old_log_prob.view(-1),
            "old_values": torch.empty(self.num_samples, device=device),
            "returns": torch.empty(self.num_samples, device=device),
            "advantages": torch.empty(self.num_samples, device=device),
        }
        self.graphed_first = Graphed("an update's first minibatch", self.first_minibatch, device)
        self.graphed = Graphed("a minibatch", self.minibatch, device)

    def run(self, rollout: Rollout, value_normalizer: Normalizer) -> None:
        """Update on `rollout`, whose advantages and returns have been estimated."""
        config = self.config
        self.prepare(rollout, value_normalizer)
        row = 0
        for _ in range(config.mini_epochs):
            order = minibatches.shuffled(
                self.num_samples, self.minibatch_size, self.generator, self.log.device
            )
            for index in order:
                graphed = self.graphed_first if row == 0 else self.graphed
                self.log[row] = graphed(index)
                if self.choice.update_every == "minibatch" and graphed.was_replayed:
                    self.adjust(None)  # the graph has moved the rate; this counts the step
                row += 1
            if self.choice.update_every == "epoch":
                self.adjust(self.mean_kl(row - self.per_epoch, row))
        if self.choice.update_every == "iteration":
            self.adjust(self.mean_kl(0, row))
        if not isinstance(self.scheduler, KLAdaptiveRL):
            self.scheduler.step()  # type: ignore[attr-defined]

    def prepare(self, rollout: Rollout, value_normalizer: Normalizer) -> None:
        """Fill `data`, (samples, ...) each: values normalised, advantages likewise."""
        advantages = rollout.advantages.view(-1)
        if self.config.normalize_advantages:
            mean, std = self.mean_and_std(advantages)
            advantages = (advantages - mean) / (std + 1e-8)
        self.data["advantages"].copy_(advantages)
        self.data["old_values"].copy_(value_normalizer.normalize(rollout.values.view(-1)))
        self.data["returns"].copy_(value_normalizer.normalize(rollout.returns.view(-1)))

    def mean_and_std(self, values: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """Of all processes' `values`, of as many each; the std with Bessel's correction."""
        if self.ranks.size == 1:
            std, mean = torch.std_mean(values)
            return mean, std
        means, variances = (self.ranks.gather_rows(part[None]) for part in moments(values))
        count = self.ranks.size * len(values)
        var = (variances.mean() + means.var(correction=0)) * (count / (count - 1))
        return means.mean().float(), var.sqrt().float()

    def first_minibatch(self, index: torch.Tensor) -> torch.Tensor:
        """`minibatch` where the policy is the rollout's own still, and has no KL."""
        return self.minibatch(index, is_first=True)

    def minibatch(self, index: torch.Tensor, is_first: bool = False) -> torch.Tensor:
        """One forward and backward pass on the samples `index`, one adjustment of the rate, one
        step; a row of the log."""
        batch = self.data
        if self.per_epoch > 1:  # of a whole batch the order does not matter
            batch = {name: values.index_select(0, index) for name, values in batch.items()}
        loss, terms = self.objective(batch, self.old_log_std)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        with torch.no_grad():
            terms = self.average(terms)
            grad_norm = self.clip_gradients()
            # A minibatch that moves nothing has no KL that tells how far a step goes.
            kl = terms.kl.where(grad_norm.isfinite(), float("nan"))
            if self.choice.update_every == "minibatch":
                self.adjust(kl if self.choice.feed_first_minibatch or not is_first else None)
            skipped = self.step_if_finite(grad_norm)
            if is_first:
                kl = terms.kl.new_full((), float("nan"))
            terms = terms._replace(kl=kl)
            numbers = [*terms, grad_norm, skipped, self.learning_rate, self.at_bound()]
            return torch.stack(numbers)

    def average(self, terms: Terms) -> Terms:
        """Let gradients and `terms` be the means over all processes, in one message.

        The KL goes with the gradients, so every process moves its rate by the same bits.
        """
        if self.ranks.size == 1:
            return terms
        gradients = [parameter.grad for parameter in self.parameters]
        parts = [part.flatten() for part in (*gradients, *terms) if part is not None]
        flat = self.ranks.average(torch.cat(parts))
        means = flat.split([len(part) for part in parts])
        for gradient, mean in zip(gradients, means):
            assert gradient is not None
            gradient.copy_(mean.view_as(gradient))
        return Terms(*(mean.reshape(()) for mean in means[len(gradients) :]))

    def clip_gradients(self) -> torch.Tensor:
        """Scale gradients down to `max_grad_norm`, if set; returns the norm before that."""
        limit = self.config.max_grad_norm
        return torch.nn.utils.clip_grad_norm_(self.parameters, limit or float("inf"), foreach=True)

    def step_if_finite(self, grad_norm: torch.Tensor) -> torch.Tensor:
        """Step, unless a gradient is not finite: decided on the device. 1 where skipped."""
        skipped = (~grad_norm.isfinite()).float()
        # The interface through which torch.amp.GradScaler makes fused optimizers skip a step.
        self.optimizer.grad_scale = None  # type: ignore[attr-defined]
        self.optimizer.found_inf = skipped  # type: ignore[attr-defined]
        self.optimizer.step()
        return skipped

    def adjust(self, kl: Optional[torch.Tensor]) -> None:
        """Hand `kl` to the scheduler, if it follows the KL."""
        if isinstance(self.scheduler, KLAdaptiveRL):
            self.scheduler.step(kl)

    def mean_kl(self, start: int, end: int) -> Optional[torch.Tensor]:
        """Mean KL of these rows of the log, without the update's first and those that were skipped;
        None if there is no other than the first."""
        kl = column(self.log[max(start, 1) : end], "kl")
        return kl.nanmean() if len(kl) else None

    def at_bound(self) -> torch.Tensor:
        if isinstance(self.scheduler, KLAdaptiveRL):
            return torch.as_tensor(self.scheduler.at_bound()).float()
        return self.learning_rate.new_zeros(())


def column(log: torch.Tensor, name: str) -> torch.Tensor:
    """The column `name` of an `Updater`'s log."""
    return log[:, LOGGED.index(name)]
