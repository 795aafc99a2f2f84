"""Cartpole: push a cart along its rail so that the pole on it stays upright."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from rofunc_isaac.envs.vec_task import VecTask

import torch  # isort: skip
from isaacgym import gymapi, gymtorch  # isort: skip

from rofunc_isaac.envs.config import EnvConfig, SimConfig, SolverConfig, TaskConfig

ASSETS = Path(__file__).resolve().parent / "assets"


@dataclass
class CartpoleEnvConfig(EnvConfig):
    reset_distance: float = 3.0
    """Metres from the middle of the rail at which an episode ends."""
    max_effort: float = 400.0
    """N that an action of 1 pushes with."""


@dataclass
class CartpoleConfig(TaskConfig):
    env: CartpoleEnvConfig = field(default_factory=CartpoleEnvConfig)
    sim: SimConfig = field(default_factory=lambda: SimConfig(solver=SolverConfig(warm_start=False)))


class Cartpole(VecTask[CartpoleConfig]):
    """One action, the push on the cart in units of `max_effort`.

    Observation (4): cart position (m) and velocity (m/s), pole angle (rad) and velocity (rad/s).
    """

    Config = CartpoleConfig
    num_obs = 4
    num_actions = 1

    def create_envs(self) -> None:
        options = gymapi.AssetOptions()
        options.fix_base_link = True
        asset = self.gym.load_asset(self.sim, str(ASSETS), "cartpole.xml", options)
        pose = gymapi.Transform()
        pose.p = gymapi.Vec3(0.0, 0.0, 2.0)
        spacing = self.config.env.env_spacing
        lower = gymapi.Vec3(-spacing, -spacing, 0.0)
        upper = gymapi.Vec3(spacing, spacing, spacing)
        for index in range(self.num_envs):
            env = self.gym.create_env(self.sim, lower, upper, int(math.sqrt(self.num_envs)))
            self.gym.create_actor(env, asset, pose, "cartpole", index, 1, 0)

    def acquire_tensors(self) -> None:
        gym, sim = self.gym, self.sim
        self.root_states = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
        self.dof_states = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
        gym.refresh_actor_root_state_tensor(sim)
        self.start_root_states = self.root_states.clone()
        by_env = self.dof_states.view(self.num_envs, 2, 2)
        self.dof_pos, self.dof_vel = by_env[..., 0], by_env[..., 1]
        self.start_dof_states = torch.zeros_like(by_env)
        self.efforts = torch.zeros_like(self.dof_pos)

    def pre_physics_step(self, actions: torch.Tensor) -> None:
        torch.mul(actions[:, 0], self.config.env.max_effort, out=self.efforts[:, 0])
        self.gym.set_dof_actuation_force_tensor(self.sim, gymtorch.unwrap_tensor(self.efforts))

    def refresh_tensors(self) -> None:
        self.gym.refresh_dof_state_tensor(self.sim)

    def compute_observations(self) -> None:
        self.obs_buf.copy_(self.dof_states.view(self.num_envs, 4))

    def compute_reward(self) -> None:
        cart_pos, pole_angle = self.dof_pos.unbind(1)
        cart_vel, pole_vel = self.dof_vel.unbind(1)
        reward = 1.0 - pole_angle**2 - 0.01 * cart_vel.abs() - 0.005 * pole_vel.abs()
        left = cart_pos.abs() > self.config.env.reset_distance
        fell = pole_angle.abs() > math.pi / 2
        torch.logical_or(left, fell, out=self.terminated_buf)
        torch.where(self.terminated_buf, reward.new_tensor(-2.0), reward, out=self.reward_buf)

    def reset_envs(self, mask: torch.Tensor) -> None:
        self.uniform(-0.1, 0.1, out=self.start_dof_states[..., 0])
        self.uniform(-0.25, 0.25, out=self.start_dof_states[..., 1])
        self.reset_state(mask, self.start_root_states, self.start_dof_states.view(-1, 2))
