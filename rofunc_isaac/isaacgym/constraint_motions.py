"""How contacts, limits and joint friction accelerate bodies, beside everything else."""

from __future__ import annotations

import numpy as np
import torch

from rofunc_isaac.isaacgym.actor_dynamics import LinkMotions
from rofunc_isaac.physics.batch import Batch


class ConstraintMotions:
    """Accelerations of bodies by constraints: J (qacc - qacc_smooth).

    That is the acceleration with constraints less the one without; what velocities contribute is
    the same in both.
    """

    def __init__(self, batch: Batch, bodies: np.ndarray) -> None:
        """Args: bodies: MuJoCo's numbers, (bodies,); one may come several times."""
        dofs, roots = np.arange(batch.model.nv), batch.model.body_rootid[bodies]
        self._num_bodies = len(bodies)
        self._with, self._without = batch.view("qacc"), batch.view("qacc_smooth")
        self._trees = []
        for root in np.unique(roots):
            rows = np.flatnonzero(roots == root)
            self._trees.append((rows.tolist(), LinkMotions(batch, bodies[rows].tolist(), dofs)))

    def read(self) -> torch.Tensor:
        """(envs, bodies, 2, 3): linear, of the centre of mass, and angular, in the world frame."""
        change = (self._with - self._without)[:, None, :, None]
        result = self._with.new_zeros(len(self._with), self._num_bodies, 2, 3)
        for rows, motions in self._trees:
            motions.compute()
            result[:, rows, 0] = (motions.linear * change).sum(dim=2)
            result[:, rows, 1] = (motions.angular * change).sum(dim=2)
        return result
