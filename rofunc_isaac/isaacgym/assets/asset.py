"""What a loaded robot file is: its MuJoCo description and the tables that the Gym API shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

import mujoco
import numpy as np

from rofunc_isaac.errors import UserError
from rofunc_isaac.isaacgym._constants import DofType, JointType
from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym._properties import (
    ActuatorProperties,
    RigidBodyProperties,
    RigidShapeProperties,
    TendonProperties,
)

UNLIMITED = float(np.finfo(np.float32).max)
"""Stands for "no limit" in the DOF table (effort, velocity, and lower/upper without limits),
because every field is a float32 and users compare and clip with them. Units: N m or N, rad/s or
m/s, rad or m.
"""


class AssetError(UserError):
    """A robot file that cannot be loaded. The text names the file, the element, and the mend."""


class AssetWarning(UserWarning):
    """A robot file was loaded, but a part of it was repaired or left out."""


@dataclass
class Actuator:
    """One element of the MJCF `<actuator>` section.

    `joint` is empty when it drives a tendon, site or body. In `properties`, `type` is the element's
    name; a `general` element becomes the `motor`, `position` or `velocity` that its bias terms make
    it. `motor_effort` is `gear[0]` of a motor and the upper force limit of other kinds. Limits that
    the file does not set are -`UNLIMITED` and `UNLIMITED`.
    """

    name: str
    joint: str
    properties: ActuatorProperties


@dataclass
class Tendon:
    """One tendon of an MJCF. `joints` and `coefs` are empty for a spatial tendon.

    Lengths in `properties` are in m, or in the unit of the joints that a fixed tendon sums (rad for
    hinges). Limits that the file does not set are -`UNLIMITED` and `UNLIMITED`.
    """

    name: str
    joints: List[str]
    coefs: List[float]
    properties: TendonProperties


@dataclass
class Asset:
    """A robot as `load_asset` returns it. Nothing in it knows of actors or environments.

    Attributes:
        name: the model's name in the file, or the file's stem.
        spec: MuJoCo description that compiles by itself. Exactly one body (the root,
            `body_names[0]`) hangs below the world, at the origin, and has no joint and no mocap
            flag: whoever attaches it adds a free joint when `floating`. Only hinge and slide joints
            remain, every body, joint and geom has a unique name, and every body states its mass and
            inertia explicitly. To attach it more than once, set `copy_during_attach = True` on the
            receiving spec.
        options: the `AssetOptions` that it was loaded with.
        floating: whether the root moves freely. Only `options.fix_base_link` decides, whether or
            not the file has a free joint.
        body_names: Isaac Gym's order, which is MuJoCo's too: depth first, the root at index 0.
        body_parent: int32 (bodies,), index of the parent body, -1 for the root.
        body_pos, body_quat: poses of the bodies' frames in the root's with every DOF at zero,
            (bodies, 3) in m and (bodies, 4) wxyz.
        body_properties: one record a body; inertias are about the centre of mass, along the axes
            of the body's frame.
        joint_names, joint_types: all joints in body order, fixed ones included. The type is
            `JOINT_FIXED`, `JOINT_REVOLUTE` or `JOINT_PRISMATIC`.
        dof_names, dof_types: the hinge and slide joints, in the same order. The type is
            `DOF_ROTATION` or `DOF_TRANSLATION`.
        dof_properties: structured array (dofs,) of dtype `DOF_PROPERTIES`, in rad, m, N m, N, s.
            Stiffness and damping hold the file's passive spring and damper, or the gains of the
            DOF's servo; the spec's joints keep their passive values, so use one of the two, not
            both.
        shape_names: the collision geoms, in body order.
        shape_body: int32 (shapes,), the index of each shape's body.
        shape_properties: one record a shape.
        actuators: in the order of the MJCF `<actuator>` section; empty for URDF.
        tendons: in document order.
    """

    name: str
    spec: mujoco.MjSpec
    options: AssetOptions
    floating: bool
    body_names: List[str]
    body_parent: np.ndarray
    body_pos: np.ndarray
    body_quat: np.ndarray
    body_properties: List[RigidBodyProperties]
    joint_names: List[str]
    joint_types: List[JointType]
    dof_names: List[str]
    dof_types: List[DofType]
    dof_properties: np.ndarray
    shape_names: List[str]
    shape_body: np.ndarray
    shape_properties: List[RigidShapeProperties]
    actuators: List[Actuator]
    tendons: List[Tendon]
