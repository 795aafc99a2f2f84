"""Ant: four legs run as fast as they can along the x axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from rofunc_isaac.envs.vec_task import VecTask

import torch  # isort: skip
from isaacgym import gymapi, gymtorch  # isort: skip
from isaacgym.torch_utils import get_euler_xyz, quat_rotate, quat_rotate_inverse, unscale

from rofunc_isaac.envs.config import EnvConfig, SimConfig, SolverConfig, TaskConfig

ASSETS = Path(__file__).resolve().parent / "assets"
NUM_DOFS = 8
FEET = ("front_left_foot", "front_right_foot", "left_back_foot", "right_back_foot")


@dataclass
class AntEnvConfig(EnvConfig):
    power_scale: float = 1.0
    """Torque of an action of 1, in units of the motor's gear."""
    heading_weight: float = 0.5
    up_weight: float = 0.1
    actions_cost: float = 0.005
    energy_cost: float = 0.05
    dof_velocity_scale: float = 0.2
    contact_force_scale: float = 0.1
    joints_at_limit_cost: float = 0.1
    death_cost: float = -2.0
    """Reward of the step in which the torso falls below `termination_height`, in m."""
    termination_height: float = 0.31
    start_height: float = 0.44
    ground_friction: float = 1.0


@dataclass
class AntConfig(TaskConfig):
    env: AntEnvConfig = field(default_factory=AntEnvConfig)
    sim: SimConfig = field(default_factory=lambda: SimConfig(solver=SolverConfig(warm_start=False)))


class Ant(VecTask[AntConfig]):
    """Eight actions, the torques of the joints in units of their gear, in DOF order.

    Observation (60), as published for Isaac Gym's Ant: height of the torso (m); its linear (m/s)
    and angular velocity (rad/s) in its own frame, 3 each; yaw, roll (rad, from 0 to 2 pi) and the
    angle from the heading to the target; how far its up axis and its heading point up and at the
    target (cosines); positions of the 8 joints, scaled to [-1, 1] over their range; their
    velocities, scaled; force and torque on the 4 feet, scaled, 24; the actions, 8.
    """

    Config = AntConfig
    num_obs = 60
    num_actions = NUM_DOFS

    def create_envs(self) -> None:
        gym, sim, config = self.gym, self.sim, self.config.env
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        plane.static_friction = plane.dynamic_friction = config.ground_friction
        gym.add_ground(sim, plane)

        options = gymapi.AssetOptions()
        options.angular_damping = 0.0
        asset = gym.load_asset(sim, str(ASSETS), "ant.xml", options)
        for foot in FEET:
            body = gym.find_asset_rigid_body_index(asset, foot)
            gym.create_asset_force_sensor(asset, body, gymapi.Transform())
        self.gears = [motor.motor_effort for motor in gym.get_asset_actuator_properties(asset)]
        properties = gym.get_asset_dof_properties(asset)
        self.lower = torch.as_tensor(properties["lower"].copy(), device=self.sim_device)
        self.upper = torch.as_tensor(properties["upper"].copy(), device=self.sim_device)

        pose = gymapi.Transform()
        pose.p = gymapi.Vec3(0.0, 0.0, config.start_height)
        lower = gymapi.Vec3(-config.env_spacing, -config.env_spacing, 0.0)
        upper = gymapi.Vec3(config.env_spacing, config.env_spacing, config.env_spacing)
        for index in range(self.num_envs):
            env = gym.create_env(sim, lower, upper, int(math.sqrt(self.num_envs)))
            gym.create_actor(env, asset, pose, "ant", index, 1, 0)

    def acquire_tensors(self) -> None:
        gym, sim, device = self.gym, self.sim, self.sim_device
        self.root_states = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
        self.dof_states = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
        sensors = gymtorch.wrap_tensor(gym.acquire_force_sensor_tensor(sim))
        self.foot_forces = sensors.view(self.num_envs, 6 * len(FEET))
        by_env = self.dof_states.view(self.num_envs, NUM_DOFS, 2)
        self.dof_pos, self.dof_vel = by_env[..., 0], by_env[..., 1]

        gym.refresh_actor_root_state_tensor(sim)
        self.start_root_states = self.root_states.clone()
        self.start_dof_states = torch.zeros_like(by_env)
        # Joints whose range excludes zero start at the limit nearest to it.
        self.start_dof_pos = torch.zeros_like(self.lower).clamp(self.lower, self.upper)

        self.torques_per_action = self.config.env.power_scale * torch.tensor(
            self.gears, device=device
        )
        self.actions = torch.zeros(self.num_envs, NUM_DOFS, device=device)
        self.torques = torch.zeros_like(self.actions)
        self.heading_axis = torch.tensor([[1.0, 0.0, 0.0]], device=device).repeat(self.num_envs, 1)
        self.up_axis = torch.tensor([[0.0, 0.0, 1.0]], device=device).repeat(self.num_envs, 1)
        # Far enough that the direction to it stays that of the x axis.
        self.target = torch.tensor([1000.0, 0.0], device=device)
        self.last_position = self.root_states[:, 0:2].clone()

    def pre_physics_step(self, actions: torch.Tensor) -> None:
        self.actions.copy_(actions)
        torch.mul(actions, self.torques_per_action, out=self.torques)
        self.gym.set_dof_actuation_force_tensor(self.sim, gymtorch.unwrap_tensor(self.torques))

    def refresh_tensors(self) -> None:
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        self.gym.refresh_force_sensor_tensor(self.sim)

    def compute_observations(self) -> None:
        config = self.config.env
        position, rotation = self.root_states[:, 0:3], self.root_states[:, 3:7]
        to_target = self.target - position[:, 0:2]
        direction = to_target / to_target.norm(dim=1, keepdim=True)
        bearing = torch.atan2(to_target[:, 1], to_target[:, 0])
        roll, _, yaw = get_euler_xyz(rotation)
        heading = quat_rotate(rotation, self.heading_axis)
        # At an episode's first observation the last forces and actions are another episode's.
        is_first = (self.progress_buf == 0)[:, None]
        forces = (self.foot_forces * config.contact_force_scale).masked_fill(is_first, 0.0)

        parts = (
            position[:, 2:3],
            quat_rotate_inverse(rotation, self.root_states[:, 7:10]),
            quat_rotate_inverse(rotation, self.root_states[:, 10:13]),
            yaw[:, None],
            roll[:, None],
            (bearing - yaw)[:, None],
            quat_rotate(rotation, self.up_axis)[:, 2:3],
            (heading[:, 0:2] * direction).sum(dim=1, keepdim=True),
            unscale(self.dof_pos, self.lower, self.upper),
            self.dof_vel * config.dof_velocity_scale,
            forces,
            self.actions.masked_fill(is_first, 0.0),
        )
        torch.cat(parts, dim=1, out=self.obs_buf)

    def compute_reward(self) -> None:
        config, obs = self.config.env, self.obs_buf
        upright, heading = obs[:, 10], obs[:, 11]
        at_limit = (obs[:, 12:20] > 0.99).sum(dim=1)
        energy = (self.actions * obs[:, 20:28]).abs().sum(dim=1)
        effort = self.actions.square().sum(dim=1)

        reward = self.progress() + 0.5  # for being alive
        reward += config.up_weight * (upright > 0.93)
        reward += config.heading_weight * (heading / 0.8).clamp(max=1.0)
        reward -= config.actions_cost * effort
        reward -= config.energy_cost * energy
        reward -= config.joints_at_limit_cost * at_limit
        torch.lt(obs[:, 0], config.termination_height, out=self.terminated_buf)
        self.reward_buf.copy_(reward.masked_fill_(self.terminated_buf, config.death_cost))

    def progress(self) -> torch.Tensor:
        """Mean speed towards the target over the step, (num_envs,), m/s.

        |a| - |b| = (a - b) . (a + b) / (|a| + |b|): the difference of the two distances, about
        1,000 m each, would keep three digits of the speed in float32.
        """
        position = self.root_states[:, 0:2]
        before, after = self.last_position - self.target, position - self.target
        gained = ((self.last_position - position) * (before + after)).sum(dim=1)
        distances = before.norm(dim=1) + after.norm(dim=1)
        self.last_position.copy_(position)
        return gained / (distances * self.dt)

    def reset_envs(self, mask: torch.Tensor) -> None:
        start_pos, start_vel = self.start_dof_states[..., 0], self.start_dof_states[..., 1]
        self.uniform(-0.2, 0.2, out=start_pos).add_(self.start_dof_pos)
        start_pos.clamp_(self.lower, self.upper)
        self.uniform(-0.1, 0.1, out=start_vel)
        self.reset_state(mask, self.start_root_states, self.start_dof_states.view(-1, 2))
        start = self.start_root_states[:, 0:2]
        torch.where(mask[:, None], start, self.last_position, out=self.last_position)
