"""States of the simulation as NumPy arrays, for the calls that take no tensors."""

from __future__ import annotations

from typing import Callable, Dict, List, Tuple, Union

import numpy as np
import torch

from rofunc_isaac.isaacgym._properties import RigidBodyProperties
from rofunc_isaac.isaacgym.dof_states import DofStates
from rofunc_isaac.isaacgym.root_states import RootStates

Reader = Callable[[], torch.Tensor]
"""Reads a state from the worlds into a new tensor, (envs, how many there are, ...)."""


class HostStates:
    """Copies on the host of what the worlds hold, read once and kept until that changes.

    Rows are those of the tensors, over all environments. What is set on them goes to the worlds
    all at once, at their next use (`flush`).
    """

    def __init__(self, roots: RootStates, dofs: DofStates) -> None:
        self._states: Dict[str, Union[RootStates, DofStates]] = {"roots": roots, "dofs": dofs}
        self._known: Dict[str, np.ndarray] = {}
        self.links: Dict[Tuple[int, int], Tuple[List[RigidBodyProperties], np.ndarray]] = {}
        """By environment and actor, properties of the bodies and the states that follow: see
        `actor_states`."""
        self._changed: Dict[str, np.ndarray] = {}

    @property
    def pending(self) -> bool:
        """Whether something was set that the worlds do not know yet."""
        return bool(self._changed)

    def forget(self) -> None:
        """The worlds have moved on, or were set."""
        self._known.clear()
        self.links.clear()
        self._changed.clear()

    def get(self, name: str, read: Reader) -> np.ndarray:
        """The state `name`, which `read` reads; not to be written into."""
        if name not in self._known:
            self._known[name] = read().flatten(0, 1).cpu().numpy()
        return self._known[name]

    def roots(self) -> np.ndarray:
        """float32 (actors, 13), see `RootStates`."""
        return self.get("roots", self._states["roots"].read)

    def dofs(self) -> np.ndarray:
        """float32 (dofs, 2), see `DofStates`."""
        return self.get("dofs", self._states["dofs"].read)

    def set_roots(self, rows: np.ndarray, values: np.ndarray) -> None:
        self.roots()[rows] = values
        self._mark("roots", rows)

    def set_dofs(self, rows: np.ndarray, values: np.ndarray) -> None:
        self.dofs()[rows] = values
        self._mark("dofs", rows)

    def _mark(self, name: str, rows: np.ndarray) -> None:
        self.links.clear()
        if name not in self._changed:
            self._changed[name] = np.zeros(len(self._known[name]), dtype=bool)
        self._changed[name][rows] = True

    def flush(self, num_envs: int) -> torch.Tensor:
        """Hand what was set to the worlds; bool (envs, 1), which of them were moved."""
        moved = np.zeros(num_envs, dtype=bool)
        for name, changed in self._changed.items():
            state, by_env = self._states[name], changed.reshape(num_envs, -1)
            device = state.tensor.device
            values = torch.as_tensor(self._known[name], device=device)
            state.write(values, torch.as_tensor(by_env, device=device))
            moved |= by_env.any(axis=1)
        return torch.as_tensor(moved, device=self._states["roots"].tensor.device)[:, None]
