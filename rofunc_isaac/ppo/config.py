"""What can be set about a PPO run, with the published Isaac Gym values as defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Union


@dataclass
class PPOConfig:
    """Hyperparameters of one PPO run.

    A batch is `num_envs * horizon_length` samples. Names and defaults follow the settings that
    IsaacGymEnvs published for Ant; facts that differ from a textbook PPO are said at the field.
    """

    max_iterations: int = 500
    """Iterations (one rollout and its update each) until the run is finished."""
    horizon_length: int = 16
    """Steps that every env takes between two updates."""
    minibatch_size: Union[int, str] = "auto"
    """Samples a minibatch; it must divide the batch. `auto` is batch / num_minibatches."""
    num_minibatches: int = 2
    """Minibatches an epoch where `minibatch_size` is `auto`: the published ratio."""
    mini_epochs: int = 4
    """Passes over the batch an update."""
    learning_rate: float = 3e-4
    """The rate at the start; the scheduler moves it."""
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    """Clipping of the probability ratio and, where `clip_value_loss`, of the value's move."""
    clip_value_loss: bool = True
    critic_coef: float = 2.0
    """Weight of half the squared value error."""
    entropy_coef: float = 0.0
    bounds_loss_coef: float = 1e-4
    """Weight of the squared excess of |mean action| over `bounds_limit`."""
    bounds_limit: float = 1.1
    max_grad_norm: Optional[float] = None
    """Gradients are scaled down to this norm; null turns clipping off."""
    reward_scale: float = 0.01
    """Rewards are multiplied by this before returns are computed; metrics show raw rewards."""
    normalize_observations: bool = True
    normalize_values: bool = True
    normalize_advantages: bool = True
    hidden_sizes: List[int] = field(default_factory=lambda: [256, 128, 64])
    """Widths of the trunk that policy and value share."""
    critic_hidden_sizes: Optional[List[int]] = None
    """Widths of a trunk for the value alone; null lets it share the policy's. Where environments
    have states for the value alone, null gives it a trunk of `hidden_sizes`."""
    activation: str = "elu"
    """One of elu, relu, tanh, silu."""
    initial_log_std: float = 0.0
    """Start of the log standard deviation, one number an action, independent of the state."""
    precision: str = "auto"
    """Of the trunk's matrix products: float32, bfloat16, or auto (bfloat16 where the processor
    multiplies it natively)."""
    compile: Union[bool, str] = "auto"
    """Whether torch's compiler works on the update, the policy, and the task's observation and
    reward: True, False, or auto (on the CPU, where the run is long enough to gain by it and a C++
    compiler is found)."""
    rollout_threads: int = 0
    """torch threads during a rollout on the CPU; 0 is torch's own choice where idle ones sleep, as
    train.py lets them, and else 1: they would take cores from the physics."""
    update_threads: int = 0
    """torch threads during an update on the CPU; 0 is torch's own choice."""
