"""Forces and torques that programs apply to bodies, for one frame."""

from __future__ import annotations

from typing import Optional

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import ENV_SPACE, GLOBAL_SPACE, LOCAL_SPACE, CoordinateSpace
from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.torch_utils import quat_rotate
from rofunc_isaac.physics.batch import Batch


class BodyForces:
    """What acts on the bodies during the next `simulate`, in all of its physics steps.

    Several calls before one `simulate` add up. Vectors of LOCAL_SPACE are turned with the body as
    it stands when they are applied, not as it turns within the frame.
    """

    def connect(self, batch: Batch, bodies: np.ndarray, origins: torch.Tensor) -> None:
        """Attach to the compiled worlds.

        Args:
            bodies: MuJoCo's numbers of the bodies, (bodies,).
            origins: of the environments, in the global frame, (envs, 3).
        """
        self._batch = batch
        self._bodies, self._columns = bodies, columns(bodies, batch.device)
        self._position, self._quat = batch.view("xpos"), batch.view("xquat")
        self._com = batch.view("xipos")
        self._origins = origins[:, None]
        self._applied: Optional[torch.Tensor] = None

    def apply(
        self,
        force: Optional[torch.Tensor],
        torque: Optional[torch.Tensor],
        space: CoordinateSpace,
    ) -> None:
        """Push at the centres of mass by `force`, and turn by `torque`, (envs, bodies, 3).

        Poses that LOCAL_SPACE depends on are the batch's derived ones.
        """
        if space == LOCAL_SPACE:
            quat = self._quats()
            force = None if force is None else quat_rotate(quat, force)
            torque = None if torque is None else quat_rotate(quat, torque)
        self._add(force, torque)

    def apply_at(self, force: torch.Tensor, position: torch.Tensor, space: CoordinateSpace) -> None:
        """Push at `position` by `force`, (envs, bodies, 3). Depends on derived poses."""
        if space == LOCAL_SPACE:
            quat = self._quats()
            force, position = quat_rotate(quat, force), quat_rotate(quat, position)
            position = position + self._position[:, self._columns]
        elif space == GLOBAL_SPACE:
            position = position - self._origins
        arm = position - self._com[:, self._columns]
        self._add(force, torch.linalg.cross(arm, force))

    def add_to_body(self, env: int, body: int, force: np.ndarray, torque: np.ndarray) -> None:
        """Push one body of one environment, at its centre of mass, in the world's axes, (3,)."""
        applied = self._pending()
        wrench = torch.as_tensor(np.concatenate([force, torque]), dtype=applied.dtype)
        applied[env, int(self._bodies[body])] += wrench.to(applied.device)

    def _quats(self) -> torch.Tensor:
        return self._quat[:, self._columns].roll(-1, dims=-1)

    def _add(self, force: Optional[torch.Tensor], torque: Optional[torch.Tensor]) -> None:
        applied = self._pending()
        if force is not None:
            applied[:, self._columns, 0:3] += force
        if torque is not None:
            applied[:, self._columns, 3:6] += torque

    def _pending(self) -> torch.Tensor:
        if self._applied is None:
            self._applied = self._batch.view("xfrc_applied")
        return self._applied

    def clear(self) -> None:
        """The frame is over."""
        if self._applied is not None:
            self._applied.zero_()

    def adopt(self) -> None:
        """The worlds came from a snapshot, in which forces may have been pending."""
        self._pending()


def check_space(call: str, space: CoordinateSpace) -> CoordinateSpace:
    """`space` as one of the enumeration. Raises GymError: it is none."""
    if space not in (ENV_SPACE, GLOBAL_SPACE, LOCAL_SPACE):
        raise GymError(f"{call}: {space} is not ENV_SPACE, GLOBAL_SPACE or LOCAL_SPACE")
    return CoordinateSpace(space)
