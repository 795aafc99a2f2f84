"""Generalised advantage estimation (Schulman et al., 2016, arXiv:1506.02438)."""

from __future__ import annotations

import torch


def compute_advantages(
    rewards: torch.Tensor,
    values: torch.Tensor,
    next_values: torch.Tensor,
    done: torch.Tensor,
    gamma: float,
    gae_lambda: float,
    out: torch.Tensor,
) -> torch.Tensor:
    """Advantages of a rollout, (horizon, num_envs), into `out`.

        delta_t = r_t + gamma * next_value_t - value_t
        A_t = delta_t + gamma * gae_lambda * A_{t+1}, cut where an episode ended

    Args:
        rewards, values: (horizon, num_envs).
        next_values: value of what followed each step: of the next state; of the final state where
            the episode was truncated; zero where it terminated.
        done: bool, whether the episode ended with the step.
    """
    torch.add(rewards, next_values, alpha=gamma, out=out)
    out.sub_(values)
    carry = (~done).to(out.dtype).mul_(gamma * gae_lambda)
    for step in range(len(out) - 2, -1, -1):
        out[step].addcmul_(carry[step], out[step + 1])
    return out
