"""What can be set about the learning-rate schedule. Loads without torch."""

from __future__ import annotations

import difflib
import math
import numbers
from dataclasses import dataclass
from typing import Sequence

from rofunc_isaac.errors import ConfigError

SCHEDULER_NAMES = ("kl_adaptive", "constant", "linear", "cosine")
UPDATE_EVERY = ("minibatch", "epoch", "iteration")


@dataclass
class SchedulerChoice:
    """Which scheduler moves the learning rate, and how often. `build_scheduler` makes it.

    Raises ConfigError (a ValueError) or TypeError where it is created with a value that no
    scheduler can use.
    """

    name: str = "kl_adaptive"
    """`kl_adaptive`, or torch's own `constant`, `linear`, `cosine` over the run's iterations."""
    update_every: str = "minibatch"
    """When kl_adaptive sees a KL: after every `minibatch`, or after every `epoch` or `iteration`
    with the mean over its minibatches. The other schedulers step once an iteration."""
    feed_first_minibatch: bool = False
    """Whether kl_adaptive sees the first minibatch of an update. Its KL is 0 because the policy
    has not moved yet, and 0 raises the rate; False hands the rule None there."""
    kl_threshold: float = 0.008
    """The KL that kl_adaptive aims at, in nats."""
    min_lr: float = 1e-6
    max_lr: float = 1e-2
    kl_factor: float = 2.0
    """The rate stays for a KL from kl_threshold / kl_factor to kl_threshold * kl_factor."""
    lr_factor: float = 1.5
    """One adjustment multiplies or divides the rate by this."""
    final_lr_factor: float = 0.0
    """linear, cosine: the rate after the last iteration, as a share of the starting rate."""

    def __post_init__(self) -> None:
        _check_one_of("name", self.name, SCHEDULER_NAMES)
        _check_one_of("update_every", self.update_every, UPDATE_EVERY)
        check_kl_adaptive_arguments(
            kl_threshold=self.kl_threshold,
            min_lr=self.min_lr,
            max_lr=self.max_lr,
            kl_factor=self.kl_factor,
            lr_factor=self.lr_factor,
        )
        _check_real("final_lr_factor", self.final_lr_factor)
        if not 0.0 <= self.final_lr_factor < math.inf:
            raise ConfigError(
                "final_lr_factor must be 0 or more (a share of the starting rate), "
                f"got {self.final_lr_factor}"
            )


def check_kl_adaptive_arguments(
    *, kl_threshold: float, min_lr: float, max_lr: float, kl_factor: float, lr_factor: float
) -> None:
    """Refuse numbers with which the KL rule cannot work.

    The edges stay allowed: `kl_factor=1` (no dead band), `lr_factor=1` (the rate does not move),
    `min_lr=0` and `max_lr=inf` (no bound).

    Raises:
        TypeError: an argument is not a number.
        ConfigError: an argument is outside its range; the message names argument and range.
    """
    _check_real("kl_threshold", kl_threshold)
    _check_real("min_lr", min_lr)
    _check_real("max_lr", max_lr)
    _check_real("kl_factor", kl_factor)
    _check_real("lr_factor", lr_factor)
    if not 0.0 < kl_threshold < math.inf:
        raise ConfigError(f"kl_threshold must be a finite number above 0, got {kl_threshold}")
    if not 0.0 <= min_lr < math.inf:
        raise ConfigError(f"min_lr must be 0 or a finite number above it, got {min_lr}")
    if not (max_lr > 0.0 and max_lr >= min_lr):
        raise ConfigError(f"max_lr must be above 0 and at least min_lr ({min_lr}), got {max_lr}")
    for name, factor in (("kl_factor", kl_factor), ("lr_factor", lr_factor)):
        if not 1.0 <= factor < math.inf:
            raise ConfigError(f"{name} must be a finite number of 1 or more, got {factor}")


def _check_real(name: str, value: object) -> None:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")


def _check_one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    if value in allowed:
        return
    nearest = difflib.get_close_matches(str(value), allowed, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise ConfigError(f"scheduler {name} must be one of {', '.join(allowed)}, got {value!r}{hint}")
