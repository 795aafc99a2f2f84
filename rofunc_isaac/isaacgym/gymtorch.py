"""From the simulator's tensor handles to torch tensors and back, without a copy."""

from __future__ import annotations

import torch

from rofunc_isaac.isaacgym._tensor import GymTensor

__all__ = ["unwrap_tensor", "wrap_tensor"]


def wrap_tensor(gym_tensor: GymTensor) -> torch.Tensor:
    """The live torch tensor behind a handle from ``gym.acquire_*_tensor``.

    It shares its memory with the simulator: refreshing the handle's data changes it in place.
    Raises TypeError for anything but such a handle.
    """
    if not isinstance(gym_tensor, GymTensor):
        raise TypeError(
            "wrap_tensor expects what a gym.acquire_*_tensor call returned, got "
            f"{type(gym_tensor).__name__}"
        )
    return gym_tensor.tensor


def unwrap_tensor(torch_tensor: torch.Tensor) -> GymTensor:
    """A handle around ``torch_tensor``, for the ``gym.set_*_tensor`` calls; no copy is made.

    Raises ValueError if the tensor is not contiguous, TypeError for an unsupported dtype (float64,
    for one).
    """
    return GymTensor(torch_tensor)
