"""Humanoid: runs upright along the x axis, as fast as it can with little effort."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from rofunc_isaac.envs.vec_task import VecTask

import torch  # isort: skip
from isaacgym import gymapi, gymtorch  # isort: skip
from isaacgym.torch_utils import (
    get_euler_xyz,
    normalize_angle,
    quat_axis,
    quat_rotate_inverse,
    unscale,
)

from rofunc_isaac.envs.config import EnvConfig, SimConfig, SolverConfig, TaskConfig

ASSETS = Path(__file__).resolve().parent / "assets"
NUM_DOFS = 21
FEET = ("right_foot", "left_foot")


@dataclass
class HumanoidEnvConfig(EnvConfig):
    power_scale: float = 1.0
    """Torque of an action of 1, in units of the motor's gear."""
    heading_weight: float = 0.5
    up_weight: float = 0.1
    actions_cost: float = 0.01
    energy_cost: float = 0.05
    dof_velocity_scale: float = 0.1
    angular_velocity_scale: float = 0.25
    contact_force_scale: float = 0.01
    """Of the joints' forces as well."""
    joints_at_limit_cost: float = 0.25
    death_cost: float = -1.0
    """Reward of the step in which the torso falls below `termination_height`, in m."""
    termination_height: float = 0.8
    start_height: float = 1.34
    ground_friction: float = 1.0


@dataclass
class HumanoidConfig(TaskConfig):
    env: HumanoidEnvConfig = field(default_factory=HumanoidEnvConfig)
    sim: SimConfig = field(default_factory=lambda: SimConfig(solver=SolverConfig(warm_start=False)))


class Humanoid(VecTask[HumanoidConfig]):
    """21 actions, the torques of the joints in units of their gear, in DOF order.

    Observation (108), as published for Isaac Gym's Humanoid: height of the torso (m); its linear
    (m/s) and angular velocity (rad/s, scaled) in its own frame, 3 each; yaw, roll and the angle
    from the heading to the target (rad, from -pi to pi); how far its up axis and its heading point
    up and at the target (cosines); positions of the 21 joints, scaled to [-1, 1] over their range;
    their velocities, scaled; their forces (motor, spring and damper), scaled; force and torque on
    the right and the left foot, scaled, 12; the actions, 21.
    """

    Config = HumanoidConfig
    num_obs = 108
    num_actions = NUM_DOFS

    def create_envs(self) -> None:
        gym, sim, config = self.gym, self.sim, self.config.env
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        plane.static_friction = plane.dynamic_friction = config.ground_friction
        gym.add_ground(sim, plane)

        options = gymapi.AssetOptions()
        options.angular_damping = 0.01
        options.max_angular_velocity = 100.0
        asset = gym.load_asset(sim, str(ASSETS), "humanoid.xml", options)
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
            humanoid = gym.create_actor(env, asset, pose, "humanoid", index, 0, 0)
            gym.enable_actor_dof_force_sensors(env, humanoid)

    def acquire_tensors(self) -> None:
        gym, sim, device = self.gym, self.sim, self.sim_device
        self.root_states = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
        self.dof_states = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
        dof_forces = gymtorch.wrap_tensor(gym.acquire_dof_force_tensor(sim))
        self.dof_forces = dof_forces.view(self.num_envs, NUM_DOFS)
        sensors = gymtorch.wrap_tensor(gym.acquire_force_sensor_tensor(sim))
        self.foot_forces = sensors.view(self.num_envs, 6 * len(FEET))
        by_env = self.dof_states.view(self.num_envs, NUM_DOFS, 2)
        self.dof_pos, self.dof_vel = by_env[..., 0], by_env[..., 1]

        gym.refresh_actor_root_state_tensor(sim)
        self.start_root_states = self.root_states.clone()
        self.start_dof_states = torch.zeros_like(by_env)
        # Joints whose range excludes zero start at the limit nearest to it.
        self.start_dof_pos = torch.zeros_like(self.lower).clamp(self.lower, self.upper)

        gears = torch.tensor(self.gears, device=device)
        self.torques_per_action = self.config.env.power_scale * gears
        self.strength = gears / gears.max()
        self.actions = torch.zeros(self.num_envs, NUM_DOFS, device=device)
        self.torques = torch.zeros_like(self.actions)
        # Far enough that the direction to it stays that of the x axis.
        self.target = torch.tensor([1000.0, 0.0], device=device)
        self.last_distance = self.distance()
        self.start_distance = self.last_distance.clone()

    def pre_physics_step(self, actions: torch.Tensor) -> None:
        self.actions.copy_(actions)
        torch.mul(actions, self.torques_per_action, out=self.torques)
        self.gym.set_dof_actuation_force_tensor(self.sim, gymtorch.unwrap_tensor(self.torques))

    def refresh_tensors(self) -> None:
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        self.gym.refresh_dof_force_tensor(self.sim)
        self.gym.refresh_force_sensor_tensor(self.sim)

    def compute_observations(self) -> None:
        config = self.config.env
        position, rotation = self.root_states[:, 0:3], self.root_states[:, 3:7]
        to_target = self.target - position[:, 0:2]
        direction = to_target / to_target.norm(dim=1, keepdim=True)
        # The published code takes the height in place of y here, which is a slip of 0.001 rad.
        bearing = torch.atan2(to_target[:, 1], to_target[:, 0])
        roll, _, yaw = get_euler_xyz(rotation)
        spin = quat_rotate_inverse(rotation, self.root_states[:, 10:13])
        heading = quat_axis(rotation, 0)
        # At an episode's first observation the last forces and actions are another episode's.
        is_first = (self.progress_buf == 0)[:, None]
        forces = torch.cat([self.dof_forces, self.foot_forces], dim=1) * config.contact_force_scale

        parts = (
            position[:, 2:3],
            quat_rotate_inverse(rotation, self.root_states[:, 7:10]),
            spin * config.angular_velocity_scale,
            normalize_angle(yaw)[:, None],
            normalize_angle(roll)[:, None],
            normalize_angle(bearing - yaw)[:, None],
            quat_axis(rotation, 2)[:, 2:3],
            (heading[:, 0:2] * direction).sum(dim=1, keepdim=True),
            unscale(self.dof_pos, self.lower, self.upper),
            self.dof_vel * config.dof_velocity_scale,
            forces.masked_fill(is_first, 0.0),
            self.actions.masked_fill(is_first, 0.0),
        )
        torch.cat(parts, dim=1, out=self.obs_buf)

    def compute_reward(self) -> None:
        config, obs = self.config.env, self.obs_buf
        upright, heading = obs[:, 10], obs[:, 11]
        # From 0 at 0.98 of the range to 1 at its end, times the motor's strength.
        near_limit = (obs[:, 12:33].abs() - 0.98).clamp(min=0.0) / 0.02
        at_limit = (near_limit * self.strength).sum(dim=1)
        energy = ((self.actions * obs[:, 33:54]).abs() * self.strength).sum(dim=1)
        effort = self.actions.square().sum(dim=1)

        reward = self.progress() + 2.0  # for being alive
        reward += config.up_weight * (upright > 0.93)
        reward += config.heading_weight * (heading / 0.8).clamp(max=1.0)
        reward -= config.actions_cost * effort
        reward -= config.energy_cost * energy
        reward -= config.joints_at_limit_cost * at_limit
        torch.lt(obs[:, 0], config.termination_height, out=self.terminated_buf)
        self.reward_buf.copy_(reward.masked_fill_(self.terminated_buf, config.death_cost))

    def distance(self) -> torch.Tensor:
        """To the target in the plane, (num_envs,), m; float64, for a step changes it by 1e-5."""
        return (self.target - self.root_states[:, 0:2].double()).norm(dim=1)

    def progress(self) -> torch.Tensor:
        """Mean speed towards the target over the step, float32 (num_envs,), m/s."""
        distance = self.distance()
        speed = (self.last_distance - distance) / self.dt
        self.last_distance.copy_(distance)
        return speed.float()

    def reset_envs(self, mask: torch.Tensor) -> None:
        start_pos, start_vel = self.start_dof_states[..., 0], self.start_dof_states[..., 1]
        self.uniform(-0.2, 0.2, out=start_pos).add_(self.start_dof_pos)
        start_pos.clamp_(self.lower, self.upper)
        self.uniform(-0.1, 0.1, out=start_vel)
        self.reset_state(mask, self.start_root_states, self.start_dof_states.view(-1, 2))
        torch.where(mask, self.start_distance, self.last_distance, out=self.last_distance)
