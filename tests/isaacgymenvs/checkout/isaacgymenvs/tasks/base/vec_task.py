"""What the tasks have in common, with the attributes that IsaacGymEnvs' tasks have."""

from __future__ import annotations

from typing import Any

import torch
from isaacgym import gymapi

EXISTING_SIM = None


class VecTask:
    """Steps the physics, and leaves the rest to a task's `pre_` and `post_physics_step`."""

    def __init__(self, cfg: dict[str, Any], rl_device: str, sim_device: str, **viewer: Any) -> None:
        global EXISTING_SIM
        self.cfg, self.rl_device = cfg, rl_device
        kind, _, number = sim_device.partition(":")
        self.device_id = int(number)
        self.device = sim_device if kind == "cuda" and cfg["sim"]["use_gpu_pipeline"] else "cpu"
        env = cfg["env"]
        self.num_envs = env["numEnvs"]
        self.num_obs, self.num_actions = env["numObservations"], env["numActions"]
        self.num_states = env["numStates"]
        self.max_episode_length = env["episodeLength"]
        self.clip_actions, self.clip_obs = env["clipActions"], env["clipObservations"]
        self.total_train_env_frames = 0

        self.gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.dt, params.substeps = cfg["sim"]["dt"], cfg["sim"]["substeps"]
        params.up_axis, params.gravity = gymapi.UP_AXIS_Z, gymapi.Vec3(0.0, 0.0, 0.0)
        params.physx.num_threads = cfg["sim"]["physx"]["num_threads"]
        params.use_gpu_pipeline = cfg["sim"]["use_gpu_pipeline"]
        if EXISTING_SIM is None:
            EXISTING_SIM = self.gym.create_sim(self.device_id, -1, gymapi.SIM_PHYSX, params)
        self.sim = EXISTING_SIM
        self.create_envs()
        self.gym.prepare_sim(self.sim)

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(self.num_envs, *shape, dtype=dtype, device=self.device)

        self.obs_buf, self.states_buf = zeros(self.num_obs), zeros(self.num_states)
        self.rew_buf = zeros()
        self.reset_buf = zeros(dtype=torch.long) + 1
        self.progress_buf = zeros(dtype=torch.long)
        self.extras: dict[str, Any] = {}
        self.obs_dict: dict[str, torch.Tensor] = {}

    def create_envs(self) -> None:
        raise NotImplementedError

    def pre_physics_step(self, actions: torch.Tensor) -> None:
        raise NotImplementedError

    def post_physics_step(self) -> None:
        raise NotImplementedError

    def set_train_info(self, env_frames: int, *rest: Any) -> None:
        self.total_train_env_frames = env_frames

    def step(self, actions: torch.Tensor) -> tuple:
        self.pre_physics_step(actions.clamp(-self.clip_actions, self.clip_actions))
        self.gym.simulate(self.sim)
        self.gym.fetch_results(self.sim, True)
        self.post_physics_step()
        late = self.progress_buf >= self.max_episode_length - 1
        self.extras["time_outs"] = late & (self.reset_buf != 0)
        self.obs_dict["obs"] = self.obs_buf.clamp(-self.clip_obs, self.clip_obs)
        if self.num_states > 0:
            self.obs_dict["states"] = self.states_buf.clamp(-self.clip_obs, self.clip_obs)
        return self.obs_dict, self.rew_buf, self.reset_buf, self.extras
