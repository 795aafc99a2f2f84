"""What the DOFs' actuators are told: efforts for one frame, targets until they change."""

from __future__ import annotations

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import DOF_MODE_POS, DOF_MODE_VEL
from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.physics.batch import Batch


class DofControl:
    """Efforts, position targets and velocity targets, each (envs, dofs)."""

    def __init__(self, num_envs: int, num_dofs: int, device: torch.device) -> None:
        self.effort = torch.zeros(num_envs, num_dofs, device=device)
        self.position_target = torch.zeros_like(self.effort)
        self.velocity_target = torch.zeros_like(self.effort)
        self._position_gain = torch.zeros_like(self.effort)
        self._velocity_gain = torch.zeros_like(self.effort)
        self._has_drives = False

    def connect(self, batch: Batch, actuators: np.ndarray, properties: np.ndarray) -> None:
        """Attach to the compiled worlds.

        Args:
            actuators: the DOFs' actuators, (dofs,).
            properties: DofProperties, (envs, dofs).
        """
        self._ctrl, self._columns = batch.view("ctrl"), columns(actuators, batch.device)
        self.set_gains(properties)

    def set_gains(self, properties: np.ndarray) -> None:
        """Take over the gains that the drive modes of `properties` let count."""
        mode, stiffness = properties["driveMode"], properties["stiffness"]
        position = np.where(mode == int(DOF_MODE_POS), stiffness, 0.0)
        # In POS mode the drive aims at rest; only VEL mode follows a velocity target.
        velocity = np.where(mode == int(DOF_MODE_VEL), properties["damping"], 0.0)
        self._position_gain.copy_(torch.as_tensor(position))
        self._velocity_gain.copy_(torch.as_tensor(velocity))
        self._has_drives = bool(position.any() or velocity.any())

    def apply(self) -> None:
        """Hand this frame's efforts and targets to the actuators; efforts are zero again then."""
        control = self.effort
        if self._has_drives:
            control = control.addcmul(self._position_gain, self.position_target)
            control.addcmul_(self._velocity_gain, self.velocity_target)
        self._ctrl[:, self._columns] = control
        self.effort.zero_()
