"""States of the simulation as NumPy arrays, for the calls that take no tensors."""

from __future__ import annotations

from typing import Callable, Dict

import numpy as np
import torch

Reader = Callable[[], torch.Tensor]
"""Reads a state from the worlds into a new tensor."""


class HostStates:
    """Copies on the host of what the worlds hold, read once and kept until that changes."""

    def __init__(self) -> None:
        self._known: Dict[str, np.ndarray] = {}

    def forget(self) -> None:
        """The worlds have moved on, or were set."""
        self._known.clear()

    def get(self, name: str, read: Reader) -> np.ndarray:
        """The state `name`, which `read` reads; not to be written into."""
        if name not in self._known:
            self._known[name] = read().detach().cpu().numpy()
        return self._known[name]
