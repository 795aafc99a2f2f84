"""The schema of a run's whole configuration. Loads without torch and without a simulator."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Optional, Union

from hydra.core.config_store import ConfigStore

from rofunc_isaac.envs.config import TaskConfig
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.schedulers.config import SchedulerChoice


@dataclass
class TrackerConfig:
    """Where metrics go besides the terminal and `metrics.jsonl`. Groups: `wandb`, `off`.

    The values come from the top-level names `wandb_*`.
    """

    activate: bool = True
    """Log to Weights & Biases: online where a key is found, else offline."""
    project: str = "rofunc_isaac"
    name: Optional[str] = None
    """Name of the run on the dashboard; null is the run folder's name."""
    entity: Optional[str] = None
    group: Optional[str] = None


@dataclass
class SimulatorConfig:
    """Which simulator stands behind the `isaacgym` interface."""

    name: str = "auto"
    """`auto` (by sim_device), `mujoco` (CPU), `mujoco_warp` (CUDA), or `isaacgym` (NVIDIA's)."""
    max_contacts: Optional[int] = None
    """Room for contacts in MuJoCo Warp, a world (one may borrow from others); null finds it out."""
    max_constraints: Optional[int] = None
    """Room for constraints there, a world; null finds it out."""


@dataclass
class RunConfig:
    """Everything that `train.py` can be told. `cfg/config.yaml` composes it.

    `task` is open: its keys are those of the task's own dataclass, which is checked once the
    simulator is chosen, since only then may the task's module be imported.
    """

    task: Dict[str, Any] = field(default_factory=lambda: asdict(TaskConfig()))
    train: PPOConfig = field(default_factory=PPOConfig)
    scheduler: SchedulerChoice = field(default_factory=SchedulerChoice)
    tracker: TrackerConfig = field(default_factory=TrackerConfig)
    simulator: SimulatorConfig = field(default_factory=SimulatorConfig)

    isaacgymenvs_path: Optional[str] = None
    """Folder of a checkout, for tasks of IsaacGymEnvs; null is the one that is installed."""
    num_envs: Optional[int] = None
    """Parallel envs a process. Null: the task's own number for the device."""
    seed: int = 42
    """Seed of everything random; -1 draws one, which the run folder records."""
    max_iterations: Optional[int] = None
    """Null: train.max_iterations."""
    sim_device: str = "auto"
    """Device of the physics: `cpu`, `cuda`, `cuda:N`, or `auto`: CUDA where it can be used."""
    rl_device: str = "auto"
    """Device of the learner, by default that of the physics."""
    headless: bool = True
    """Run without a viewer window."""
    test: bool = False
    """Run the policy of `checkpoint` without noise instead of training."""
    checkpoint: Optional[str] = None
    """Where to start from: a path to a `.pt` file of an earlier run."""
    experiment: Optional[str] = None
    """Name of the run: its folder is runs/EXPERIMENT."""
    run_dir: Optional[str] = None
    """The run's folder; null is runs/EXPERIMENT or runs/TASK_TIME."""
    resume: Union[bool, str] = False
    """True goes on from the last checkpoint in run_dir; `auto` does so where there is one."""
    checkpoint_every: int = 50
    """Iterations between two checkpoints."""
    multi_gpu: bool = False
    capture_video: bool = False
    wandb_activate: bool = True
    wandb_project: str = "rofunc_isaac"
    wandb_name: Optional[str] = None
    wandb_entity: Optional[str] = None
    wandb_group: Optional[str] = None


# `cfg/config.yaml` starts its defaults list with this, so that Hydra checks every file and
# override against the dataclasses.
ConfigStore.instance().store(name="schema", node=RunConfig, provider="rofunc_isaac.cli.config")
