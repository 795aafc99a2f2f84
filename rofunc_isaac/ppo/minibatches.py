"""Sizes of batch and minibatch, and their order."""

from __future__ import annotations

from typing import Iterator, List

import torch

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.config import PPOConfig


def resolve_minibatch_size(config: PPOConfig, batch_size: int) -> int:
    """Samples a minibatch.

    Raises:
        ConfigError: an explicit size, or the number of minibatches, does not divide the batch; the
            message names those that do.
    """
    if config.minibatch_size == "auto":
        if batch_size % config.num_minibatches:
            near = nearest_divisors(batch_size, config.num_minibatches)
            raise ConfigError(
                f"train.num_minibatches={config.num_minibatches} does not divide the batch of "
                f"{batch_size} samples (num_envs x train.horizon_length); these do: {near}"
            )
        return batch_size // config.num_minibatches
    size = config.minibatch_size
    if not isinstance(size, int) or isinstance(size, bool):
        raise ConfigError(f"train.minibatch_size={size!r} must be a whole number or auto")
    if size < 1 or batch_size % size:
        near = nearest_divisors(batch_size, size)
        raise ConfigError(
            f"train.minibatch_size={size} does not divide the batch of {batch_size} samples "
            f"(num_envs x train.horizon_length); these do: {near}, or auto"
        )
    return size


def nearest_divisors(number: int, wanted: int) -> str:
    """Up to four divisors of `number`, those closest to `wanted`, as text."""
    divisors: List[int] = []
    for low in range(1, int(number**0.5) + 1):
        if number % low == 0:
            divisors += [low, number // low]
    nearest = sorted(set(divisors), key=lambda divisor: abs(divisor - wanted))[:4]
    return ", ".join(str(divisor) for divisor in sorted(nearest))


def shuffled(
    num_samples: int, minibatch_size: int, generator: torch.Generator, device: torch.device
) -> Iterator[torch.Tensor]:
    """Index tensors of one epoch, (minibatch_size,) each, in a new random order."""
    order = torch.randperm(num_samples, generator=generator, device=device)
    return iter(order.split(minibatch_size))
