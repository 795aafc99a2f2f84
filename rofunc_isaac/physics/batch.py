"""What every physics engine offers: many copies of one MuJoCo model as torch tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Dict, Tuple

import mujoco
import torch

from rofunc_isaac.physics.errors import PhysicsError

Snapshot = Dict[str, Any]
"""Everything needed to continue a batch: nested dicts of tensors, plain for `torch.save`."""


INPUT_FIELDS = frozenset(
    "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat qacc_warmstart".split()
)
"""Fields of `mjData` that the engine takes from whoever wrote them; the others it computes."""

MAX_VELOCITY = 1000.0
"""m/s or rad/s. A world in which a degree of freedom is faster after a step has broken down.

MuJoCo itself lets a diverging world go on up to 1e10, for several steps, in which rewards and
observations are finite and without meaning: one such episode is enough to spoil a training.
"""


def check_snapshot(found: Tuple[int, int], expected: Tuple[int, int]) -> None:
    """Compare (worlds, state numbers of each) of a snapshot with those of a batch.

    Raises:
        PhysicsError: they differ.
    """
    if found != expected:
        raise PhysicsError(
            f"the snapshot holds {found[0]} worlds with {found[1]} state numbers each, this "
            f"batch has {expected[0]} with {expected[1]}: it is of another model or num_envs"
        )


def check_grouped(snapshot: Snapshot, grouped: bool) -> None:
    """Compare whether a snapshot is of groups of worlds with what a batch has.

    Raises:
        PhysicsError: one is, the other is not.
    """
    if ("groups" in snapshot) != grouped:
        one, several = "all worlds share a model", "groups of worlds have a model each"
        has, wants = (one, several) if grouped else (several, one)
        raise PhysicsError(
            f"the snapshot is of a simulation in which {has}, in this one {wants}: its "
            "environments hold other assets"
        )


class Batch(ABC):
    """`num_envs` worlds of one compiled model, stepped together.

    Names and layouts of fields are MuJoCo's own (`mjData` and `mjModel`): quaternions are wxyz, a
    free joint's angular velocity is in the body frame, `xpos` and `cvel` are in the world frame.
    After `step` the derived fields (`xpos`, `cvel`, `sensordata`, ...) describe the start of the
    last physics step, one behind `qpos` and `qvel`, unless the batch was made with
    `forward=True`, which brings them up to date at the cost of one forward pass a step call.
    """

    model: mujoco.MjModel
    """The model that all worlds share; per-world values are in `parameter`."""
    num_envs: int
    device: torch.device

    @abstractmethod
    def view(self, name: str) -> torch.Tensor:
        """A live float32 view, (num_envs, ...), of the `mjData` field `name`.

        It changes with each step; writing into a field of `INPUT_FIELDS` takes effect at the next
        `step`, `forward` or `reset`. Ask for every field before the first step.

        Raises:
            PhysicsError: no such field, or it is first asked for after a step.
        """

    @abstractmethod
    def parameter(self, name: str) -> torch.Tensor:
        """A live view, (num_envs, ...), of the `mjModel` (or `mjOption`) field `name`, a world.

        Real fields are float32. Writes take effect at the next call; constants that MuJoCo
        derives from the field (`body_subtreemass`, `dof_invweight0`, ...) follow at `set_const`.

        Raises:
            PhysicsError: no such field.
        """

    @property
    @abstractmethod
    def parameters(self) -> Dict[str, torch.Tensor]:
        """By name, the fields that `parameter` has made the worlds' own so far."""

    @abstractmethod
    def set_const(self) -> None:
        """Recompute what MuJoCo derives from parameters, in every world."""

    @abstractmethod
    def step(self, nstep: int = 1) -> None:
        """Advance every world by `nstep` physics steps of `model.opt.timestep` seconds."""

    @abstractmethod
    def forward(self) -> None:
        """Bring every derived field up to date with the state, which stays as it is."""

    @abstractmethod
    def reset(self, mask: torch.Tensor) -> None:
        """Put the worlds where `mask`, bool (num_envs,), is true back to the model's start."""

    def maintain(self) -> None:  # noqa: B027  most engines have nothing to do
        """Between iterations, when the host may wait: tell what was lost, and mend its cause."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """A copy of the state, the bound fields, the parameters and the counters."""

    @abstractmethod
    def restore(self, snapshot: Snapshot) -> None:
        """Continue from `snapshot` as if nothing had happened since, to the last bit on the CPU.

        Raises:
            PhysicsError: the snapshot is of another model or number of worlds.
        """

    @property
    @abstractmethod
    def unstable(self) -> torch.Tensor:
        """bool (num_envs,): worlds that broke down in the last `step` call.

        Those that left the finite numbers or passed `MAX_VELOCITY`. They were put back to the
        model's start, and are counted in `unstable_resets`.
        """

    @property
    @abstractmethod
    def unstable_resets(self) -> torch.Tensor:
        """int64 (num_envs,): how often each world became unstable since the batch was made."""

    @property
    @abstractmethod
    def warning_counts(self) -> torch.Tensor:
        """int64 (num_envs, mjNWARNING): MuJoCo's warnings by world and `mujoco.mjtWarning`."""
