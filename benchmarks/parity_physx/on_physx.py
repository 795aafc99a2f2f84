"""Scenes on PhysX, through SAPIEN. The robots are those that rofunc_isaac's loader reads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import sapien
from sapien import physx

from benchmarks.parity_physx.on_mujoco import asset_options
from benchmarks.parity_physx.world import Ground, Robot, Setup, Vector
from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.assets.load import load_asset

# What Isaac Gym's SimParams have by default or IsaacGymEnvs' YAML files say.
VELOCITY_ITERATIONS = 1
CONTACT_OFFSET, REST_OFFSET = 0.02, 0.0
BOUNCE_THRESHOLD = 0.2
MAX_DEPENETRATION_VELOCITY = 100.0

MAX_FLOAT = float(np.finfo(np.float32).max)


class PhysxWorld:
    """A `World` of articulations; the solver is TGS."""

    def __init__(self, setup: Setup) -> None:
        physx.set_scene_config(
            gravity=list(setup.gravity), bounce_threshold=BOUNCE_THRESHOLD, enable_tgs=True
        )
        physx.set_body_config(setup.position_iterations, VELOCITY_ITERATIONS, 0.0)
        physx.set_shape_config(CONTACT_OFFSET, REST_OFFSET)
        self._system = physx.PhysxCpuSystem()
        self._system.timestep = setup.dt / setup.substeps
        self._substeps = setup.substeps
        self._scene = sapien.Scene([self._system])
        if setup.ground is not None:
            add_ground(self._scene, setup.ground)
        self._robots = [
            PhysxRobot(self._scene, number, robot) for number, robot in enumerate(setup.robots)
        ]
        self._links = [link for robot in self._robots for link in robot.links]
        dofs = [len(robot.joints) for robot in self._robots]
        self._dofs = [slice(end - count, end) for count, end in zip(dofs, np.cumsum(dofs))]

    def step(self, frames: int = 1, effort: Vector | None = None) -> None:
        for _ in range(frames * self._substeps):
            for robot, own in zip(self._robots, self._dofs):
                robot.push(np.zeros(len(robot.joints)) if effort is None else effort[own])
            self._scene.step()

    def set_targets(self, position: Vector, velocity: Vector) -> None:
        joints = [joint for robot in self._robots for joint in robot.joints]
        for joint, target, speed in zip(joints, position, velocity):
            joint.set_drive_target(float(target))
            joint.set_drive_velocity_target(float(speed))

    def set_dofs(self, position: Vector, velocity: Vector) -> None:
        for robot, own in zip(self._robots, self._dofs):
            robot.move(position[own], velocity[own])

    def set_root_velocity(self, robot: int, linear: Vector, angular: Vector) -> None:
        self._robots[robot].articulation.root_linear_velocity = linear
        self._robots[robot].articulation.root_angular_velocity = angular

    def dofs(self) -> np.ndarray:
        return np.concatenate([robot.dofs() for robot in self._robots])

    def roots(self) -> np.ndarray:
        return np.stack([robot.root() for robot in self._robots])

    def drive_forces(self) -> np.ndarray:
        return np.concatenate([robot.drive_forces() for robot in self._robots])

    def contacts(self) -> np.ndarray:
        forces = np.zeros((len(self._links), 3))
        for contact in self._system.get_contacts():
            impulse = np.sum([point.impulse for point in contact.points], axis=0)
            for body, sign in zip(contact.bodies, (1.0, -1.0)):
                if body in self._links:
                    forces[self._links.index(body)] += sign * impulse
        return forces / self._system.timestep


class PhysxRobot:
    """An articulation. `links` and `joints` are in the asset's order; PhysX goes breadth first."""

    def __init__(self, scene: Any, number: int, robot: Robot) -> None:
        options = asset_options(robot)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "robot.xml").write_text(robot.mjcf)
            asset = load_asset(folder, "robot.xml", options)
        properties = asset.dof_properties.copy()
        for name, value in robot.dof.items():
            properties[name] = value
        self.articulation = build(scene, number, robot, asset, properties)
        self.links = [self.articulation.find_link_by_name(name) for name in asset.body_names]
        self.joints = [self.articulation.find_joint_by_name(name) for name in asset.dof_names]
        own = [joint.name for joint in self.articulation.active_joints]
        self._here = [own.index(name) for name in asset.dof_names]
        self._there = [asset.dof_names.index(name) for name in own]
        for link in self.links:
            set_link_properties(link, options)
        for joint, dof in zip(self.joints, properties):
            set_dof_properties(joint, dof)

    def push(self, effort: Vector) -> None:
        self.articulation.qf = np.asarray(effort)[self._there]

    def move(self, position: Vector, velocity: Vector) -> None:
        self.articulation.qpos = np.asarray(position)[self._there]
        self.articulation.qvel = np.asarray(velocity)[self._there]

    def dofs(self) -> np.ndarray:
        state = np.stack([self.articulation.qpos, self.articulation.qvel], axis=1)
        return state.astype(float)[self._here]

    def drive_forces(self) -> np.ndarray:
        """The parts along the joints of the forces that links have from their parents."""
        forces = dict(zip(self.articulation.links, self.articulation.link_incoming_joint_forces))
        # A joint's axis is x of its frame; force comes before torque.
        part = [0 if joint.type == "prismatic" else 3 for joint in self.joints]
        found = [forces[joint.child_link][p] for joint, p in zip(self.joints, part)]
        return np.array(found, dtype=float)

    def root(self) -> np.ndarray:
        pose, root = self.articulation.root_pose, self.articulation.root
        w, x, y, z = pose.q
        return np.array([*pose.p, x, y, z, w, *root.linear_velocity, *root.angular_velocity])


def add_ground(scene: Any, ground: Ground) -> None:
    builder = scene.create_actor_builder()
    # PhysX's plane faces along x.
    pose = sapien.Pose(q=turn_x_to(ground.normal))
    material = physx.PhysxMaterial(ground.friction, ground.friction, ground.restitution)
    builder.add_plane_collision(pose, material)
    builder.build_static(name="ground")


def build(scene: Any, number: int, robot: Robot, asset: Asset, properties: np.ndarray) -> Any:
    """An articulation of the asset's links and shapes; those of one robot don't collide."""
    model = asset.spec.compile()
    limits = dict(zip(asset.dof_names, limits_of(properties)))
    material = physx.PhysxMaterial(robot.friction, robot.friction, robot.restitution)
    builder = scene.create_articulation_builder()
    links: list[Any] = []
    for name, parent in zip(asset.body_names, asset.body_parent.tolist()):
        body = model.body(name).id
        link = add_link(builder, model, body, links[parent] if links else None, limits)
        link.collision_groups = [1, 1, 1, number]
        links.append(link)
        for geom in asset.shape_names:
            if model.geom_bodyid[model.geom(geom).id] == body:
                add_shape(link, model, model.geom(geom).id, material)
    builder.set_initial_pose(sapien.Pose(list(robot.pos)))
    return builder.build(fix_root_link=robot.fixed)


def limits_of(properties: np.ndarray) -> list[list[float]]:
    """Lower and upper end of each DOF's range."""
    limited = properties["hasLimits"].astype(bool)
    lower = np.where(limited, properties["lower"], -np.inf)
    upper = np.where(limited, properties["upper"], np.inf)
    return np.stack([lower, upper], axis=1).tolist()


def add_link(
    builder: Any,
    model: mujoco.MjModel,
    body: int,
    parent: Any,
    limits: dict[str, list[float]],
) -> Any:
    link = builder.create_link_builder(parent)
    link.set_name(model.body(body).name)
    com = sapien.Pose(model.body_ipos[body], model.body_iquat[body])
    # A fixed root may weigh nothing, which PhysX would complain about.
    mass = float(model.body_mass[body]) or 1.0
    inertia = model.body_inertia[body] if model.body_mass[body] else [1.0, 1.0, 1.0]
    link.set_mass_and_inertia(mass, com, inertia)
    if parent is None:
        return link
    joints = np.flatnonzero(model.jnt_bodyid == body)
    in_parent = sapien.Pose(model.body_pos[body], model.body_quat[body])
    if len(joints) == 0:
        link.set_joint_properties("fixed", [], in_parent, sapien.Pose())
        return link
    if len(joints) > 1:
        raise ValueError(f"body {link.name} has {len(joints)} joints: one at most, for PhysX")
    joint = int(joints[0])
    frame = sapien.Pose(model.jnt_pos[joint], turn_x_to(model.jnt_axis[joint]))
    is_slide = model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_SLIDE)
    kind = "prismatic" if is_slide else "revolute"
    name = model.joint(joint).name
    link.set_joint_name(name)
    link.set_joint_properties(kind, [limits[name]], in_parent * frame, frame)
    return link


def add_shape(link: Any, model: mujoco.MjModel, geom: int, material: Any) -> None:
    pose = sapien.Pose(model.geom_pos[geom], model.geom_quat[geom])
    size = model.geom_size[geom].tolist()
    kind = int(model.geom_type[geom])
    if kind == int(mujoco.mjtGeom.mjGEOM_BOX):
        link.add_box_collision(pose, size, material)
    elif kind == int(mujoco.mjtGeom.mjGEOM_SPHERE):
        link.add_sphere_collision(pose, size[0], material)
    elif kind == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
        # Along x; MuJoCo's lie along z.
        along_x = pose * sapien.Pose(q=turn_x_to((0.0, 0.0, 1.0)))
        link.add_capsule_collision(along_x, size[0], size[1], material)
    else:
        raise ValueError(f"geom {geom} of {link.name}: boxes, spheres and capsules alone")


def set_link_properties(link: Any, options: gymapi.AssetOptions) -> None:
    link.linear_damping, link.angular_damping = options.linear_damping, options.angular_damping
    link.max_linear_velocity = options.max_linear_velocity
    link.max_angular_velocity = options.max_angular_velocity
    link.max_depenetration_velocity = MAX_DEPENETRATION_VELOCITY
    link.disable_gravity = options.disable_gravity


def set_dof_properties(joint: Any, dof: np.ndarray) -> None:
    """Of one DOF; its range is set where the joint is made."""
    driven = dof["driveMode"] in (int(gymapi.DOF_MODE_POS), int(gymapi.DOF_MODE_VEL))
    stiffness = 0.0 if dof["driveMode"] == int(gymapi.DOF_MODE_VEL) else dof["stiffness"]
    limit = float(dof["effort"]) if driven and dof["effort"] > 0.0 else MAX_FLOAT
    joint.set_drive_properties(float(stiffness), float(dof["damping"]), limit)
    joint.set_friction(float(dof["friction"]))
    joint.set_armature([dof["armature"]])
    joint.set_max_velocity(float(dof["velocity"]))


def turn_x_to(axis: Vector) -> np.ndarray:
    """The quaternion wxyz that turns the x axis to `axis`."""
    unit = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if unit[0] < -0.999999:
        return np.array([0.0, 0.0, 0.0, 1.0])
    quat = np.array([1.0 + unit[0], 0.0, -unit[2], unit[1]])
    return quat / np.linalg.norm(quat)
