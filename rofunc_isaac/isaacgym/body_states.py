"""Poses and velocities of all rigid bodies, as Isaac Gym lays them out."""

from __future__ import annotations

import numpy as np
import torch

from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.physics.batch import Batch


class BodyStates:
    """The rigid body state tensor.

    `tensor` is float32 (envs * bodies, 13): position in the environment's frame, quaternion xyzw,
    linear velocity of the body's centre of mass and angular velocity, both in the world frame. They
    are derived from the state of the last frame's end: what was set since shows after the next
    `simulate`.
    """

    def __init__(self, num_envs: int, num_bodies: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_bodies, 13, device=device)
        self._by_env = self.tensor.view(num_envs, num_bodies, 13)

    def connect(self, batch: Batch, bodies: np.ndarray) -> None:
        """Attach to the compiled worlds, whose derived fields are current after each step.

        Args:
            bodies: MuJoCo's numbers of the bodies, (bodies,).
        """
        self._columns = columns(bodies, batch.device)
        self._roots = columns(batch.model.body_rootid[bodies], batch.device)
        self._position, self._quat = batch.view("xpos"), batch.view("xquat")
        self._com, self._tree_com = batch.view("xipos"), batch.view("subtree_com")
        self._velocity = batch.view("cvel")

    def refresh(self) -> None:
        """Copy the worlds' state into `tensor`."""
        rows, quat = self._by_env, self._quat[:, self._columns]
        rows[..., 0:3] = self._position[:, self._columns]
        rows[..., 3:6] = quat[..., 1:4]
        rows[..., 6] = quat[..., 0]
        # MuJoCo's velocity is that of the point which moves with the body at the centre of mass
        # of its whole tree.
        velocity = self._velocity[:, self._columns]
        angular, linear = velocity[..., 0:3], velocity[..., 3:6]
        arm = self._com[:, self._columns] - self._tree_com[:, self._roots]
        torch.add(linear, torch.linalg.cross(angular, arm), out=rows[..., 7:10])
        rows[..., 10:13] = angular
