"""A task of IsaacGymEnvs as a `VecEnv`."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from rofunc_isaac import simulator

simulator.ensure_selected()

import torch  # noqa: E402  NVIDIA's isaacgym refuses to load after torch

from rofunc_isaac import random_state  # noqa: E402
from rofunc_isaac.compat import install  # noqa: E402
from rofunc_isaac.envs import attributes  # noqa: E402
from rofunc_isaac.envs.vec_task import check_device  # noqa: E402
from rofunc_isaac.errors import UserError  # noqa: E402
from rofunc_isaac.isaacgymenvs.checkout import PACKAGE, Checkout  # noqa: E402
from rofunc_isaac.isaacgymenvs.offer import tree  # noqa: E402
from rofunc_isaac.isaacgymenvs.settings import its_hydra  # noqa: E402
from rofunc_isaac.vec_env import StepResult  # noqa: E402

ACTION_LIMIT = 1.0
"""Of IsaacGymEnvs' action spaces, to which rl_games clamps."""


class IsaacGymEnv:
    """Steps a task of IsaacGymEnvs, and tells apart how its episodes end.

    Most of its tasks reset an environment in the step after the one that ended the episode. So the
    observation that comes with an end is the episode's last, and `final_obs` is exact; the next
    step's action counts for nothing. A task that resets within the step (AnymalTerrain) does not
    show the last observation: `final_obs` is the one before, whose value rl_games takes for all.

    Args:
        task: made; its buffers are used as they are.
        device: where actions come from and observations go to: the task's `rl_device`.
        clip_actions: clamp actions to the action space, as rl_games does.
        bootstrap_time_limits: False counts an episode that was cut by its time limit as
            terminated, as rl_games does with `value_bootstrap: False`.
        states_for_value: append the task's `states` to the observations, for the value alone.

    Raises:
        UserError: observations of a kind that our PPO does not have.
    """

    max_episode_length: Optional[int] = None

    def __init__(
        self,
        task: Any,
        device: torch.device,
        clip_actions: bool = True,
        bootstrap_time_limits: bool = True,
        states_for_value: bool = False,
    ) -> None:
        if getattr(task, "dict_obs_cls", False) or task.num_obs < 1:
            raise UserError(f"{type(task).__name__} has no plain vector of observations")
        if states_for_value and task.num_states < 1:
            raise UserError(
                f"the training wants states for the value, and {type(task).__name__} has none with "
                "these settings; is its asymmetric_observations off?"
            )
        self.task, self.device = task, device
        self.num_envs, self.num_actions = int(task.num_envs), int(task.num_actions)
        self.num_states = int(task.num_states) if states_for_value else 0
        self.num_obs = int(task.num_obs) + self.num_states
        self.clip_actions = clip_actions
        self.bootstrap_time_limits = bootstrap_time_limits
        self.env_steps = 0
        self.obs_buf = torch.zeros(self.num_envs, self.num_obs, device=device)
        self.final_obs_buf = torch.zeros_like(self.obs_buf)
        self.unstable_resets = torch.zeros(1, dtype=torch.int64, device=device)
        self.extras: Mapping[str, Any] = {}

    def reset(self) -> torch.Tensor:
        """Start a new episode everywhere; observations, float32 (num_envs, num_obs).

        They are those after a step without action, since the tasks observe in steps alone. A task
        that resets within the step begins no new episode here: at the start of a run it has just
        done so.
        """
        self.task.reset_buf.fill_(1)
        return self.step(torch.zeros(self.num_envs, self.num_actions, device=self.device)).obs

    def step(self, actions: torch.Tensor) -> StepResult:
        """One control step; see `rofunc_isaac.vec_env`. The order of events:"""
        # 1. The task steps the physics, observes, earns, and says whose episode has ended.
        task = self.task
        if self.clip_actions:
            actions = actions.clamp(-ACTION_LIMIT, ACTION_LIMIT)
        progress = task.progress_buf.clone()
        broken_before = simulator.unstable_resets(task.sim, progress).clone()
        seen, reward, ended, self.extras = task.step(actions)
        self.env_steps += self.num_envs

        # 2. A world that broke down has no honest reward. It stands at the model's start now, and
        #    the task shall reset it.
        broken = simulator.unstable_resets(task.sim, progress) > broken_before
        self.unstable_resets += broken.sum().to(self.device)
        task.reset_buf.masked_fill_(broken, 1)
        broken = broken.to(self.device)
        reward = reward.masked_fill(broken, 0.0)
        ended = (ended > 0) | broken

        # 3. What ended it: the task's rules, or the time limit. Where the new episode has begun
        #    within the step, the task's own word on the time limit comes too late.
        begun = ended & (task.progress_buf == 0).to(self.device)
        late = (progress + 1 >= task.max_episode_length - 1).to(self.device)
        time_out = (self.extras["time_outs"] > 0) | (begun & late)
        truncated = ended & time_out & ~broken
        if not self.bootstrap_time_limits:
            truncated = torch.zeros_like(truncated)

        # 4. The last observation of the old episode.
        self.final_obs_buf.copy_(self.obs_buf)
        self._observe(seen)
        self.final_obs_buf.copy_(torch.where(begun[:, None], self.final_obs_buf, self.obs_buf))
        return StepResult(self.obs_buf, reward, ended & ~truncated, truncated, self.final_obs_buf)

    def metrics(self) -> Dict[str, torch.Tensor]:
        """`env/unstable_resets`, and the numbers that the task put into its `extras` last."""
        numbers = dict(_numbers(self.extras, "env"))
        return {**numbers, "env/unstable_resets": self.unstable_resets}

    def maintain(self) -> None:
        """Between iterations: the physics mends what it lost, the task hears of the progress."""
        simulator.maintain(self.task.sim)
        if hasattr(self.task, "set_train_info"):  # older versions have none
            self.task.set_train_info(self.env_steps)

    def state_dict(self) -> Optional[Dict[str, Any]]:
        """The physics, and the task's attributes that are plain; None where it can't be had.

        What the task keeps elsewhere (objects of classes of its own, module variables) is not
        in it.
        """
        physics = simulator.snapshot(self.task.sim)
        if physics is None:
            return None
        return {
            "physics": physics,
            "attributes": attributes.collect(self.task),
            "obs": self.obs_buf.clone(),
            "env_steps": self.env_steps,
            "unstable_resets": self.unstable_resets.clone(),
        }

    def load_state_dict(self, state: Dict[str, Any]) -> torch.Tensor:
        """Go on from `state`; observations, float32 (num_envs, num_obs).

        Raises:
            UserError: it is of another task or another number of environments.
        """
        simulator.restore(self.task.sim, state["physics"])
        try:
            attributes.put_back(self.task, state["attributes"])
        except ValueError as error:
            raise UserError(
                f"the environments' state does not fit: {type(self.task).__name__}.{error}; start "
                "new episodes from the policy with checkpoint=PATH in place of resume"
            ) from error
        self.env_steps = state["env_steps"]
        self.unstable_resets.copy_(state["unstable_resets"])
        return self.obs_buf.copy_(state["obs"])

    def _observe(self, seen: Mapping[str, torch.Tensor]) -> None:
        own = self.num_obs - self.num_states
        self.obs_buf[:, :own] = seen["obs"]
        if self.num_states:
            self.obs_buf[:, own:] = seen["states"]


def make(
    config: Mapping[str, Any],
    path: Optional[str],
    num_envs: int,
    sim_device: str,
    rl_device: str,
    seed: int,
    headless: bool = True,
) -> IsaacGymEnv:
    """The environments of a composed task.

    Args:
        config: the `task` of a run's configuration.
        path: of the checkout; None takes an installed one.
        seed: of the process's generators, from which these tasks draw.

    Raises:
        UserError: a device, a viewer or a package that can't be had.
    """
    if not headless:
        raise UserError("headless=False: this version has no viewer; use headless=True")
    sim, device = check_device("sim_device", sim_device), check_device("rl_device", rl_device)
    values = tree(config)
    values["env"]["numEnvs"] = num_envs
    values["sim"]["use_gpu_pipeline"] = values["sim"]["physx"]["use_gpu"] = sim.type == "cuda"
    random_state.seed_everything(seed)
    checkout = Checkout(path)
    make_task = task_class(values["name"], checkout)
    with its_hydra(checkout):
        task = make_task(
            cfg=values,
            rl_device=str(device),
            # Some tasks read the number out of it.
            sim_device=f"{sim.type}:{sim.index or 0}",
            graphics_device_id=0,
            headless=True,
            virtual_screen_capture=False,
            force_render=False,
        )
    return IsaacGymEnv(task, device, **config["vec_env"])


def task_class(name: str, checkout: Checkout) -> Any:
    """What IsaacGymEnvs makes the task of that name with; imports all of its tasks.

    Raises:
        UserError: it has none of that name, or a package that it needs is missing.
    """
    if simulator.is_ours():
        install.install()
    if str(checkout.root) not in sys.path:
        sys.path.insert(0, str(checkout.root))
    try:
        tasks = importlib.import_module(f"{PACKAGE}.tasks")
        # It makes one simulation a process, and gives every later task the same.
        importlib.import_module(f"{PACKAGE}.tasks.base.vec_task").EXISTING_SIM = None  # type: ignore[attr-defined]
    except ModuleNotFoundError as error:
        raise UserError(
            f"IsaacGymEnvs needs {error.name}, which is not installed here. Beside rofunc_isaac it "
            "takes: pip install gym==0.23.1 scipy"
        ) from error
    if name not in tasks.isaacgym_task_map:
        known = ", ".join(sorted(tasks.isaacgym_task_map))
        raise UserError(f"IsaacGymEnvs has no task class for {name}; it has {known}")
    return tasks.isaacgym_task_map[name]


def _numbers(extras: Mapping[str, Any], prefix: str) -> Iterator[Tuple[str, torch.Tensor]]:
    """Single numbers in a tree of dicts, by their path."""
    for name, value in extras.items():
        path = f"{prefix}/{name}"
        if isinstance(value, Mapping):
            yield from _numbers(value, path)
        elif isinstance(value, torch.Tensor) and value.numel() == 1:
            yield path, value.detach()
        elif isinstance(value, (int, float)):
            yield path, torch.tensor(float(value))
