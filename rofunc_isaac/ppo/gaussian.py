"""Diagonal Gaussians in terms of mean and log standard deviation."""

from __future__ import annotations

import math

import torch


def log_prob(actions: torch.Tensor, mean: torch.Tensor, log_std: torch.Tensor) -> torch.Tensor:
    """Log density of `actions`, (..., actions), summed over actions: (...,)."""
    standardised = (actions - mean) * torch.exp(-log_std)
    constant = 0.5 * math.log(2.0 * math.pi) * actions.shape[-1]
    return -0.5 * standardised.square().sum(-1) - log_std.sum(-1) - constant


def entropy(log_std: torch.Tensor) -> torch.Tensor:
    """Differential entropy in nats; `log_std` (..., actions) gives (...,)."""
    return log_std.sum(-1) + 0.5 * (1.0 + math.log(2.0 * math.pi)) * log_std.shape[-1]


def kl_divergence(
    old_mean: torch.Tensor,
    old_log_std: torch.Tensor,
    new_mean: torch.Tensor,
    new_log_std: torch.Tensor,
) -> torch.Tensor:
    """KL(old || new) in nats, summed over actions; means (..., actions) give (...,).

    sum log(s_new / s_old) + (s_old^2 + (m_old - m_new)^2) / (2 s_new^2) - 1/2, written with expm1
    so that it is exactly 0 for equal distributions, and without an eps, which would bias it.
    """
    log_ratio = new_log_std - old_log_std
    spread = torch.expm1(-2.0 * log_ratio)
    shift = ((old_mean - new_mean) * torch.exp(-new_log_std)).square()
    return (log_ratio + 0.5 * (spread + shift)).sum(-1)
