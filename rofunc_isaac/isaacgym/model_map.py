"""Where everything of an environment lies in its compiled model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._math import Quat
from rofunc_isaac.isaacgym._properties import ForceSensorProperties
from rofunc_isaac.isaacgym.actor import Actor
from rofunc_isaac.isaacgym.assets.rotations import rotation_of
from rofunc_isaac.isaacgym.dof_drives import ACTUATOR_FIELDS, DOF_FIELDS, JOINT_FIELDS
from rofunc_isaac.isaacgym.scene import Env

SENSOR_ROWS = 6
"""A force sensor reads six MuJoCo sensors of three numbers each: linear acceleration of the
centre of mass, angular acceleration, angular velocity, and the x, y and z axis of the body's
inertial frame, all in the world frame (the acceleration less gravity, as an accelerometer)."""


@dataclass
class ActorMap:
    """Where one actor of an environment lies in the model.

    `qpos`, `qvel` and `mocap` are the address of a floating root's free joint, or of a fixed
    root's mocap body; the other is -1.
    """

    qpos: int
    qvel: int
    mocap: int
    bodies: List[int]


@dataclass
class SensorMap:
    """One force sensor: where it reads, on which of the environment's bodies it is, its rotation
    (3, 3) in that body's frame, and what it adds up."""

    address: int
    body: int
    rotation: np.ndarray
    properties: ForceSensorProperties


@dataclass
class ModelMap:
    """The compiled model of an environment, and its addresses in Isaac Gym's order.

    `joint_inertia` is what each DOF moves at the start, kg m^2 or kg, (dofs,).
    """

    model: mujoco.MjModel
    actors: List[ActorMap]
    bodies: np.ndarray
    free_joints: np.ndarray
    dof_joint: np.ndarray
    dof_qpos: np.ndarray
    dof_qvel: np.ndarray
    dof_actuator: np.ndarray
    joint_inertia: np.ndarray
    shape_geom: np.ndarray
    tendons: np.ndarray
    sensors: List[SensorMap]
    drives_in_armature: bool = True


def to_wxyz(quat: Quat) -> Tuple[float, float, float, float]:
    """Isaac Gym's xyzw as MuJoCo's wxyz."""
    return (quat.w, quat.x, quat.y, quat.z)


def body_names(env: Env) -> List[str]:
    """The names that the environment's bodies have in the model, in Isaac Gym's order."""
    return [
        f"{position}/{name}"
        for position, actor in enumerate(env.actors)
        for name in actor.asset.description.body_names
    ]


def map_model(model: mujoco.MjModel, env: Env) -> ModelMap:
    joints, actuators, geoms, tendons = [], [], [], []
    actors, sensors, first_body = [], [], 0
    for position, actor in enumerate(env.actors):
        prefix, asset = f"{position}/", actor.asset.description
        actors.append(map_actor(model, prefix, actor))
        joints += [model.joint(prefix + name).id for name in asset.dof_names]
        actuators += [model.actuator(prefix + name).id for name in asset.dof_names]
        geoms += [model.geom(prefix + name).id for name in asset.shape_names]
        tendons += [model.tendon(prefix + tendon.name).id for tendon in asset.tendons]
        for index, sensor in enumerate(actor.force_sensors):
            address = int(model.sensor(f"{prefix}force{index}/LINACC").adr[0])
            rotation = rotation_of(np.array(to_wxyz(sensor.pose.r)))
            body, properties = first_body + sensor.body, sensor.properties
            sensors.append(SensorMap(address, body, rotation, properties))
        first_body += len(asset.body_names)
    joint_ids = np.array(joints, dtype=np.int64)
    return ModelMap(
        model=model,
        actors=actors,
        bodies=np.array([body for actor in actors for body in actor.bodies], dtype=np.int64),
        free_joints=np.array([actor.qvel for actor in actors], dtype=np.int64),
        dof_joint=joint_ids,
        dof_qpos=model.jnt_qposadr[joint_ids],
        dof_qvel=model.jnt_dofadr[joint_ids],
        dof_actuator=np.array(actuators, dtype=np.int64),
        joint_inertia=model.dof_M0[model.jnt_dofadr[joint_ids]].copy(),
        shape_geom=np.array(geoms, dtype=np.int64),
        tendons=np.array(tendons, dtype=np.int64),
        sensors=sensors,
    )


def map_actor(model: mujoco.MjModel, prefix: str, actor: Actor) -> ActorMap:
    bodies = [model.body(prefix + name).id for name in actor.asset.description.body_names]
    root = bodies[0]
    qpos = qvel = -1
    if actor.asset.description.floating:
        free = model.joint(f"{prefix}free")
        qpos, qvel = int(free.qposadr[0]), int(free.dofadr[0])
    return ActorMap(
        qpos=qpos,
        qvel=qvel,
        mocap=int(model.body_mocapid[root]),
        bodies=bodies,
    )


def field_rows(model_map: ModelMap, field: str) -> np.ndarray:
    """The rows of the model field `field` that belong to the DOFs, in Isaac Gym's order."""
    if field in JOINT_FIELDS:
        return model_map.dof_joint
    if field in DOF_FIELDS:
        return model_map.dof_qvel
    assert field in ACTUATOR_FIELDS, field
    return model_map.dof_actuator
