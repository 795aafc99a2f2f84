"""From a `SchedulerChoice` to a scheduler."""

from __future__ import annotations

import math
from typing import Callable, Union

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.schedulers.config import SchedulerChoice
from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL


def build_scheduler(
    choice: SchedulerChoice, optimizer: Optimizer, total_iterations: int
) -> Union[KLAdaptiveRL, LambdaLR]:
    """Make the chosen scheduler for an optimizer whose rates are floats or tensors.

    `KLAdaptiveRL` is stepped with a KL, as often as `choice.update_every` says. The others are
    torch's `LambdaLR`, stepped once at the end of an iteration without an argument: after k steps
    the rate is the starting rate times 1 (constant), times the point k / total_iterations of a
    line (linear) or of half a cosine wave (cosine) from 1 to `final_lr_factor`; from
    `total_iterations` on it stays there. In torch 2.13 a tensor rate keeps its identity.

    Build it before the optimizer's state is restored: torch's schedulers set the starting rate.

    Raises:
        ConfigError: `total_iterations` is below 1.
    """
    if total_iterations < 1:
        raise ConfigError(f"total_iterations must be 1 or more, got {total_iterations}")
    if choice.name == "kl_adaptive":
        return KLAdaptiveRL(
            optimizer,
            kl_threshold=choice.kl_threshold,
            min_lr=choice.min_lr,
            max_lr=choice.max_lr,
            kl_factor=choice.kl_factor,
            lr_factor=choice.lr_factor,
        )
    # Plain functions: LambdaLR leaves them out of its state, so that a resumed run may be longer.
    return LambdaLR(optimizer, _lr_lambda(choice, total_iterations))


def _lr_lambda(choice: SchedulerChoice, total_iterations: int) -> Callable[[int], float]:
    final = choice.final_lr_factor

    def constant(iteration: int) -> float:
        return 1.0

    def linear(iteration: int) -> float:
        progress = min(iteration / total_iterations, 1.0)
        return 1.0 + (final - 1.0) * progress

    def cosine(iteration: int) -> float:
        progress = min(iteration / total_iterations, 1.0)
        return final + (1.0 - final) * 0.5 * (1.0 + math.cos(math.pi * progress))

    return {"constant": constant, "linear": linear, "cosine": cosine}[choice.name]
