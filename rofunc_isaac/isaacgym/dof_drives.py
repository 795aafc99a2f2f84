"""What a DOF's properties mean to MuJoCo.

Each DOF gets one actuator. In the modes NONE and EFFORT it passes the effort on, and stiffness
and damping act as the joint's own spring (towards zero) and damper, which MuJoCo's Euler
integrator treats implicitly. In the modes POS and VEL it is the drive of Isaac Gym,

    force = stiffness (target - position) + damping (target velocity - velocity), up to `effort`,

whose position and velocity are those of the step's end, as PhysX's implicit drive has it. With
the position one step on, position + step * velocity, the force is one of a larger damping,

    damping + lead * step * stiffness,    lead = 1.

PhysX's solver TGS goes through a step in four parts (`num_position_iterations`), each of them
implicit, so that less of that damping is left where it matters: for drives that take many steps to
their target. `lead` is then 0.4, which comes closest to what four parts do to the drives of
robots, and grows to 1 for stiff drives, whose steps would be unstable with less.

That velocity, too, is the one at the step's end, in one of two ways:

- Drives without a limit of effort add step * damping to the inertia of their joint
  (`in_armature`), which is the same equation and holds for the contacts and constraints of the
  step as well.
- A drive that reaches its limit would keep that inertia, and so be slow. Where an effort is
  limited, MuJoCo's integrator `implicitfast` does it instead. Its constraints know nothing of the
  drive, and the limit cuts what the force would be without the step's own motion: a stiff drive of
  a light joint would swing from limit to limit. In a model that has such a drive (`is_violent`),
  drives are in the armature all the same, and as slow as that inertia makes them at their limits.
"""

from __future__ import annotations

from typing import Dict

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import DOF_MODE_POS, DOF_MODE_VEL
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED
from rofunc_isaac.isaacgym.conventions import conventions

JOINT_FIELDS = ("jnt_stiffness", "jnt_range", "jnt_limited")
DOF_FIELDS = ("dof_damping", "dof_armature", "dof_frictionloss")
ACTUATOR_FIELDS = ("actuator_biasprm", "actuator_forcerange", "actuator_forcelimited")

BIAS_SIZE = mujoco.mjNBIAS
"""Numbers of `actuator_biasprm`; an affine bias uses the first three."""

VIOLENT = 1.0
"""rad/s or m/s."""

SOFT_LEAD = 0.4


def is_driven(properties: np.ndarray) -> np.ndarray:
    """bool, the shape of `properties`: where a position or velocity target counts."""
    mode = properties["driveMode"]
    return (mode == int(DOF_MODE_POS)) | (mode == int(DOF_MODE_VEL))


def is_passive(properties: np.ndarray) -> np.ndarray:
    """bool, the shape of `properties`: where stiffness and damping are the joint's own."""
    if conventions().passive_joints == "none":
        return np.zeros(properties.shape, dtype=bool)
    return ~is_driven(properties)


def is_limited(properties: np.ndarray) -> np.ndarray:
    """bool, the shape of `properties`: where a drive's effort has a limit."""
    effort = properties["effort"]
    return is_driven(properties) & (effort > 0.0) & (effort < UNLIMITED)


def is_violent(properties: np.ndarray, joint_inertia: np.ndarray, timestep: float) -> np.ndarray:
    """bool, the shape of `properties`: limited drives that are not stable without armature.

    One step at the limit changes the velocity by more than `VIOLENT`, and the drive is so stiff
    that it takes the limit for errors that it could undo within the step.

    Args:
        joint_inertia: kg m^2 or kg, (dofs,).
    """
    change = timestep * properties["effort"] / joint_inertia
    damping = drive_damping(properties, joint_inertia, timestep)
    is_stiff = timestep * damping > joint_inertia
    return is_limited(properties) & is_stiff & (change > VIOLENT)


def drive_damping(properties: np.ndarray, joint_inertia: np.ndarray, timestep: float) -> np.ndarray:
    """The damping of drives whose position is the one at the step's end, or before it by `lead`."""
    position_driven = properties["driveMode"] == int(DOF_MODE_POS)
    stiffness = np.where(position_driven, properties["stiffness"], 0.0)
    # Without a lead, a step is unstable beyond 4.
    ratio = timestep**2 * stiffness / joint_inertia
    lead = SOFT_LEAD + (1.0 - SOFT_LEAD) * ratio / (ratio + 4.0)
    return properties["damping"] + lead * timestep * stiffness


def model_fields(
    properties: np.ndarray, joint_inertia: np.ndarray, timestep: float, in_armature: bool
) -> Dict[str, np.ndarray]:
    """The MuJoCo model fields of DOFs with the given DofProperties.

    Args:
        properties: structured array (..., dofs).
        joint_inertia: kg m^2 or kg, (dofs,), without drives.
        timestep: of one physics step, s.
        in_armature: whether drives are implicit through the inertia of their joint.

    Returns:
        By field name, arrays (..., dofs) or (..., dofs, size): joint fields, DOF fields and
        actuator fields, for the joint, DOF and actuator that belong to each.
    """
    driven = is_driven(properties)
    position_driven = properties["driveMode"] == int(DOF_MODE_POS)
    stiffness, damping = properties["stiffness"], properties["damping"]
    bias = np.zeros((*properties.shape, BIAS_SIZE))
    bias[..., 1] = np.where(position_driven, -stiffness, 0.0)
    velocity_gain = drive_damping(properties, joint_inertia, timestep)
    bias[..., 2] = np.where(driven, -velocity_gain, 0.0)
    implicit = np.where(driven & in_armature, timestep * velocity_gain, 0.0)
    passive = is_passive(properties)
    # Isaac Gym accepts ranges the wrong way round; MuJoCo does not.
    lower = np.minimum(properties["lower"], properties["upper"])
    upper = np.maximum(properties["lower"], properties["upper"])
    effort = properties["effort"]
    return {
        "jnt_stiffness": np.where(passive, stiffness, 0.0),
        "jnt_range": np.stack([lower, upper], axis=-1),
        "jnt_limited": properties["hasLimits"].astype(bool),
        "dof_damping": np.where(passive, damping, 0.0),
        "dof_armature": properties["armature"] + implicit,
        "dof_frictionloss": properties["friction"],
        "actuator_biasprm": bias,
        "actuator_forcerange": np.stack([-effort, effort], axis=-1),
        "actuator_forcelimited": is_limited(properties),
    }
