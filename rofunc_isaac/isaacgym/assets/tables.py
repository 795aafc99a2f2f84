"""From a finished spec to the tables of an `Asset`: bodies, joints, DOFs, shapes, tendons."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import (
    DOF_MODE_EFFORT,
    DOF_MODE_POS,
    DOF_MODE_VEL,
    DOF_ROTATION,
    DOF_TRANSLATION,
    JOINT_FIXED,
    JOINT_PRISMATIC,
    JOINT_REVOLUTE,
    RIGID_BODY_DISABLE_GRAVITY,
    TENDON_FIXED,
    TENDON_SPATIAL,
    JointType,
)
from rofunc_isaac.isaacgym._math import Mat33, Vec3
from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym._properties import (
    DOF_PROPERTIES,
    RigidBodyProperties,
    RigidShapeProperties,
    TendonProperties,
)
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED, Actuator, Asset, Tendon
from rofunc_isaac.isaacgym.assets.inertia import of_model_body

_DRIVE_OF_TYPE = {
    "motor": DOF_MODE_EFFORT,
    "position": DOF_MODE_POS,
    "velocity": DOF_MODE_VEL,
}


def describe(
    name: str,
    spec: mujoco.MjSpec,
    options: AssetOptions,
    actuators: Sequence[Actuator] = (),
    fixed_joints: Optional[Mapping[str, str]] = None,
    effort: Optional[Mapping[str, float]] = None,
    velocity: Optional[Mapping[str, float]] = None,
) -> Asset:
    """Build the `Asset` of a finished spec.

    Args:
        name: the robot's name.
        spec: satisfies what `Asset.spec` promises.
        options: the `AssetOptions`.
        actuators: the file's actuators.
        fixed_joints: body name -> name of the fixed joint that holds it; bodies without an entry
            lend their own name to that joint.
        effort, velocity: joint name -> limit, for the joints whose file states one.
    """
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    joints = [model.joint(i) for i in range(model.njnt)]
    joint_names: List[str] = []
    joint_types: List[JointType] = []
    for body in range(2, model.nbody):
        if model.body_jntnum[body] == 0:
            body_name = model.body(body).name
            joint_names.append((fixed_joints or {}).get(body_name, body_name))
            joint_types.append(JOINT_FIXED)
        for k in range(model.body_jntnum[body]):
            joint = model.body_jntadr[body] + k
            joint_names.append(joints[joint].name)
            hinge = model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_HINGE)
            joint_types.append(JOINT_REVOLUTE if hinge else JOINT_PRISMATIC)

    shapes = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
    hinges = [t == int(mujoco.mjtJoint.mjJNT_HINGE) for t in model.jnt_type]
    return Asset(
        name=name,
        spec=spec,
        options=options,
        floating=not options.fix_base_link,
        body_names=[model.body(b).name for b in range(1, model.nbody)],
        body_parent=model.body_parentid[1:].astype(np.int32) - 1,
        body_pos=data.xpos[1:].copy(),
        body_quat=data.xquat[1:].copy(),
        body_properties=[_body_properties(model, b, options) for b in range(1, model.nbody)],
        joint_names=joint_names,
        joint_types=joint_types,
        dof_names=[joint.name for joint in joints],
        dof_types=[DOF_ROTATION if hinge else DOF_TRANSLATION for hinge in hinges],
        dof_properties=_dof_properties(model, options, actuators, effort or {}, velocity or {}),
        shape_names=[model.geom(g).name for g in shapes],
        shape_body=model.geom_bodyid[shapes].astype(np.int32) - 1,
        shape_properties=[_shape_properties(model, g, options) for g in shapes],
        actuators=list(actuators),
        tendons=[_tendon(model, t, options) for t in range(model.ntendon)],
    )


def _dof_properties(
    model: mujoco.MjModel,
    options: AssetOptions,
    actuators: Sequence[Actuator],
    effort: Mapping[str, float],
    velocity: Mapping[str, float],
) -> np.ndarray:
    """The DOF table. A DOF's only actuator decides its drive; else `default_dof_drive_mode`
    does."""
    by_joint: Dict[str, List[Actuator]] = {}
    for actuator in actuators:
        by_joint.setdefault(actuator.joint, []).append(actuator)

    table = np.zeros(model.njnt, DOF_PROPERTIES)
    for i in range(model.njnt):
        name, row = model.joint(i).name, table[i]
        dof = model.jnt_dofadr[i]
        row["hasLimits"] = model.jnt_limited[i]
        row["lower"], row["upper"] = (
            model.jnt_range[i] if model.jnt_limited[i] else (-UNLIMITED, UNLIMITED)
        )
        row["driveMode"] = int(options.default_dof_drive_mode)
        row["velocity"] = velocity.get(name, UNLIMITED)
        row["effort"] = effort.get(name, UNLIMITED)
        row["stiffness"] = model.jnt_stiffness[i]
        row["damping"] = model.dof_damping[dof]
        row["friction"] = model.dof_frictionloss[dof]
        row["armature"] = model.dof_armature[dof]

        drives = by_joint.get(name, [])
        if len(drives) == 1:
            drive = drives[0].properties
            row["driveMode"] = int(_DRIVE_OF_TYPE.get(drive.type, DOF_MODE_EFFORT))
            if drive.force_limited:
                row["effort"] = max(abs(drive.lower_force_limit), abs(drive.upper_force_limit))
            if drive.type == "position":
                row["stiffness"] = drive.kp
            row["damping"] += drive.kv
    return table


def _body_properties(
    model: mujoco.MjModel, body: int, options: AssetOptions
) -> RigidBodyProperties:
    inertial = of_model_body(model, body)
    properties = RigidBodyProperties()
    properties.mass = inertial.mass
    properties.com = Vec3(*inertial.com)
    properties.inertia = mat33(inertial.inertia)
    if inertial.mass > 0.0:
        properties.invMass = 1.0 / inertial.mass
        properties.invInertia = mat33(np.linalg.inv(inertial.inertia))
    if options.disable_gravity:
        properties.flags = RIGID_BODY_DISABLE_GRAVITY
    return properties


def mat33(matrix: np.ndarray) -> Mat33:
    """A (3, 3) array as the interface's record."""
    record = Mat33()
    record.x, record.y, record.z = (Vec3(*row) for row in matrix)
    return record


def _shape_properties(
    model: mujoco.MjModel, geom: int, options: AssetOptions
) -> RigidShapeProperties:
    """The friction is MuJoCo's sliding, torsional and rolling one.

    `filter` is 0: which shapes collide is in the spec (contype, conaffinity, excludes).
    """
    shape = RigidShapeProperties()
    shape.friction, shape.torsion_friction, shape.rolling_friction = model.geom_friction[geom]
    shape.thickness = options.thickness
    return shape


def _tendon(model: mujoco.MjModel, tendon: int, options: AssetOptions) -> Tendon:
    start = model.tendon_adr[tendon]
    wraps = range(start, start + model.tendon_num[tendon])
    fixed = model.wrap_type[start] == int(mujoco.mjtWrap.mjWRAP_JOINT)
    limited = bool(model.tendon_limited[tendon])
    properties = TendonProperties()
    properties.type = TENDON_FIXED if fixed else TENDON_SPATIAL
    properties.num_joints = len(wraps) if fixed else 0
    properties.num_attachments = 0 if fixed else len(wraps)
    properties.is_fixed_limited = fixed and limited
    properties.fixed_lower_limit, properties.fixed_upper_limit = (
        model.tendon_range[tendon] if limited else (-UNLIMITED, UNLIMITED)
    )
    properties.fixed_spring_rest_length = model.tendon_lengthspring[tendon, 0]
    properties.stiffness = model.tendon_stiffness[tendon]
    properties.damping = model.tendon_damping[tendon]
    properties.limit_stiffness = options.tendon_limit_stiffness
    return Tendon(
        name=model.tendon(tendon).name,
        joints=[model.joint(model.wrap_objid[w]).name for w in wraps] if fixed else [],
        coefs=[float(model.wrap_prm[w]) for w in wraps] if fixed else [],
        properties=properties,
    )


def matrix_of(record: Mat33) -> np.ndarray:
    """The interface's record as an array (3, 3)."""
    return np.array([[row.x, row.y, row.z] for row in (record.x, record.y, record.z)])
