"""What every task's configuration holds. A task adds its own fields in its own file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List

MAX_NUM_ENVS = 2**20
"""Limit of parallel envs a process: far above what fits, low enough to catch a slip."""


@dataclass
class SolverConfig:
    """How MuJoCo's solver (Newton's method) finds the forces of contacts and limits.

    NVIDIA's simulator has its own solver, which none of this reaches.
    """

    iterations: int = 100
    """At most so many a physics step."""
    tolerance: float = 1e-8
    """It stops where an iteration improves the solution by less; see `mjOption.tolerance`."""
    warm_start: bool = True
    """Whether it begins at the last step's solution. Both ways lead to one solution; which is
    quicker depends on the task: hands hold on for many steps, feet do not."""


@dataclass
class SimConfig:
    """The simulation that a task asks for, in Isaac Gym's terms."""

    dt: float = 1.0 / 60.0
    """Seconds a simulation frame."""
    substeps: int = 2
    """Physics steps a frame; they divide dt."""
    gravity: List[float] = field(default_factory=lambda: [0.0, 0.0, -9.81])
    """m/s^2, world frame, z up."""
    num_threads: int = 0
    """Physics threads on the CPU; 0 uses every core."""
    solver: SolverConfig = field(default_factory=SolverConfig)


@dataclass
class EnvConfig:
    """What all environments have. Tasks derive from it for rewards, ranges and scales."""

    num_envs: int = 4096
    """Published number of parallel envs, the default on a GPU."""
    num_envs_cpu: int = 2048
    """Default on the CPU, sized for a laptop."""
    env_spacing: float = 5.0
    """Metres between env origins; seen in a viewer only."""
    episode_length: int = 1000
    """Steps until an episode is truncated."""
    clip_actions: float = 1.0
    """Actions are clamped to [-clip_actions, clip_actions] before the task sees them."""
    clip_observations: float = float("inf")
    """Observations are clamped likewise after the task has computed them."""
    control_frequency_inv: int = 1
    """Simulation frames an action is held for."""


@dataclass
class TaskConfig:
    """Base of a task's configuration: `task=NAME` composes one from `cfg/task/NAME.yaml`."""

    name: str = ""
    entry: str = ""
    """`module:Class` of the task."""
    env: EnvConfig = field(default_factory=EnvConfig)
    sim: SimConfig = field(default_factory=SimConfig)
