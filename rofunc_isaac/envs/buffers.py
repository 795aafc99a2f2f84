"""What a task fills, checked where its code has run: a wrong shape would else fail far away."""

from __future__ import annotations

from typing import Any, Tuple

import torch

from rofunc_isaac.errors import UserError

ISAACGYMENVS_NAMES = {
    "rew_buf": "reward_buf",
    "reset_buf": "terminated_buf, without the time limit, which is env.episode_length's",
}
"""Attributes of IsaacGymEnvs' tasks that mean nothing here, and what takes their place."""


def check_actions(task: Any, actions: torch.Tensor) -> None:
    """Raises UserError: not (num_envs, num_actions)."""
    wanted = (task.num_envs, task.num_actions)
    if tuple(actions.shape) != wanted:
        raise UserError(
            f"{type(task).__name__}.step takes actions of shape {wanted}, (num_envs, num_actions), "
            f"not {tuple(actions.shape)}"
        )


def check_observations(task: Any) -> None:
    """Raises UserError: `obs_buf` is not what `num_obs` says."""
    _check(task, "compute_observations", "obs_buf", (task.num_envs, task.num_obs), torch.float32)


def check_outcome(task: Any) -> None:
    """Raises UserError: reward or ends of episodes are not one for each environment."""
    _check(task, "compute_reward", "reward_buf", (task.num_envs,), torch.float32)
    _check(task, "compute_reward", "terminated_buf", (task.num_envs,), torch.bool)


def check_names(task: Any) -> None:
    """Raises UserError: the task writes buffers of IsaacGymEnvs' names, which nothing reads."""
    for theirs, ours in ISAACGYMENVS_NAMES.items():
        if hasattr(task, theirs):
            name = f"{type(task).__name__}.{theirs}"
            raise UserError(f"{name} has no effect here: write {ours}; see docs/new_task.md")


def _check(task: Any, method: str, name: str, shape: Tuple[int, ...], dtype: torch.dtype) -> None:
    buffer = getattr(task, name)
    if tuple(buffer.shape) != shape or buffer.dtype != dtype:
        raise UserError(
            f"after {type(task).__name__}.{method}, {name} is {buffer.dtype} of shape "
            f"{tuple(buffer.shape)}; it must be {dtype} of shape {shape}"
        )
