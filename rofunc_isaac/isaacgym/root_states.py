"""Poses and velocities of the actors' roots, as Isaac Gym lays them out."""

from __future__ import annotations

from typing import List, Optional

import numpy as np
import torch

from rofunc_isaac.isaacgym.model_map import ActorMap
from rofunc_isaac.isaacgym.torch_utils import quat_rotate, quat_rotate_inverse
from rofunc_isaac.physics.batch import Batch


class RootStates:
    """The actor root state tensor.

    `tensor` is float32 (envs * actors, 13): position and linear velocity in the environment's
    frame (axes of the world), quaternion xyzw, angular velocity in the world frame. The linear
    velocity is that of the root body's centre of mass, as PhysX reports it.
    """

    def __init__(self, num_envs: int, num_actors: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_actors, 13, device=device)
        self._by_env = self.tensor.view(num_envs, num_actors, 13)

    def connect(
        self, batch: Batch, actors: List[ActorMap], coms: np.ndarray, start: torch.Tensor
    ) -> None:
        """Attach to the compiled worlds and put every root to `start`, (envs, actors, 13).

        For `coms` see `set_coms`.
        """
        self._roots = [
            _FloatingRoot(batch, actor) if actor.mocap < 0 else _FixedRoot(batch, actor)
            for actor in actors
        ]
        self.set_coms(coms)
        everywhere = torch.ones(start.shape[:2], dtype=torch.bool, device=self.tensor.device)
        self.write(start.reshape(-1, 13), everywhere)
        self.refresh()

    def set_coms(self, coms: np.ndarray) -> None:
        """Take over the roots' centres of mass in their own frames, (envs or 1, actors, 3)."""
        values = torch.as_tensor(coms, dtype=torch.float32, device=self.tensor.device)
        for position, root in enumerate(self._roots):
            root.set_com(values[:, position])

    def refresh(self) -> None:
        """Copy the worlds' state into `tensor`."""
        self._read_into(self._by_env)

    def read(self) -> torch.Tensor:
        """What `refresh` puts into `tensor`, (envs, actors, 13)."""
        rows = torch.zeros_like(self._by_env)
        self._read_into(rows)
        return rows

    def _read_into(self, rows: torch.Tensor) -> None:
        for position, root in enumerate(self._roots):
            root.read(rows[:, position])

    def write(self, source: torch.Tensor, mask: torch.Tensor) -> None:
        """Move the roots where `mask`, bool (envs, actors), is true to `source`'s rows.

        Args:
            source: (envs * actors, 13); rows outside the mask are not read.
        """
        rows = source.view(self._by_env.shape)
        for position, root in enumerate(self._roots):
            root.write(rows[:, position], mask[:, position, None])


class _FloatingRoot:
    """A root on a free joint: MuJoCo has wxyz, and the angular velocity in the body frame."""

    def __init__(self, batch: Batch, actor: ActorMap) -> None:
        self._qpos = batch.view("qpos")[:, actor.qpos : actor.qpos + 7]
        self._qvel = batch.view("qvel")[:, actor.qvel : actor.qvel + 6]
        self._com: Optional[torch.Tensor] = None

    def set_com(self, com: torch.Tensor) -> None:
        self._com = com.expand(len(self._qpos), 3) if bool(com.any()) else None

    def read(self, rows: torch.Tensor) -> None:
        rows[:, 0:3] = self._qpos[:, 0:3]
        rows[:, 3:6] = self._qpos[:, 4:7]
        rows[:, 6] = self._qpos[:, 3]
        rows[:, 10:13] = quat_rotate(rows[:, 3:7], self._qvel[:, 3:6])
        rows[:, 7:10] = self._qvel[:, 0:3]
        if self._com is not None:
            rows[:, 7:10] += self._com_velocity(rows)

    def write(self, rows: torch.Tensor, mask: torch.Tensor) -> None:
        linear = rows[:, 7:10] if self._com is None else rows[:, 7:10] - self._com_velocity(rows)
        angular = quat_rotate_inverse(rows[:, 3:7], rows[:, 10:13])
        _copy_where(mask, rows[:, 0:3], self._qpos[:, 0:3])
        _copy_where(mask, rows[:, 3:6], self._qpos[:, 4:7])
        _copy_where(mask, rows[:, 6:7], self._qpos[:, 3:4])
        _copy_where(mask, linear, self._qvel[:, 0:3])
        _copy_where(mask, angular, self._qvel[:, 3:6])

    def _com_velocity(self, rows: torch.Tensor) -> torch.Tensor:
        """Of the centre of mass relative to the root's origin, in the world frame."""
        assert self._com is not None
        return torch.linalg.cross(rows[:, 10:13], quat_rotate(rows[:, 3:7], self._com))


class _FixedRoot:
    """A root that stands where it is put: a mocap body, without velocity."""

    def __init__(self, batch: Batch, actor: ActorMap) -> None:
        self._position = batch.view("mocap_pos")[:, actor.mocap]
        self._quat = batch.view("mocap_quat")[:, actor.mocap]

    def set_com(self, com: torch.Tensor) -> None:
        """It moves nothing that stands still."""

    def read(self, rows: torch.Tensor) -> None:
        rows[:, 0:3] = self._position
        rows[:, 3:6] = self._quat[:, 1:4]
        rows[:, 6] = self._quat[:, 0]

    def write(self, rows: torch.Tensor, mask: torch.Tensor) -> None:
        _copy_where(mask, rows[:, 0:3], self._position)
        _copy_where(mask, rows[:, 3:6], self._quat[:, 1:4])
        _copy_where(mask, rows[:, 6:7], self._quat[:, 0:1])


def _copy_where(mask: torch.Tensor, source: torch.Tensor, target: torch.Tensor) -> None:
    """Copy the rows of `source` where `mask`, (envs, 1), is true, in place."""
    torch.where(mask, source, target, out=target)
