"""What the DOFs' actuators are told: efforts for one frame, targets until they change.

A drive whose DOF has a largest velocity u aims no farther than makes it move with u. Stiffness K
and damping D, implicit with a step h, move it with K e / (D + h K) when the target is e away. Over
a frame of T, e = u (D / K + T) makes that u: nearly, if D / K is about as long as the frame.
"""

from __future__ import annotations

from typing import Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import DOF_MODE_POS, DOF_MODE_VEL
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED
from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.isaacgym.model_map import ModelMap
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
        self._aim, self._speed = torch.zeros_like(self.effort), torch.zeros_like(self.effort)
        # How far and how fast drives may aim, each (2, envs, dofs): backwards and forwards.
        self._reach = torch.zeros(2, num_envs, num_dofs, device=device)
        self._fastest = torch.zeros_like(self._reach)
        self._has_limits = False

    def connect(self, batch: Batch, model_map: ModelMap, dt: float) -> None:
        """Attach to the compiled worlds, whose frames last `dt` seconds."""
        self._ctrl = batch.view("ctrl")
        self._columns = columns(model_map.dof_actuator, batch.device)
        self._qpos = batch.view("qpos")
        self._qpos_columns = columns(model_map.dof_qpos, batch.device)
        self._dt = dt

    def set_properties(self, properties: np.ndarray) -> None:
        """Take over the gains and limits of `properties`, DofProperties (envs, dofs).

        Its drive modes say which count.
        """
        mode, stiffness = properties["driveMode"], properties["stiffness"]
        position = np.where(mode == int(DOF_MODE_POS), stiffness, 0.0)
        # In POS mode the drive aims at rest; only VEL mode follows a velocity target.
        velocity = np.where(mode == int(DOF_MODE_VEL), properties["damping"], 0.0)
        self._position_gain.copy_(torch.as_tensor(position))
        self._velocity_gain.copy_(torch.as_tensor(velocity))
        self._has_drives = bool(position.any() or velocity.any())
        reach, fastest = drive_limits(properties, position, self._dt)
        self._reach.copy_(torch.as_tensor(np.stack([-reach, reach])))
        self._fastest.copy_(torch.as_tensor(np.stack([-fastest, fastest])))
        has_limit = np.where(position > 0.0, reach < np.inf, (velocity > 0.0) & (fastest < np.inf))
        self._has_limits = bool(has_limit.any())

    def apply(self) -> None:
        """Hand this frame's efforts and targets to the actuators; efforts are zero again then."""
        control = self.effort
        if self._has_drives:
            position, velocity = self.position_target, self.velocity_target
            if self._has_limits:
                position, velocity = self._limited_targets()
            control = control.addcmul(self._position_gain, position)
            control.addcmul_(self._velocity_gain, velocity)
        self._ctrl[:, self._columns] = control
        self.effort.zero_()

    def _limited_targets(self) -> Tuple[torch.Tensor, torch.Tensor]:
        now = self._qpos[:, self._qpos_columns]
        torch.sub(self.position_target, now, out=self._aim)
        torch.clamp(self._aim, *self._reach, out=self._aim).add_(now)
        torch.clamp(self.velocity_target, *self._fastest, out=self._speed)
        return self._aim, self._speed


def drive_limits(
    properties: np.ndarray, stiffness: np.ndarray, dt: float
) -> Tuple[np.ndarray, np.ndarray]:
    """How far off a drive's target may be, and how fast, in frames of `dt`; inf where no limit is.

    A `velocity` of 0 is no limit, as URDF files mean it.
    """
    velocity = properties["velocity"]
    limited = (velocity > 0.0) & (velocity < UNLIMITED)
    fastest = np.where(limited, velocity, np.inf)
    lag = properties["damping"] / np.maximum(stiffness, 1e-6) + dt
    return fastest * lag, fastest
