"""Properties and states of the parts of an actor, as getters return them.

Per-DOF properties and all states are NumPy structured arrays; their layouts are below.
Properties of bodies, shapes, tendons, actuators and force sensors are records, a list of them for
each actor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rofunc_isaac.isaacgym._constants import RIGID_BODY_NONE, TENDON_FIXED
from rofunc_isaac.isaacgym._math import Mat33, Transform, Vec2, Vec3, Velocity
from rofunc_isaac.isaacgym._record import (
    Record,
    bool_field,
    enum_field,
    float_field,
    int_field,
    record_field,
    str_field,
)

__all__ = [
    "ActuatorProperties",
    "DofFrame",
    "DofState",
    "ForceSensorProperties",
    "IndexRange",
    "RigidBodyProperties",
    "RigidBodyState",
    "RigidContact",
    "RigidShapeProperties",
    "TendonProperties",
]

# The layout of get_*_dof_properties: 40 bytes, every number aligned to 4. Units: rad or m, rad/s or
# m/s, N m or N; driveMode is a DofDriveMode; lower and upper hold only where hasLimits is set.
DOF_PROPERTIES = np.dtype(
    [
        ("hasLimits", "?"),
        ("lower", "<f4"),
        ("upper", "<f4"),
        ("driveMode", "<i4"),
        ("velocity", "<f4"),
        ("effort", "<f4"),
        ("stiffness", "<f4"),
        ("damping", "<f4"),
        ("friction", "<f4"),
        ("armature", "<f4"),
    ],
    align=True,
)


class DofState(Record):
    """Position (rad or m) and velocity (rad/s or m/s) of a DOF."""

    dtype = np.dtype([("pos", "<f4"), ("vel", "<f4")])
    pos = float_field()
    vel = float_field()


class DofFrame(Record):
    """Origin and axis of a DOF, in the frame of its env."""

    dtype = np.dtype([("origin", Vec3.dtype), ("axis", Vec3.dtype)])
    origin = record_field(Vec3)
    axis = record_field(Vec3)

    def __init__(self, origin: Any = None, axis: Any = None) -> None:
        self.origin = Vec3() if origin is None else origin
        self.axis = Vec3() if axis is None else axis


class RigidBodyState(Record):
    """Pose and velocity of a body: 13 floats in all."""

    dtype = np.dtype([("pose", Transform.dtype), ("vel", Velocity.dtype)])
    pose = record_field(Transform)
    vel = record_field(Velocity)


# The layout of get_*_rigid_contacts.
RIGID_CONTACT = np.dtype(
    [
        ("env0", "<i4"),
        ("env1", "<i4"),
        ("body0", "<i4"),
        ("body1", "<i4"),
        ("localPos0", Vec3.dtype),
        ("localPos1", Vec3.dtype),
        ("minDist", "<f4"),
        ("initialOverlap", "<f4"),
        ("normal", Vec3.dtype),
        ("offset0", Vec3.dtype),
        ("offset1", Vec3.dtype),
        ("lambda", "<f4"),
        ("lambdaFriction", Vec2.dtype),
        ("friction", "<f4"),
        ("torsionFriction", "<f4"),
        ("rollingFriction", "<f4"),
    ]
)


class RigidContact(Record):
    """One contact: an element of the arrays that calls give, whose fields are `RIGID_CONTACT`'s.

    ``lambda_`` is also there under its own name, which is a word of Python: the normal force, N;
    ``lambda_friction`` are those along two tangents. Positions are in the bodies' frames, in m; the
    normal, from ``body0`` to ``body1``, is in the world's. The ground is body and env -1.
    """

    body0 = int_field()
    body1 = int_field()
    env0 = int_field()
    env1 = int_field()
    friction = float_field()
    initial_overlap = float_field()
    lambda_ = float_field()
    lambda_friction = record_field(Vec2)
    local_pos0 = record_field(Vec3)
    local_pos1 = record_field(Vec3)
    min_dist = float_field()
    normal = record_field(Vec3)
    offset0 = record_field(Vec3)
    offset1 = record_field(Vec3)
    rolling_friction = float_field()
    torsion_friction = float_field()


setattr(RigidContact, "lambda", property(lambda self: self.lambda_))


class RigidBodyProperties(Record):
    """Mass (kg), its centre in the body's frame (m), inertia about the centre (kg m^2).

    ``invMass`` and ``invInertia`` don't follow ``mass`` and ``inertia`` by themselves.
    ``flags`` are bits of RIGID_BODY_*.
    """

    com = record_field(Vec3)
    flags = int_field(RIGID_BODY_NONE)
    inertia = record_field(Mat33)
    invInertia = record_field(Mat33)
    invMass = float_field()
    mass = float_field()


class RigidShapeProperties(Record):
    """Surface of a collision shape. Two shapes collide only if their ``filter`` bits are disjoint.

    Defaults: zero as IsaacGymEnvs' Factory tasks note, friction 1 as the ground plane's;
    offsets (m) as in ``PhysXParams``.
    """

    compliance = float_field()
    contact_offset = float_field(0.02)
    filter = int_field()
    friction = float_field(1.0)
    rest_offset = float_field(0.001)
    restitution = float_field()
    rolling_friction = float_field()
    thickness = float_field()
    torsion_friction = float_field()


class TendonProperties(Record):
    """A tendon. ``type``, ``num_joints`` and ``num_attachments`` describe it: setting them on an
    actor has no effect."""

    damping = float_field()
    fixed_lower_limit = float_field()
    fixed_spring_rest_length = float_field()
    fixed_upper_limit = float_field()
    is_fixed_limited = bool_field()
    limit_stiffness = float_field()
    num_attachments = int_field()
    num_joints = int_field()
    stiffness = float_field()
    type = enum_field(TENDON_FIXED)


class ActuatorProperties(Record):
    """An MJCF actuator. ``type`` is its element's name, such as "motor" or "position";
    ``motor_effort`` is a motor's gear (N m or N a unit of control)."""

    control_limited = bool_field()
    force_limited = bool_field()
    kp = float_field()
    kv = float_field()
    lower_control_limit = float_field()
    lower_force_limit = float_field()
    motor_effort = float_field()
    type = str_field()
    upper_control_limit = float_field()
    upper_force_limit = float_field()


class ForceSensorProperties(Record):
    """Which forces a sensor adds up, and in which frame it reports them (its own by default)."""

    enable_constraint_solver_forces = bool_field(True)
    enable_forward_dynamics_forces = bool_field(True)
    use_world_frame = bool_field(False)


class IndexRange(Record):
    """A slice of a buffer: its first index and its length."""

    count = int_field()
    start = int_field()
