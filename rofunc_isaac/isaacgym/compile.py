"""From a scene to one MuJoCo model."""

from __future__ import annotations

import warnings
from typing import List, Optional, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._params import PlaneParams, SimParams
from rofunc_isaac.isaacgym.actor import Actor
from rofunc_isaac.isaacgym.attractors import add_attractors
from rofunc_isaac.isaacgym.collision import GROUND_BITS, collision_bits
from rofunc_isaac.isaacgym.contact_forces import add_contact_sensors
from rofunc_isaac.isaacgym.contact_weights import mend_weights
from rofunc_isaac.isaacgym.conventions import conventions
from rofunc_isaac.isaacgym.dof_drives import is_limited, is_violent, model_fields
from rofunc_isaac.isaacgym.errors import GymWarning
from rofunc_isaac.isaacgym.joint_limits import LIMIT_SOLIMP, limit_solref
from rofunc_isaac.isaacgym.layouts import varied_positions
from rofunc_isaac.isaacgym.link_damping import link_damping
from rofunc_isaac.isaacgym.looks import add_textures
from rofunc_isaac.isaacgym.model_map import ModelMap, body_names, field_rows, map_model, to_wxyz
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.isaacgym.tendon_length import write_coefficients
from rofunc_isaac.isaacgym.tendons import model_fields as tendon_fields
from rofunc_isaac.isaacgym.terrain import add_terrain


def compile_scene(scene: Scene) -> ModelMap:
    """One model for the environments of a scene that `layouts.split` leaves together."""
    env = scene.prototype()
    varied = varied_positions(scene)
    spec = mujoco.MjSpec()
    spec.copy_during_attach = True
    set_options(spec, scene.params)
    scene.solver.write(spec.option)
    if scene.ground is not None:
        add_ground(spec, scene.ground)
    add_textures(spec, scene.textures)
    for index, terrain in enumerate(scene.terrains):
        add_terrain(spec, index, terrain)
    friction = scene.ground_friction()
    classes = [(actor.group, filter) for actor in env.actors for filter in actor.shape_filters()]
    bits = collision_bits(classes)
    for position, actor in enumerate(env.actors):
        taken, bits = bits[: len(actor.shape_properties)], bits[len(actor.shape_properties) :]
        movable = position in varied or any(e.actors[position].has_own_bodies for e in scene.envs)
        add_actor(spec, position, actor, taken, friction, movable)
    add_attractors(spec, env, body_names(env))
    if scene.reports_contacts:
        for position, actor in enumerate(env.actors):
            add_contact_sensors(spec, f"{position}/", actor.asset.description)

    if varied or any(actor.shape_scale != 1.0 for env in scene.envs for actor in env.actors):
        # Its trees of bounding boxes are those of the prototype's shapes.
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    properties = dof_properties(scene)
    model = spec.compile()
    model_map = map_model(model, env)
    lengths = [length for actor in env.actors for length in actor.tendon_lengths]
    write_coefficients(model, model_map.tendons, lengths)
    violent = is_violent(properties, model_map.joint_inertia, model.opt.timestep)
    if is_limited(properties).any() and not violent.any():
        model_map.drives_in_armature = False
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    write_dof_properties(model_map, properties[0])
    model.jnt_solref[model_map.dof_joint] = limit_solref(model.opt.timestep)
    model.jnt_solimp[model_map.dof_joint] = LIMIT_SOLIMP
    write_tendon_properties(model_map, scene)
    model.dof_damping += link_damping(model, env, model_map.bodies)
    mend_weights(model)
    return model_map


def warn_of_restitution(scene: Scene) -> None:
    shapes = [shape for actor in scene.envs[0].actors for shape in actor.shape_properties]
    if any(shape.restitution > 0.0 for shape in shapes):
        warnings.warn(
            "a shape's restitution is not 0, but MuJoCo's contacts do not bounce: it is ignored",
            GymWarning,
            stacklevel=2,
        )


def dof_properties(scene: Scene) -> np.ndarray:
    """DofProperties of every environment, (envs, dofs)."""
    return np.stack(
        [np.concatenate([actor.dof_properties for actor in env.actors]) for env in scene.envs]
    )


def set_options(spec: mujoco.MjSpec, params: SimParams) -> None:
    spec.option.timestep = params.dt / params.substeps
    if conventions().friction_cone == "elliptic":
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [params.gravity.x, params.gravity.y, params.gravity.z]


def add_ground(spec: mujoco.MjSpec, plane: PlaneParams) -> None:
    """Isaac Gym's ground: points p with normal . p + distance = 0."""
    normal = np.array([plane.normal.x, plane.normal.y, plane.normal.z], dtype=float)
    normal /= np.linalg.norm(normal)
    quat = np.zeros(4)
    mujoco.mju_quatZ2Vec(quat, normal)
    contype, conaffinity = GROUND_BITS
    spec.worldbody.add_geom(
        name="ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 1],
        pos=-plane.distance * normal,
        quat=quat,
        friction=[plane.dynamic_friction, 0.005, 0.0001],
        contype=contype,
        conaffinity=conaffinity,
    )


def add_actor(
    spec: mujoco.MjSpec,
    position: int,
    actor: Actor,
    bits: List[Tuple[int, int]],
    ground_friction: Optional[float],
    movable_inertia: bool,
) -> None:
    """Attach the actor's asset under the prefix `position/`, with actuators and sensors."""
    prefix = f"{position}/"
    asset = actor.asset.description
    pose = actor.pose
    frame = spec.worldbody.add_frame(pos=[pose.p.x, pose.p.y, pose.p.z], quat=to_wxyz(pose.r))
    root = frame.attach_body(asset.spec.body(asset.body_names[0]), prefix, "")
    # The pose given at creation replaces the root's own.
    root.pos, root.quat = [0, 0, 0], [1, 0, 0, 0]
    if movable_inertia:
        for name in asset.body_names:
            # MuJoCo takes short cuts where a body's inertial frame is its own, and then it has to
            # stay that.
            spec.body(prefix + name).simple = False
    if asset.floating:
        root.add_freejoint(name=f"{prefix}free")
    else:
        root.mocap = True
    for name, shape, (contype, conaffinity) in zip(asset.shape_names, actor.shape_properties, bits):
        geom = spec.geom(prefix + name)
        geom.contype, geom.conaffinity = contype, conaffinity
        geom.condim = 3  # PhysX knows friction along the surface alone
        geom.priority = 0 if ground_friction is None else 1
        geom.friction = [surface_friction(shape.friction, ground_friction), *geom.friction[1:]]
    for dof in asset.dof_names:
        actuator = spec.add_actuator(
            name=prefix + dof, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=prefix + dof
        )
        actuator.gaintype = mujoco.mjtGain.mjGAIN_FIXED
        actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    for index, sensor in enumerate(actor.force_sensors):
        add_force_sensor(spec, prefix, index, asset.body_names[sensor.body])


def surface_friction(friction: float, ground_friction: Optional[float]) -> float:
    """The sliding friction that a shape's geom carries.

    PhysX averages the two surfaces' friction; MuJoCo takes the larger, unless one geom has
    priority. So the geom carries the average with the ground, and has priority over it.
    """
    return friction if ground_friction is None else (friction + ground_friction) / 2


def add_force_sensor(spec: mujoco.MjSpec, prefix: str, index: int, body: str) -> None:
    kinds = ("LINACC", "ANGACC", "ANGVEL", "XAXIS", "YAXIS", "ZAXIS")
    for kind in kinds:
        spec.add_sensor(
            name=f"{prefix}force{index}/{kind}",
            type=getattr(mujoco.mjtSensor, f"mjSENS_FRAME{kind}"),
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            objname=prefix + body,
        )


def write_dof_properties(model_map: ModelMap, properties: np.ndarray) -> None:
    """Write the prototype's DofProperties, (dofs,), into the model."""
    timestep = model_map.model.opt.timestep
    inertia, in_armature = model_map.joint_inertia, model_map.drives_in_armature
    fields = model_fields(properties, inertia, timestep, in_armature)
    for field, values in fields.items():
        getattr(model_map.model, field)[field_rows(model_map, field)] = values
    mujoco.mj_setConst(model_map.model, mujoco.MjData(model_map.model))


def write_tendon_properties(model_map: ModelMap, scene: Scene) -> None:
    """Write the prototype's TendonProperties into the model."""
    model, tendons = model_map.model, model_map.tendons
    for field, values in tendon_fields(scene, model, tendons).items():
        getattr(model, field)[tendons] = values[0]
    properties = [tendon for a in scene.envs[0].actors for tendon in a.tendon_properties]
    model.tendon_limited[tendons] = [tendon.is_fixed_limited for tendon in properties]
