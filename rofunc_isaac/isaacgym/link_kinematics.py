"""Where the links of actors are and how they move, on the host, from root and DOF states.

Independent of the physics engine, and there before the scene is compiled.
"""

from __future__ import annotations

from typing import List, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym import quaternions
from rofunc_isaac.isaacgym.assets.asset import Asset

_ROOT = 1
"""MuJoCo's number of the root: the world is 0. Links follow in Isaac Gym's order."""


class LinkKinematics:
    """Of one asset. A root state is (13,), a DOF state (dofs, 2), link states (links, 13).

    All in the environment's frame, and as the tensors have them: quaternions xyzw, linear
    velocities those of centres of mass.
    """

    def __init__(self, asset: Asset) -> None:
        self.model = asset.spec.compile()
        self._data = mujoco.MjData(self.model)
        self._move(np.zeros((self.model.nv, 2)))
        self._at_zero = self._in_root()

    def link_states(self, roots: np.ndarray, dofs: np.ndarray, coms: np.ndarray) -> np.ndarray:
        """States of the links of several actors, (actors, links, 13).

        Args:
            roots: (actors, 13).
            dofs: (actors, dofs, 2).
            coms: of the links in their own frames, (actors, links, 3).
        """
        if self.model.nv:
            found = [self._move_and_read(row) for row in dofs]
            position, quat, linear, angular = (np.stack(part) for part in zip(*found))
        else:
            position, quat, linear, angular = (part[None] for part in self._at_zero)
        turn = roots[:, None, 3:7]
        position, quat = quaternions.rotate(turn, position), quaternions.multiply(turn, quat)
        com = position + quaternions.rotate(quat, coms)
        spin = roots[:, None, 10:13]
        states = np.empty((len(roots), self.model.nbody - 1, 13))
        states[..., 0:3] = roots[:, None, 0:3] + position
        states[..., 3:7] = quat
        turning = quaternions.rotate(turn, angular)
        states[..., 10:13] = spin + turning
        # Of the link's origin relative to the root, of its centre of mass relative to its origin,
        # and of the root at the link's centre of mass.
        states[..., 7:10] = quaternions.rotate(turn, linear)
        states[..., 7:10] += quaternions.cross(turning, com - position)
        states[..., 7:10] += roots[:, None, 7:10] + quaternions.cross(spin, com - com[:, :1])
        return states

    def joint_frames(self, root: np.ndarray, dofs: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Origins and unit axes of one actor's DOFs, (dofs, 3) each."""
        self._move(dofs)
        origins, axes = self._data.xanchor.copy(), self._data.xaxis.copy()
        turn = root[None, 3:7]
        return root[0:3] + quaternions.rotate(turn, origins), quaternions.rotate(turn, axes)

    def joints(self) -> List[Tuple[int, int]]:
        """(link, DOF) of every joint in Isaac Gym's order, DOF -1 for a fixed one."""
        result = []
        for body in range(_ROOT + 1, self.model.nbody):
            first, count = int(self.model.body_jntadr[body]), int(self.model.body_jntnum[body])
            dofs = range(first, first + count) if count else [-1]
            result += [(body - _ROOT, dof) for dof in dofs]
        return result

    def _move_and_read(self, dofs: np.ndarray) -> Tuple[np.ndarray, ...]:
        self._move(dofs)
        return self._in_root()

    def _move(self, dofs: np.ndarray) -> None:
        self._data.qpos[:], self._data.qvel[:] = dofs[:, 0], dofs[:, 1]
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)
        mujoco.mj_comVel(self.model, self._data)

    def _in_root(self) -> Tuple[np.ndarray, ...]:
        """Position, quaternion, velocity of the origin, angular velocity, (links, ...) each."""
        data = self._data
        position = data.xpos[_ROOT:].copy()
        angular, linear = data.cvel[_ROOT:, 0:3].copy(), data.cvel[_ROOT:, 3:6]
        # MuJoCo's velocity is that of the point at the whole tree's centre of mass.
        linear = linear + quaternions.cross(angular, position - data.subtree_com[_ROOT])
        return position, np.roll(data.xquat[_ROOT:], -1, axis=-1), linear, angular
