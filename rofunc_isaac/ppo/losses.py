"""The terms of PPO's loss, each a mean over a minibatch (Schulman et al., 2017)."""

from __future__ import annotations

import torch


def policy_loss(ratio: torch.Tensor, advantages: torch.Tensor, clip_range: float) -> torch.Tensor:
    """The clipped surrogate, negated; `ratio` and `advantages` are (samples,)."""
    clipped = ratio.clamp(1.0 - clip_range, 1.0 + clip_range)
    return torch.maximum(-advantages * ratio, -advantages * clipped).mean()


def value_loss(
    values: torch.Tensor, old_values: torch.Tensor, returns: torch.Tensor, clip_range: float
) -> torch.Tensor:
    """Squared error, the larger of that of `values` and of their move clipped to `clip_range`.

    All (samples,) in normalised units. `clip_range` inf leaves the plain squared error.
    """
    clipped = old_values + (values - old_values).clamp(-clip_range, clip_range)
    return torch.maximum((values - returns).square(), (clipped - returns).square()).mean()


def bounds_loss(mean: torch.Tensor, limit: float) -> torch.Tensor:
    """Squared excess of |mean action| over `limit`, summed over actions; `mean` (samples, actions).

    Actions are clamped by the env: without this term nothing would hold the mean back.
    """
    return (mean.abs() - limit).clamp(min=0.0).square().sum(-1).mean()


def explained_variance(values: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
    """1 - Var(returns - values) / Var(returns); 0 where the returns do not vary."""
    variance = returns.var(correction=0)
    residual = (returns - values).var(correction=0)
    return torch.where(variance > 0, 1.0 - residual / variance, torch.zeros_like(variance))
