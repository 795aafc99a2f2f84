"""What a DOF's properties mean to MuJoCo.

Each DOF gets one actuator. In the modes NONE and EFFORT it passes the effort on, and stiffness
and damping act as the joint's own spring (towards zero) and damper, which MuJoCo's Euler
integrator treats implicitly. In the modes POS and VEL it is the drive of Isaac Gym,

    force = stiffness (target - position) + damping (target velocity - velocity), up to `effort`,

whose position and velocity are those of the step's end, as PhysX's implicit drive has it. With
MuJoCo's integrator `implicitfast`, which treats velocities alone implicitly, the same follows from
position + step * velocity in place of the position: a damping larger by step * stiffness.
"""

from __future__ import annotations

from typing import Dict

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import DOF_MODE_POS, DOF_MODE_VEL
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED

JOINT_FIELDS = ("jnt_stiffness", "jnt_range", "jnt_limited")
DOF_FIELDS = ("dof_damping", "dof_armature", "dof_frictionloss")
ACTUATOR_FIELDS = ("actuator_biasprm", "actuator_forcerange", "actuator_forcelimited")

BIAS_SIZE = mujoco.mjNBIAS
"""Numbers of `actuator_biasprm`; an affine bias uses the first three."""


def is_driven(properties: np.ndarray) -> np.ndarray:
    """bool, the shape of `properties`: where a position or velocity target counts."""
    mode = properties["driveMode"]
    return (mode == int(DOF_MODE_POS)) | (mode == int(DOF_MODE_VEL))


def model_fields(properties: np.ndarray, timestep: float) -> Dict[str, np.ndarray]:
    """The MuJoCo model fields of DOFs with the given DofProperties.

    Args:
        properties: structured array (..., dofs).
        timestep: of one physics step, s.

    Returns:
        By field name, arrays (..., dofs) or (..., dofs, size): joint fields, DOF fields and
        actuator fields, for the joint, DOF and actuator that belong to each.
    """
    driven = is_driven(properties)
    position_driven = properties["driveMode"] == int(DOF_MODE_POS)
    stiffness, damping = properties["stiffness"], properties["damping"]
    bias = np.zeros((*properties.shape, BIAS_SIZE))
    bias[..., 1] = np.where(position_driven, -stiffness, 0.0)
    drive_damping = damping + np.where(position_driven, timestep * stiffness, 0.0)
    bias[..., 2] = np.where(driven, -drive_damping, 0.0)
    # Isaac Gym accepts ranges the wrong way round; MuJoCo does not.
    lower = np.minimum(properties["lower"], properties["upper"])
    upper = np.maximum(properties["lower"], properties["upper"])
    effort = properties["effort"]
    return {
        "jnt_stiffness": np.where(driven, 0.0, stiffness),
        "jnt_range": np.stack([lower, upper], axis=-1),
        "jnt_limited": properties["hasLimits"].astype(bool),
        "dof_damping": np.where(driven, 0.0, damping),
        "dof_armature": properties["armature"],
        "dof_frictionloss": properties["friction"],
        "actuator_biasprm": bias,
        "actuator_forcerange": np.stack([-effort, effort], axis=-1),
        "actuator_forcelimited": driven & (effort > 0.0) & (effort < UNLIMITED),
    }
