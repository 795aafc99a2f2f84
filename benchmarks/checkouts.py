"""Tasks of other people's checkouts, made as their own training scripts make them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Protocol

import torch


class Task(Protocol):
    """What the checks need of a task, whoever wrote it."""

    sim: Any
    num_actions: int
    max_progress: int
    """How many steps an episode may take."""

    @property
    def progress(self) -> torch.Tensor:
        """How many each environment's has taken, (envs,)."""
        ...

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Observations (envs, n), rewards (envs,), and where an episode ended (envs,)."""
        ...

    def different_properties(self) -> dict[str, int]:
        """How many different values the environments have, by property."""
        ...


def make(kind: str, name: str, envs: int, threads: int, overrides: list[str]) -> Task:
    """The task `name` of the checkout `kind`, "isaacgymenvs" or "legged_gym"."""
    if kind == "isaacgymenvs":
        return IsaacGymEnvsTask(name, envs, threads, overrides)
    return LeggedGymTask(name, envs, threads, overrides)


class IsaacGymEnvsTask:
    """Made by `isaacgymenvs.make`, with the configuration of its train.py."""

    def __init__(self, name: str, envs: int, threads: int, overrides: list[str]) -> None:
        root = Path(os.environ["ISAACGYMENVS_PATH"]).resolve()
        sys.path.append(str(root))
        import hydra
        import isaacgymenvs
        from isaacgymenvs.utils.utils import set_seed

        words = [f"task={name}", f"num_envs={envs}", f"num_threads={threads}", "headless=True"]
        words += ["sim_device=cpu:0", "rl_device=cpu", "pipeline=cpu", "graphics_device_id=-1"]
        with hydra.initialize_config_dir(str(root / "isaacgymenvs" / "cfg"), version_base=None):
            config = hydra.compose("config", overrides=[*words, *overrides])
        set_seed(0)
        self.env = isaacgymenvs.make(0, name, envs, "cpu:0", "cpu", headless=True, cfg=config)
        self.sim, self.num_actions = self.env.sim, self.env.num_actions
        self.max_progress = self.env.max_episode_length
        self.resets_when_told = name.startswith("HumanoidAMP")  # its learner does

    @property
    def progress(self) -> torch.Tensor:
        return self.env.progress_buf  # some tasks put another tensor there

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        if self.resets_when_told:
            self.env.reset_done()
        obs, reward, done, _ = self.env.step(actions)
        # Dextreme's tasks hand out parts under names of their own.
        parts = [obs["obs"]] if "obs" in obs else [part.flatten(1) for part in obs.values()]
        return torch.cat(parts, dim=1), reward, done.bool()

    def different_properties(self) -> dict[str, int]:
        return different_properties(self.env.gym, self.env.envs)


class LeggedGymTask:
    """Made by its task registry, with the arguments of its train.py."""

    def __init__(self, name: str, envs: int, threads: int, overrides: list[str]) -> None:
        root = Path(os.environ["LEGGED_GYM_PATH"]).resolve()
        sys.path.append(str(root))
        if os.environ.get("RSL_RL_PATH"):
            sys.path.append(str(Path(os.environ["RSL_RL_PATH"]).resolve()))
        sys.argv = ["train.py", f"--task={name}", f"--num_envs={envs}", f"--num_threads={threads}"]
        sys.argv += ["--sim_device=cpu", "--rl_device=cpu", "--headless", *overrides]
        from legged_gym.envs import task_registry

        self.env, _ = task_registry.make_env(name)
        self.env.reset()
        self.sim, self.num_actions = self.env.sim, self.env.num_actions
        self.max_progress = int(self.env.max_episode_length)

    @property
    def progress(self) -> torch.Tensor:
        return self.env.episode_length_buf

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        obs, _, reward, done, _ = self.env.step(actions)
        return obs, reward, done.bool()

    def different_properties(self) -> dict[str, int]:
        return different_properties(self.env.gym, self.env.envs)


def different_properties(gym: Any, envs: list[Any]) -> dict[str, int]:
    """How many different values the environments have of what randomisation changes."""
    found: dict[str, int] = {}
    for handle in range(gym.get_actor_count(envs[0])):
        name = gym.get_actor_name(envs[0], handle)
        values: dict[str, set[Any]] = {}
        for env in envs:
            bodies = gym.get_actor_rigid_body_properties(env, handle)
            shapes = gym.get_actor_rigid_shape_properties(env, handle)
            dofs = gym.get_actor_dof_properties(env, handle)
            values.setdefault("mass", set()).add(tuple(body.mass for body in bodies))
            values.setdefault("friction", set()).add(tuple(shape.friction for shape in shapes))
            for field in ("stiffness", "damping", "lower", "upper"):
                values.setdefault(field, set()).add(tuple(dofs[field]))
            values.setdefault("scale", set()).add(gym.get_actor_scale(env, handle))
        found.update({f"{name}.{key}": len(seen) for key, seen in values.items() if len(seen) > 1})
    return found
