"""The order of minibatches."""

from __future__ import annotations

from typing import Iterator

import torch


def shuffled(
    num_samples: int, minibatch_size: int, generator: torch.Generator, device: torch.device
) -> Iterator[torch.Tensor]:
    """Index tensors of one epoch, (minibatch_size,) each, in a new random order.

    Where one minibatch is the whole batch, order does not matter, and nothing is drawn.
    """
    if minibatch_size == num_samples:
        return iter([torch.arange(num_samples, device=device)])
    order = torch.randperm(num_samples, generator=generator, device=device)
    return iter(order.split(minibatch_size))
