"""Sizes of batch and minibatch. Loads without torch, for checks before anything heavy."""

from __future__ import annotations

import math

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.config import PPOConfig


class BatchSizeError(ConfigError):
    """A size that doesn't divide the batch; the text names the nearest that do.

    Attributes:
        key, value: what is wrong, as `train.minibatch_size` and 5000.
        reason: the rest of the text.
    """

    def __init__(self, key: str, value: object, reason: str) -> None:
        super().__init__(f"{key}={value} {reason}")
        self.key, self.value, self.reason = key, value, reason


def resolve_minibatch_size(config: PPOConfig, num_envs: int) -> int:
    """Samples a minibatch, of the `num_envs * config.horizon_length` in the batch.

    Raises:
        BatchSizeError: an explicit size, or the number of minibatches, does not divide the batch.
    """
    batch = num_envs * config.horizon_length
    size = config.minibatch_size
    if size == "auto":
        _check_divides("train.num_minibatches", config.num_minibatches, num_envs, batch)
        return batch // config.num_minibatches
    if not isinstance(size, int) or isinstance(size, bool):
        reason = "must be auto or a whole number of 1 or more"
        raise BatchSizeError("train.minibatch_size", size, reason)
    _check_divides("train.minibatch_size", size, num_envs, batch)
    return size


def nearest_divisors(number: int, near: int) -> str:
    """The two divisors of `number` just below `near` and the two just above, as text."""
    small = [low for low in range(1, math.isqrt(number) + 1) if number % low == 0]
    divisors = sorted({*small, *(number // low for low in small)})
    below = [divisor for divisor in divisors if divisor < near][-2:]
    above = [divisor for divisor in divisors if divisor > near][:2]
    return ", ".join(str(divisor) for divisor in below + above)


def _check_divides(key: str, value: int, num_envs: int, batch: int) -> None:
    if value < 1:
        raise BatchSizeError(key, value, "must be a whole number of 1 or more")
    if batch % value:
        reason = (
            f"does not divide the batch of {batch} samples (num_envs {num_envs} x "
            f"train.horizon_length {batch // num_envs}); "
            f"the nearest numbers that do are {nearest_divisors(batch, value)}"
        )
        raise BatchSizeError(key, value, reason)
