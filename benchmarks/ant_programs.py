"""Ant as a program for Isaac Gym: what IsaacGymEnvs' Ant calls, and that task itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import torch

import rofunc_isaac.isaacgym.install  # noqa: F401

from isaacgym import gymapi, gymtorch  # isort: skip

ASSETS = Path(__file__).resolve().parents[1] / "tasks" / "assets"
EPISODE_LENGTH = 1000


class Program(Protocol):
    """A simulation with somebody's code around it."""

    sim: Any

    def step(self) -> None:
        """One frame with random actions, and resets."""
        ...


class AntCalls:
    """This project's Ant, with the calls of IsaacGymEnvs' and as little else as goes.

    Args:
        gym: Isaac Gym's interface, or what stands for it.
    """

    def __init__(self, gym: Any, num_envs: int, threads: int) -> None:
        self.gym, self.num_envs = gym, num_envs
        params = gymapi.SimParams()
        params.dt, params.substeps, params.up_axis = 1.0 / 60.0, 2, gymapi.UP_AXIS_Z
        params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
        params.physx.num_threads = threads
        self.sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        self.create_envs()
        gym.prepare_sim(self.sim)
        roots = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(self.sim))
        dofs = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(self.sim))
        gym.acquire_force_sensor_tensor(self.sim)
        gym.refresh_actor_root_state_tensor(self.sim)
        self.roots, self.dofs = roots, dofs.view(num_envs, -1, 2)
        self.start = self.roots.clone()
        self.steps = torch.randint(EPISODE_LENGTH, (num_envs,))

    def create_envs(self) -> None:
        gym, sim = self.gym, self.sim
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        gym.add_ground(sim, plane)
        options = gymapi.AssetOptions()
        options.angular_damping = 0.0
        asset = gym.load_asset(sim, str(ASSETS), "ant.xml", options)
        bodies = gym.get_asset_rigid_body_names(asset)
        for foot in (name for name in bodies if "foot" in name):
            index = gym.find_asset_rigid_body_index(asset, foot)
            gym.create_asset_force_sensor(asset, index, gymapi.Transform())
        motors = gym.get_asset_actuator_properties(asset)
        self.gears = torch.tensor([motor.motor_effort for motor in motors])
        pose, lower, upper = gymapi.Transform(), gymapi.Vec3(-5, -5, 0), gymapi.Vec3(5, 5, 5)
        pose.p = gymapi.Vec3(0.0, 0.0, 0.44)
        for index in range(self.num_envs):
            env = gym.create_env(sim, lower, upper, math.isqrt(self.num_envs))
            ant = gym.create_actor(env, asset, pose, "ant", index, 1, 0)
            for body in range(len(bodies)):
                colour = gymapi.Vec3(0.9, 0.4, 0.1)
                gym.set_rigid_body_color(env, ant, body, gymapi.MESH_VISUAL, colour)

    def step(self) -> None:
        gym, sim = self.gym, self.sim
        torques = self.gears * (2.0 * torch.rand(self.num_envs, len(self.gears)) - 1.0)
        gym.set_dof_actuation_force_tensor(sim, gymtorch.unwrap_tensor(torques))
        gym.simulate(sim)
        gym.fetch_results(sim, True)
        self.steps += 1
        done = ((self.roots[:, 2] < 0.31) | (self.steps > EPISODE_LENGTH)).nonzero().flatten()
        if len(done):
            self.reset(done)
        gym.refresh_dof_state_tensor(sim)
        gym.refresh_actor_root_state_tensor(sim)
        gym.refresh_force_sensor_tensor(sim)

    def reset(self, done: torch.Tensor) -> None:
        self.steps[done] = 0
        self.dofs[done] = 0.0
        actors, count = gymtorch.unwrap_tensor(done.int()), len(done)
        roots, dofs = gymtorch.unwrap_tensor(self.start), gymtorch.unwrap_tensor(self.dofs)
        self.gym.set_actor_root_state_tensor_indexed(self.sim, roots, actors, count)
        self.gym.set_dof_state_tensor_indexed(self.sim, dofs, actors, count)


class IsaacGymEnvsAnt:
    """The task itself, of the checkout that ISAACGYMENVS_PATH names."""

    def __init__(self, gym: Any, num_envs: int, threads: int) -> None:
        from benchmarks.checkouts import IsaacGymEnvsTask

        acquire, gymapi.acquire_gym = gymapi.acquire_gym, lambda: gym
        self._task = IsaacGymEnvsTask("Ant", num_envs, threads, [])
        gymapi.acquire_gym = acquire
        self.sim = self._task.sim
        self._actions = torch.empty(num_envs, self._task.num_actions)

    def step(self) -> None:
        self._task.step(self._actions.uniform_(-1.0, 1.0))


PROGRAMS: dict[str, Callable[[Any, int, int], Program]] = {
    "ours": AntCalls,
    "isaacgymenvs": IsaacGymEnvsAnt,
}
