"""Running mean and variance that move only when they are told to."""

from __future__ import annotations

from typing import Tuple, Union

import torch
from torch import nn

EPSILON = 1e-5
"""Added to the variance, as in rl_games, so that a constant feature stays finite."""

CLIP = 5.0
"""Normalised values are clipped to this many standard deviations, as in rl_games."""


class Normalizer(nn.Module):
    """Normalises to zero mean and unit variance with statistics of everything observed so far.

    `observe` gathers; what `normalize` applies follows only at `apply`. So the learner can gather
    during a rollout, and policy and update see one and the same normalisation: otherwise its
    drift would count as KL.

    Args:
        shape: of one sample.
        enabled: False makes `normalize` and `denormalize` return their input.
    """

    mean: torch.Tensor
    var: torch.Tensor
    count: torch.Tensor
    applied_mean: torch.Tensor
    applied_std: torch.Tensor

    def __init__(self, shape: Tuple[int, ...], enabled: bool = True) -> None:
        super().__init__()
        self.enabled = enabled
        self.register_buffer("mean", torch.zeros(shape, dtype=torch.float64))
        self.register_buffer("var", torch.ones(shape, dtype=torch.float64))
        self.register_buffer("count", torch.zeros((), dtype=torch.float64))
        self.register_buffer("applied_mean", torch.zeros(shape))
        self.register_buffer("applied_std", torch.ones(shape))

    def observe(self, samples: torch.Tensor) -> None:
        """Merge `samples`, (n, *shape), into the statistics.

        Chan, Golub & LeVeque (1979), equations 1.5: exact for any split into batches.
        """
        if not self.enabled:
            return
        self.merge(*moments(samples), float(samples.shape[0]))

    def observe_moments(self, means: torch.Tensor, variances: torch.Tensor, count: int) -> None:
        """Merge batches of `count` samples each, of which `moments` are known: (batches, *shape).

        A batch whose moments are not finite is left out.
        """
        if not self.enabled:
            return
        finite = (means.isfinite() & variances.isfinite()).reshape(len(means), -1).all(dim=1)
        column = finite.view(-1, *[1] * (means.dim() - 1))
        batches = finite.sum()
        means, variances = means.where(column, 0.0), variances.where(column, 0.0)
        mean = means.sum(dim=0) / batches
        between = (means - mean).square().where(column, 0.0).sum(dim=0) / batches
        # Without any finite batch these are not finite, and `merge` leaves them out.
        self.merge(mean, variances.sum(dim=0) / batches + between, batches * float(count))

    def merge(
        self, mean: torch.Tensor, var: torch.Tensor, count: Union[float, torch.Tensor]
    ) -> None:
        """Merge the mean and (biased) variance of `count` further samples.

        What is not finite is left out: one broken sample would spoil all later ones.
        """
        total = self.count + count
        delta = mean - self.mean
        squares = self.var * self.count + var * count
        squares += delta.square() * (self.count * count / total)
        finite = (mean.isfinite() & var.isfinite()).all()
        self.var.copy_(torch.where(finite, squares / total, self.var))
        self.mean.copy_(torch.where(finite, self.mean + delta * (count / total), self.mean))
        self.count.copy_(torch.where(finite, total, self.count))

    def apply_statistics(self) -> None:
        """Let `normalize` follow what has been observed."""
        if self.enabled:
            self.applied_mean.copy_(self.mean)
            self.applied_std.copy_((self.var + EPSILON).sqrt())

    def normalize(self, samples: torch.Tensor) -> torch.Tensor:
        """(samples - mean) / std, clipped to +-CLIP."""
        if not self.enabled:
            return samples
        return ((samples - self.applied_mean) / self.applied_std).clamp_(-CLIP, CLIP)

    def denormalize(self, normalized: torch.Tensor) -> torch.Tensor:
        """The inverse of `normalize`, within the clip."""
        if not self.enabled:
            return normalized
        return normalized.clamp(-CLIP, CLIP) * self.applied_std + self.applied_mean


def moments(samples: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    """Mean and biased variance of `samples`, (n, *shape), each float64 of that shape.

    The corrected two-pass algorithm of Chan, Golub & LeVeque (1983): in float32 as exact as
    torch.var_mean, and several times as fast on the CPU.
    """
    mean = samples.mean(dim=0)
    deviations = samples - mean
    error = deviations.mean(dim=0).double()
    var = deviations.square_().mean(dim=0).double() - error.square()
    return mean.double() + error, var
