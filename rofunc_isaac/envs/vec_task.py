"""The base of every task: a `VecEnv` on the Isaac Gym interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, ClassVar, Dict, Generic, Optional, Type, TypeVar

from rofunc_isaac import simulator

simulator.ensure_selected()

import torch  # noqa: E402  NVIDIA's isaacgym refuses to load after torch
from isaacgym import gymapi  # noqa: E402

from rofunc_isaac.compiler import Compiled  # noqa: E402
from rofunc_isaac.cuda_graphs import Graphed  # noqa: E402
from rofunc_isaac.envs import attributes, buffers  # noqa: E402
from rofunc_isaac.envs.config import TaskConfig  # noqa: E402
from rofunc_isaac.errors import UserError  # noqa: E402
from rofunc_isaac.vec_env import StepResult  # noqa: E402

COMPILE_SETTING = "train.compile=False"
"""What a user does without compilation by."""

C = TypeVar("C", bound=TaskConfig)


class VecTask(ABC, Generic[C]):
    """`num_envs` copies of one scene, and what makes them a task.

    A task sets `Config`, `num_obs` and `num_actions` and supplies `create_envs`,
    `acquire_tensors`, `pre_physics_step`, `refresh_tensors`, `compute_observations`,
    `compute_reward` and `reset_envs`. All of them work on every environment at once, by masks:
    after creation there is no loop over environments.

    Args:
        config: the task's own configuration.
        num_envs: how many environments.
        sim_device: where the physics runs: "cpu" or "cuda:N".
        rl_device: where actions come from and observations go to.
        seed: of everything random in the environments.
        headless: False asks for a viewer window.

    Raises:
        UserError: a device or a viewer that can't be had.

    Attributes:
        gym, sim: Isaac Gym's handles.
        num_states: of the observation's columns, the last so many are for the value alone.
        obs_buf: float32 (num_envs, num_obs), written by `compute_observations`.
        reward_buf: float32 (num_envs,), and terminated_buf: bool (num_envs,), written by
            `compute_reward`.
        progress_buf: int64 (num_envs,): steps since the episode began.
        graphed: what follows the physics in a step; its `status` tells whether it is a CUDA graph.
        generator: the source of everything random, on the device of the physics.
    """

    Config: ClassVar[Type[TaskConfig]]
    num_obs: int
    num_states: int = 0
    num_actions: int

    def __init__(
        self,
        config: C,
        num_envs: int,
        sim_device: str = "cpu",
        rl_device: Optional[str] = None,
        seed: int = 0,
        headless: bool = True,
    ) -> None:
        self.config = config
        self.num_envs = num_envs
        self.max_episode_length: Optional[int] = config.env.episode_length
        self.dt = config.sim.dt
        self.gym = gymapi.acquire_gym()
        self.sim_device = check_device("sim_device", sim_device)
        self.device = check_device("rl_device", rl_device or sim_device)
        self.sim = self.create_sim(headless)
        self.create_envs()
        self.gym.prepare_sim(self.sim)
        self.generator = torch.Generator(self.sim_device).manual_seed(seed)
        self._compute_outcome: Callable[[], None] = self._conclude
        self._compute_observations: Callable[[], None] = self._observe
        self.graphed = Graphed(
            "what follows the physics",
            self._finish_step,
            self.sim_device,
            generators=(self.generator,),
            holder=self,
        )
        self.allocate_buffers()
        self.acquire_tensors()

    def create_sim(self, headless: bool) -> Any:
        """The simulation that `config.sim` describes, z up."""
        if not headless:
            raise UserError("headless=False: this version has no viewer; use headless=True")
        config, params = self.config.sim, gymapi.SimParams()
        params.dt, params.substeps = config.dt, config.substeps
        params.up_axis = gymapi.UP_AXIS_Z
        params.gravity = gymapi.Vec3(*config.gravity)
        params.physx.num_threads = config.num_threads
        on_gpu = self.sim_device.type == "cuda"
        params.use_gpu_pipeline = params.physx.use_gpu = on_gpu
        sim = self.gym.create_sim(self.sim_device.index or 0, -1, gymapi.SIM_PHYSX, params)
        solver = config.solver
        simulator.set_solver(sim, solver.iterations, solver.tolerance, solver.warm_start)
        return sim

    def allocate_buffers(self) -> None:
        def zeros(*shape: int, dtype: torch.dtype) -> torch.Tensor:
            return torch.zeros(self.num_envs, *shape, dtype=dtype, device=self.sim_device)

        self.obs_buf = zeros(self.num_obs, dtype=torch.float32)
        self.final_obs_buf = torch.zeros_like(self.obs_buf)
        self.reward_buf = zeros(dtype=torch.float32)
        self.terminated_buf = zeros(dtype=torch.bool)
        self.truncated_buf = zeros(dtype=torch.bool)
        self.unstable_buf = zeros(dtype=torch.bool)
        self.progress_buf = zeros(dtype=torch.int64)
        self.unstable_resets = torch.zeros(1, dtype=torch.int64, device=self.sim_device)

    @abstractmethod
    def create_envs(self) -> None:
        """Load assets and create `num_envs` environments with their actors."""

    @abstractmethod
    def acquire_tensors(self) -> None:
        """Acquire the simulation's tensors and allocate what the task needs."""

    @abstractmethod
    def pre_physics_step(self, actions: torch.Tensor) -> None:
        """Hand clamped `actions`, (num_envs, num_actions), to the actuators; once a frame."""

    @abstractmethod
    def refresh_tensors(self) -> None:
        """Refresh every tensor that observations and rewards read."""

    @abstractmethod
    def compute_observations(self) -> None:
        """Write `obs_buf` from the tensors. It is called again after resets: no side effects.

        After a reset, root and DOF states are those of the new episode, while everything that the
        physics derives from them (forces, body states) is still the old one's.
        """

    @abstractmethod
    def compute_reward(self) -> None:
        """Write `reward_buf` and `terminated_buf` for the step that ended."""

    @abstractmethod
    def reset_envs(self, mask: torch.Tensor) -> None:
        """Start new episodes where `mask`, bool (num_envs,), is true, through `reset_state`."""

    def reset(self) -> torch.Tensor:
        """Start a new episode everywhere; observations, float32 (num_envs, num_obs)."""
        self.terminated_buf.fill_(True)
        self._reset_done(self.terminated_buf)
        self.terminated_buf.fill_(False)
        return self.obs_buf.to(self.device)

    def step(self, actions: torch.Tensor) -> StepResult:
        """One control step; see `rofunc_isaac.vec_env`. The order of events:"""
        buffers.check_actions(self, actions)
        # 1. Actions are clamped and reach the actuators for as many frames as they are held.
        limit = self.config.env.clip_actions
        actions = actions.to(self.sim_device).clamp(-limit, limit)
        self.unstable_buf.fill_(False)
        for _ in range(self.config.env.control_frequency_inv):
            self.pre_physics_step(actions)
            self.gym.simulate(self.sim)
            self.unstable_buf |= simulator.unstable_envs(self.gym, self.sim, self.progress_buf)
        self.gym.fetch_results(self.sim, True)
        # 2. to 4., on CUDA as one graph.
        self.graphed()
        buffers.check_names(self)
        return StepResult(
            self.obs_buf.to(self.device),
            self.reward_buf.to(self.device),
            self.terminated_buf.to(self.device),
            self.truncated_buf.to(self.device),
            self.final_obs_buf.to(self.device),
        )

    def compile(self) -> None:
        """Let torch's compiler make functions of what a step computes outside of the physics.

        `compute_observations` and `compute_reward` must be computations on tensors alone then,
        without branches on what tensors hold: otherwise a warning says so, and they stay as they
        are. The last bits are others than uncompiled.

        Raises:
            UserError: the task keeps a float64 tensor without dimensions. What compiled code writes
                to such a one is lost on the CPU (as of torch 2.13).
        """
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor) and (value.dim(), value.dtype) == (0, torch.float64):
                raise UserError(
                    f"{type(self).__name__}.{name} is a float64 tensor without dimensions, which "
                    "compiled code might not write to; give it one element, torch.zeros(1), or "
                    f"use {COMPILE_SETTING}"
                )
        self._compute_outcome = Compiled(self._conclude, COMPILE_SETTING)
        self._compute_observations = Compiled(self._observe, COMPILE_SETTING)

    def metrics(self) -> Dict[str, torch.Tensor]:
        """`env/unstable_resets`: how many worlds broke down since the start."""
        return {"env/unstable_resets": self.unstable_resets}

    def maintain(self) -> None:
        """Between iterations, when the host may wait: the physics tells and mends what it lost."""
        simulator.maintain(self.sim)

    def state_dict(self) -> Optional[Dict[str, Any]]:
        """Everything that later steps depend on, as plain data; None where it can't be had.

        That is the physics (where NVIDIA's simulator runs, it can't be read out), and every
        tensor, array, number and generator among the task's attributes. A task that keeps
        something of another kind adds it here and takes it out in `load_state_dict`.
        """
        physics = simulator.snapshot(self.sim)
        if physics is None:
            return None
        return {"physics": physics, "attributes": attributes.collect(self)}

    def load_state_dict(self, state: Dict[str, Any]) -> torch.Tensor:
        """Go on from `state`, of a task with the same configuration, as if it were this one's.

        Returns:
            Observations, float32 (num_envs, num_obs): those that the next step begins at.

        Raises:
            UserError: it is of another task or another number of environments.
        """
        simulator.restore(self.sim, state["physics"])
        try:
            attributes.put_back(self, state["attributes"])
        except ValueError as error:
            raise UserError(
                f"the environments' state is of another task: {type(self).__name__}.{error}"
            ) from error
        return self.obs_buf.to(self.device)

    def reset_state(
        self, mask: torch.Tensor, root_state: torch.Tensor, dof_state: torch.Tensor
    ) -> None:
        """Move the environments in `mask` to new states: the only way to set one.

        Refreshes the root and DOF state tensors, which both have been acquired.

        Args:
            mask: bool (num_envs,).
            root_state: float32 (actors, 13), dof_state: float32 (dofs, 2), in Isaac Gym's layout;
                rows of other environments are not read.
        """
        # Root and DOF states are shown at once, all others after the next frame.
        simulator.reset_state(self.gym, self.sim, mask, root_state, dof_state)

    def uniform(self, low: float, high: float, out: torch.Tensor) -> torch.Tensor:
        """Fill `out` from the uniform distribution over [low, high), and return it."""
        return out.uniform_(low, high, generator=self.generator)

    def _finish_step(self) -> None:
        # 2. What the step led to.
        self.progress_buf += 1
        self.refresh_tensors()
        # 3. Observation, reward, and which episodes end.
        self._compute_outcome()
        # 4. New episodes begin within the step; the old ones' last observation is kept.
        self._reset_done(self.terminated_buf | self.truncated_buf)

    def _conclude(self) -> None:
        """Observation, reward, and the ends of episodes, of the step that was simulated."""
        self._observe()
        self.compute_reward()
        buffers.check_outcome(self)
        # A world that broke down has no honest reward.
        self.unstable_resets += self.unstable_buf.sum()
        self.reward_buf.masked_fill_(self.unstable_buf, 0.0)
        self.terminated_buf |= self.unstable_buf
        torch.ge(self.progress_buf, self.config.env.episode_length, out=self.truncated_buf)
        self.truncated_buf &= ~self.terminated_buf
        self.final_obs_buf.copy_(self.obs_buf)

    def _reset_done(self, done: torch.Tensor) -> None:
        self.progress_buf.masked_fill_(done, 0)
        self.reset_envs(done)
        self._compute_observations()

    def _observe(self) -> None:
        self.compute_observations()
        buffers.check_observations(self)
        limit = self.config.env.clip_observations
        if limit != float("inf"):
            self.obs_buf.clamp_(-limit, limit)


def check_device(setting: str, name: str) -> torch.device:
    """The torch device called `name`, which is the value of `setting`.

    Raises:
        UserError: not a device, or a CUDA device that this machine does not have.
    """
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UserError(
            f"{setting}={name} is not a device; use {setting}=cpu or {setting}=cuda:0"
        ) from error
    if device.type == "cuda":
        count = torch.cuda.device_count()
        if count == 0:
            raise UserError(
                f"{setting}={name} needs CUDA, and torch finds none on this machine; run on the "
                f"CPU with {setting}=cpu"
            )
        if (device.index or 0) >= count:
            raise UserError(f"{setting}={name}: this machine has cuda:0 to cuda:{count - 1}")
    return device
