"""The contract between a learner and vectorised environments."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Protocol

import torch


class StepResult(NamedTuple):
    """What one step of all environments gives. Valid until the next step: buffers are reused."""

    obs: torch.Tensor
    """float32 (num_envs, num_obs): after the reset, where an episode ended."""
    reward: torch.Tensor
    """float32 (num_envs,)"""
    terminated: torch.Tensor
    """bool (num_envs,): the episode ended by the task's own rules; its future is worth nothing."""
    truncated: torch.Tensor
    """bool (num_envs,): the episode was cut by a time limit; never where `terminated` is set."""
    final_obs: torch.Tensor
    """float32 (num_envs, num_obs): the observation before any reset; equals `obs` elsewhere."""


class VecEnv(Protocol):
    """`num_envs` environments stepped together; finished ones are reset within the step.

    All tensors lie on `device`, are allocated once and written in place.
    """

    num_envs: int
    num_obs: int
    num_states: int
    """How many of an observation's last columns are for the value alone, which then sees no others:
    what a simulation knows and a robot does not. 0 is the usual case."""
    num_actions: int
    device: torch.device
    max_episode_length: Optional[int]
    """An env is truncated at most once in this many steps; None promises nothing."""

    def reset(self) -> torch.Tensor:
        """Start a new episode everywhere; observations, float32 (num_envs, num_obs)."""
        ...

    def step(self, actions: torch.Tensor) -> StepResult:
        """Apply `actions`, float32 (num_envs, num_actions), for one control step."""
        ...

    def metrics(self) -> Dict[str, torch.Tensor]:
        """One-element tensors by name, to be logged with the learner's own; may be empty."""
        ...
