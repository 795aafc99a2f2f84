"""Positions, velocities and forces of the DOFs, as Isaac Gym lays them out."""

from __future__ import annotations

from typing import Union

import numpy as np
import torch

from rofunc_isaac.physics.batch import Batch

Columns = Union[slice, torch.Tensor]


def columns(addresses: np.ndarray, device: torch.device) -> Columns:
    """`addresses` as a slice where they follow one another: a view then, not a gather."""
    if len(addresses) and np.array_equal(addresses, addresses[0] + np.arange(len(addresses))):
        return slice(int(addresses[0]), int(addresses[0]) + len(addresses))
    return torch.as_tensor(addresses, dtype=torch.int64, device=device)


class DofStates:
    """The DOF state tensor.

    `tensor` is float32 (envs * dofs, 2): position and velocity, rad and rad/s or m and m/s.
    """

    def __init__(self, num_envs: int, num_dofs: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_dofs, 2, device=device)
        self._by_env = self.tensor.view(num_envs, num_dofs, 2)

    def connect(self, batch: Batch, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Attach to the compiled worlds; `qpos` and `qvel` are the DOFs' addresses, (dofs,)."""
        self._qpos, self._qpos_columns = batch.view("qpos"), columns(qpos, batch.device)
        self._qvel, self._qvel_columns = batch.view("qvel"), columns(qvel, batch.device)
        self.refresh()

    def refresh(self) -> None:
        """Copy the worlds' state into `tensor`."""
        self._by_env[..., 0] = self._qpos[:, self._qpos_columns]
        self._by_env[..., 1] = self._qvel[:, self._qvel_columns]

    def read(self) -> torch.Tensor:
        """What `refresh` puts into `tensor`, (envs, dofs, 2)."""
        parts = self._qpos[:, self._qpos_columns], self._qvel[:, self._qvel_columns]
        return torch.stack(parts, dim=-1)

    def write(self, source: torch.Tensor, mask: torch.Tensor) -> None:
        """Move the DOFs where `mask`, bool (envs, dofs) or (envs, 1), is true to `source`'s rows.

        Args:
            source: (envs * dofs, 2); rows outside the mask are not read.
        """
        rows = source.view(self._by_env.shape)
        _write_columns(self._qpos, self._qpos_columns, rows[..., 0], mask)
        _write_columns(self._qvel, self._qvel_columns, rows[..., 1], mask)


def _write_columns(
    field: torch.Tensor, where: Columns, values: torch.Tensor, mask: torch.Tensor
) -> None:
    if isinstance(where, slice):
        target = field[:, where]
        torch.where(mask, values, target, out=target)
    else:
        field[:, where] = torch.where(mask, values, field[:, where])


class DofForces:
    """The DOF force tensor, (envs * dofs,), N m or N: actuator, spring and damper of the joint.

    Zero for actors without `enable_actor_dof_force_sensors`. The forces are those of the last
    physics step.
    """

    def __init__(self, num_envs: int, num_dofs: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_dofs, device=device)
        self._by_env = self.tensor.view(num_envs, num_dofs)

    def connect(
        self, batch: Batch, qvel: np.ndarray, enabled: np.ndarray, of_links: np.ndarray
    ) -> None:
        """Attach to the compiled worlds; see `DofStates.connect` for `qvel`.

        Args:
            enabled: bool (dofs,).
            of_links: see `set_of_links`.
        """
        self._actuator, self._passive = batch.view("qfrc_actuator"), batch.view("qfrc_passive")
        self._columns = columns(qvel, batch.device)
        self._enabled = torch.as_tensor(enabled, dtype=torch.float32, device=batch.device)
        self._damper = batch.view("qfrc_damper") if of_links.any() else None
        self.set_of_links(of_links)

    def set_of_links(self, share: np.ndarray) -> None:
        """Take over which share of a DOF's damping is that of its links, (envs or 1, dofs).

        It is no force of the joint.
        """
        device = self.tensor.device
        self._of_links = torch.as_tensor(share, dtype=torch.float32, device=device)

    def refresh(self) -> None:
        """Copy the worlds' forces into `tensor`."""
        actuator, passive = self._actuator[:, self._columns], self._passive[:, self._columns]
        torch.add(actuator, passive, out=self._by_env)
        if self._damper is not None:
            damper = self._damper[:, self._columns]
            self._by_env.addcmul_(damper, self._of_links, value=-1.0)
        self._by_env.mul_(self._enabled)

    def read(self) -> torch.Tensor:
        """What `refresh` puts into `tensor`, (envs, dofs)."""
        forces = self._actuator[:, self._columns] + self._passive[:, self._columns]
        return forces * self._enabled
