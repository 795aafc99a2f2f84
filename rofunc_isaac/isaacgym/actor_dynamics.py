"""An actor's Jacobian and mass matrix."""

from __future__ import annotations

from typing import List, Optional

import mujoco
import numpy as np
import torch

from rofunc_isaac.isaacgym.body_inertials import Inertials
from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.physics.batch import Batch


def moves(model: mujoco.MjModel, bodies: List[int], dofs: np.ndarray) -> np.ndarray:
    """bool (bodies, dofs): whether each of the DOFs moves each of the bodies."""
    result = np.zeros((len(bodies), len(dofs)), dtype=bool)
    for row, body in zip(result, bodies):
        while body > 0:
            row |= model.dof_bodyid[dofs] == body
            body = int(model.body_parentid[body])
    return result


class LinkMotions:
    """How the DOFs of one actor move the centres of mass of its links.

    `linear` and `angular` are (envs, links, dofs, 3), in the world frame, by a unit of a DOF's
    velocity; `arms` (envs, links, 3) are the links' centres of mass relative to that of the tree.
    """

    def __init__(self, batch: Batch, bodies: List[int], dofs: np.ndarray) -> None:
        model, device = batch.model, batch.device
        self._bodies = columns(np.array(bodies), device)
        self._root = int(model.body_rootid[bodies[0]])
        self._dofs = columns(dofs, device)
        self._axes, self._com = batch.view("cdof"), batch.view("xipos")
        self._tree_com = batch.view("subtree_com")
        mask = torch.as_tensor(moves(model, bodies, dofs), dtype=torch.float32, device=device)
        self._mask = mask[:, :, None]

    def compute(self) -> None:
        """From the batch's derived fields, which are current."""
        self.arms = self._com[:, self._bodies] - self._tree_com[:, self._root, None]
        axes = self._axes[:, self._dofs][:, None]
        self.angular = axes[..., 0:3] * self._mask
        # MuJoCo's motion axes hold the velocity of the point at the tree's centre of mass.
        across = torch.linalg.cross(self.angular, self.arms[:, :, None].expand_as(self.angular))
        self.linear = axes[..., 3:6] * self._mask + across


class Jacobian:
    """The Jacobian tensor of one actor.

    `tensor` is float32 (envs, links, 6, columns): velocity of a link's centre of mass and its
    angular velocity, in the world frame, by a unit of each DOF's velocity. With a fixed base the
    base has no rows and the columns are the DOFs. With a floating one six columns come first, for
    the linear velocity of the base's centre of mass and its angular velocity, in the world frame.
    """

    def __init__(self, env: Env, actor: int, num_envs: int, device: torch.device) -> None:
        asset = env.actors[actor].asset.description
        self._first_column = 6 if asset.floating else 0
        self._first_link = 0 if asset.floating else 1
        links = len(asset.body_names) - self._first_link
        width = len(asset.dof_names) + self._first_column
        self.tensor = torch.zeros(num_envs, links, 6, width, device=device)
        if asset.floating:
            self.tensor[:, :, :, :6] = torch.eye(6, device=device)

    def connect(self, batch: Batch, bodies: List[int], dofs: np.ndarray) -> None:
        """Attach to the compiled worlds; `bodies` and `dofs` are MuJoCo's numbers of its own."""
        self._motions = LinkMotions(batch, bodies, dofs) if len(dofs) else None
        self._com = batch.view("xipos")
        self._bodies = columns(np.array(bodies), batch.device)

    def refresh(self) -> None:
        """Compute `tensor` from the batch's derived fields."""
        first = self._first_column
        if self._motions is not None:
            self._motions.compute()
            links = slice(self._first_link, None)
            self.tensor[:, :, 0:3, first:] = self._motions.linear[:, links].transpose(2, 3)
            self.tensor[:, :, 3:6, first:] = self._motions.angular[:, links].transpose(2, 3)
        if first:
            com = self._com[:, self._bodies]
            arm = com - com[:, :1]
            # Column j of the block is the unit vector j times the arm.
            block = self.tensor[:, :, 0:3, 3:6]
            for row, column, part, sign in _CROSS:
                block[:, :, row, column] = sign * arm[:, :, part]


_CROSS = ((0, 1, 2, 1), (0, 2, 1, -1), (1, 0, 2, -1), (1, 2, 0, 1), (2, 0, 1, 1), (2, 1, 0, -1))
"""Row, column, part of r and sign of the matrix that takes w to w x r."""


class MassMatrix:
    """The mass matrix tensor of one actor.

    `tensor` is float32 (envs, dofs, dofs), kg m^2 or kg or kg m, armature included. A floating base
    has no rows of its own: they are the DOFs' with the base held.
    """

    def __init__(self, env: Env, actor: int, num_envs: int, device: torch.device) -> None:
        dofs = len(env.actors[actor].asset.description.dof_names)
        self.tensor = torch.zeros(num_envs, dofs, dofs, device=device)

    def connect(self, batch: Batch, bodies: List[int], dofs: np.ndarray) -> None:
        """Attach to the compiled worlds; `bodies` and `dofs` are MuJoCo's numbers of its own."""
        self._motions: Optional[LinkMotions] = None
        if len(dofs):
            self._motions = LinkMotions(batch, bodies, dofs)
        self._rotation = batch.view("ximat").unflatten(2, (3, 3))
        self._bodies = columns(np.array(bodies), batch.device)

    def set_properties(self, inertials: Inertials, bodies: slice, armature: np.ndarray) -> None:
        """Take over what the environment's `bodies` weigh, and `armature`, (envs, dofs)."""

        def constant(values: np.ndarray) -> torch.Tensor:
            return torch.as_tensor(values, dtype=torch.float32, device=self.tensor.device)

        # A kinetic energy is the square of its velocities times these.
        self._roots_of_mass = constant(np.sqrt(inertials.mass[:, bodies]))[:, :, None, None]
        self._roots_of_moments = constant(np.sqrt(inertials.moments[:, bodies]))[:, :, None]
        self._armature = constant(armature)

    def refresh(self) -> None:
        """Compute `tensor` from the batch's derived fields."""
        if self._motions is None:
            return
        self._motions.compute()
        linear = self._motions.linear * self._roots_of_mass
        # Row vectors times the matrix of the inertial frame's axes are vectors in that frame.
        angular = self._motions.angular @ self._rotation[:, self._bodies]
        parts = torch.cat([linear, angular * self._roots_of_moments], dim=-1)
        flat = parts.transpose(1, 2).flatten(2)  # (envs, dofs, links * 6)
        torch.matmul(flat, flat.transpose(1, 2), out=self.tensor)
        self.tensor.diagonal(dim1=1, dim2=2).add_(self._armature)
