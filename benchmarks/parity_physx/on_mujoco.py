"""Scenes on MuJoCo, through rofunc_isaac's Isaac Gym API, as a task would use it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.parity_physx.world import Robot, Setup, Vector
from rofunc_isaac.isaacgym import gymapi, gymtorch


class MujocoWorld:
    """A `World` with one environment."""

    def __init__(self, setup: Setup) -> None:
        self.gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.dt, params.substeps = setup.dt, setup.substeps
        params.up_axis, params.gravity = gymapi.UP_AXIS_Z, gymapi.Vec3(*setup.gravity)
        params.physx.num_threads = 1
        params.physx.bounce_threshold_velocity = 0.2
        self.sim = self.gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        if setup.ground is not None:
            plane = gymapi.PlaneParams()
            plane.normal = gymapi.Vec3(*setup.ground.normal)
            plane.static_friction = plane.dynamic_friction = setup.ground.friction
            plane.restitution = setup.ground.restitution
            self.gym.add_ground(self.sim, plane)
        env = self.gym.create_env(self.sim, gymapi.Vec3(), gymapi.Vec3(), 1)
        for number, robot in enumerate(setup.robots):
            add_robot(self.gym, self.sim, env, number, robot)
        self._dof = gymtorch.wrap_tensor(self.gym.acquire_dof_state_tensor(self.sim))
        self._root = gymtorch.wrap_tensor(self.gym.acquire_actor_root_state_tensor(self.sim))
        self._force = gymtorch.wrap_tensor(self.gym.acquire_dof_force_tensor(self.sim))
        contacts = self.gym.acquire_net_contact_force_tensor(self.sim)
        self._contact = gymtorch.wrap_tensor(contacts)
        self.gym.prepare_sim(self.sim)

    def step(self, frames: int = 1, effort: Vector | None = None) -> None:
        for _ in range(frames):
            if effort is not None:
                self.gym.set_dof_actuation_force_tensor(self.sim, wrapped(effort))
            self.gym.simulate(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        self.gym.refresh_dof_force_tensor(self.sim)
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.gym.refresh_net_contact_force_tensor(self.sim)

    def set_targets(self, position: Vector, velocity: Vector) -> None:
        self.gym.set_dof_position_target_tensor(self.sim, wrapped(position))
        self.gym.set_dof_velocity_target_tensor(self.sim, wrapped(velocity))

    def set_dofs(self, position: Vector, velocity: Vector) -> None:
        states = np.stack([np.asarray(position), np.asarray(velocity)], axis=1)
        self.gym.set_dof_state_tensor(self.sim, wrapped(states))

    def set_root_velocity(self, robot: int, linear: Vector, angular: Vector) -> None:
        states = self._root.clone()
        states[robot, 7:13] = torch.tensor([*linear, *angular])
        self.gym.set_actor_root_state_tensor(self.sim, gymtorch.unwrap_tensor(states))

    def dofs(self) -> np.ndarray:
        return self._dof.double().numpy()

    def roots(self) -> np.ndarray:
        return self._root.double().numpy()

    def drive_forces(self) -> np.ndarray:
        return self._force.double().numpy()

    def contacts(self) -> np.ndarray:
        return self._contact.double().numpy()


def wrapped(values: Any) -> Any:
    return gymtorch.unwrap_tensor(torch.as_tensor(values, dtype=torch.float32).contiguous())


def asset_options(robot: Robot) -> gymapi.AssetOptions:
    options = gymapi.AssetOptions()
    options.fix_base_link = robot.fixed
    options.angular_damping = 0.0
    for name, value in robot.options.items():
        setattr(options, name, value)
    return options


def add_robot(gym: Any, sim: Any, env: Any, number: int, robot: Robot) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "robot.xml").write_text(robot.mjcf)
        asset = gym.load_asset(sim, folder, "robot.xml", asset_options(robot))
    shapes = gym.get_asset_rigid_shape_properties(asset)
    for shape in shapes:
        shape.friction, shape.restitution = robot.friction, robot.restitution
    gym.set_asset_rigid_shape_properties(asset, shapes)
    pose = gymapi.Transform(gymapi.Vec3(*robot.pos))
    # One bit for each robot: its own parts don't touch each other.
    actor = gym.create_actor(env, asset, pose, f"robot{number}", 0, 1 << number)
    properties = gym.get_actor_dof_properties(env, actor)
    for name, value in robot.dof.items():
        properties[name] = value
    gym.set_actor_dof_properties(env, actor, properties)
    gym.enable_actor_dof_force_sensors(env, actor)
