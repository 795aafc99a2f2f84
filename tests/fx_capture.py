"""Capture and replay without CUDA: the operations of one call, played again without its Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from rofunc_isaac.cuda_graphs import Recording, tensors_of


def fx_graph(
    function: Callable[..., Any],
    inputs: tuple[torch.Tensor, ...],
    generators: Sequence[torch.Generator],
) -> Recording:
    """Knows kernels and addresses alone, like a CUDA graph; unlike there, tracing computes."""
    returned: list[Any] = []

    def call(*arguments: torch.Tensor) -> list[torch.Tensor]:
        returned.append(function(*arguments))
        return list(tensors_of(returned[0]))

    traced = make_fx(call, tracing_mode="real")(*inputs)
    outputs = returned[0]

    def replay() -> None:
        with torch.no_grad():
            for kept, computed in zip(tensors_of(outputs), traced(*inputs), strict=True):
                kept.copy_(computed)

    return Recording(outputs, replay, has_run=True)
