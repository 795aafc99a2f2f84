"""A mass of 1 kg on a rail, pushed by a force: it shall stay near the middle."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import hydra
import torch
from isaacgym import gymapi, gymtorch

from isaacgymenvs.tasks.base.vec_task import VecTask

MODEL = """\
<mujoco model="slider">
  <worldbody>
    <body name="rail">
      <geom type="capsule" fromto="-1 0 0 1 0 0" size="0.01" contype="0" conaffinity="0"/>
      <body name="mass">
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <joint name="slide" type="slide" axis="1 0 0"/>
        <geom type="sphere" size="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


class Slider(VecTask):
    """An episode ends where the mass is further than `reach` from the middle, or by time.

    It is reset in the step after that one, before it is observed.
    """

    def __init__(self, cfg: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        cfg["env"].update(numObservations=2, numActions=1)
        cfg["env"]["numStates"] = 3 if cfg["env"]["asymmetric_observations"] else 0
        # As Factory's tasks read the settings of the training.
        self.horizon = hydra.compose("train/SliderPPO").train.params.config.horizon_length
        self.reach, self.max_force = cfg["env"]["reach"], cfg["env"]["maxForce"]
        super().__init__(cfg, *args, **kwargs)
        states = self.gym.acquire_dof_state_tensor(self.sim)
        self.dof_state = gymtorch.wrap_tensor(states).view(self.num_envs, 1, 2)
        self.extras["episode"] = {"reach": torch.tensor(self.reach)}

    def create_envs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "slider.xml").write_text(MODEL)
            options = gymapi.AssetOptions()
            options.fix_base_link = True
            asset = self.gym.load_asset(self.sim, folder, "slider.xml", options)
        for number in range(self.num_envs):
            env = self.gym.create_env(self.sim, gymapi.Vec3(), gymapi.Vec3(), 8)
            self.gym.create_actor(env, asset, gymapi.Transform(), "slider", number, 0)

    def pre_physics_step(self, actions: torch.Tensor) -> None:
        forces = gymtorch.unwrap_tensor((actions * self.max_force).contiguous())
        self.gym.set_dof_actuation_force_tensor(self.sim, forces)

    def post_physics_step(self) -> None:
        self.progress_buf += 1
        ended = self.reset_buf.nonzero().flatten()
        if len(ended) > 0:
            self.reset_idx(ended)
        self.observe()
        self.judge()

    def reset_idx(self, env_ids: torch.Tensor) -> None:
        """Start at rest within a tenth of the reach."""
        start = torch.rand(len(env_ids)) * 2.0 - 1.0
        self.dof_state[env_ids, 0, 0] = 0.1 * self.reach * start
        self.dof_state[env_ids, 0, 1] = 0.0
        indices = gymtorch.unwrap_tensor(env_ids.to(torch.int32))
        states = gymtorch.unwrap_tensor(self.dof_state)
        self.gym.set_dof_state_tensor_indexed(self.sim, states, indices, len(env_ids))
        self.progress_buf[env_ids] = 0
        self.reset_buf[env_ids] = 0

    def observe(self) -> None:
        self.gym.refresh_dof_state_tensor(self.sim)
        self.obs_buf.copy_(self.dof_state[:, 0])
        if self.num_states:
            self.states_buf[:, :2] = self.obs_buf
            self.states_buf[:, 2] = self.progress_buf / self.max_episode_length

    def judge(self) -> None:
        place = self.dof_state[:, 0, 0]
        self.rew_buf.copy_(1.0 - (place / self.reach).abs())
        late = self.progress_buf >= self.max_episode_length - 1
        self.reset_buf.copy_((place.abs() > self.reach) | late)


class SliderAtOnce(Slider):
    """The same, reset within the step that ends the episode."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reset_idx(torch.arange(self.num_envs))

    def post_physics_step(self) -> None:
        self.progress_buf += 1
        self.gym.refresh_dof_state_tensor(self.sim)
        self.judge()
        ended = self.reset_buf.nonzero().flatten()
        if len(ended) > 0:
            self.reset_idx(ended)
            self.reset_buf[ended] = 1
        self.observe()
