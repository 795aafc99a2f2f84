"""The CPU engine: MuJoCo C on a thread pool, through mjbatch."""

from __future__ import annotations

import copy
from typing import Dict, Optional, Sequence

import mjbatch
import mujoco
import numpy as np
import torch

from rofunc_isaac.physics.batch import (
    INPUT_FIELDS,
    MAX_VELOCITY,
    Batch,
    Snapshot,
    check_grouped,
    check_snapshot,
)
from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.warning_log import WarningLog


class MujocoBatch(Batch):
    """Worlds on the CPU. Memory grows with threads, not with worlds: a world is its state row.

    Args:
        model: the compiled model; copied, so later edits to it are not seen.
        num_envs: number of worlds.
        num_threads: physics threads; 0 uses every core. Results do not depend on it.
        forward: end each step with a forward pass, so that derived fields are current.
        env_numbers: what the worlds are called in the log; None counts them from 0.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        num_envs: int,
        num_threads: int = 0,
        forward: bool = False,
        env_numbers: Optional[Sequence[int]] = None,
    ) -> None:
        self.model = model
        self.num_envs = num_envs
        self.device = torch.device("cpu")
        self._batch = mjbatch.Batch(without_islands(model), num_envs, num_threads, forward)
        self._state = self._batch.bind("state")
        self._warning_log = WarningLog(self._batch.bind("warning"), env_numbers)
        self._views: Dict[str, torch.Tensor] = {}
        self._parameters: Dict[str, torch.Tensor] = {}
        self._stepped = False
        self._qvel = self.view("qvel")
        self._constants_set = False

    def view(self, name: str) -> torch.Tensor:
        if name not in self._views:
            if self._stepped and name not in INPUT_FIELDS:
                raise PhysicsError(
                    f"field '{name}' is asked for after the first step, when it would hold old "
                    "values; ask for every field right after the batch is made"
                )
            self._views[name] = torch.from_numpy(self._bind(name))
        return self._views[name]

    def _bind(self, name: str) -> np.ndarray:
        try:
            return self._batch.bind(name, np.float32)
        except Exception as error:  # mjbatch has no error class of its own for a wrong name
            raise PhysicsError(f"MuJoCo's data has no float field '{name}': {error}") from error

    def parameter(self, name: str) -> torch.Tensor:
        if name not in self._parameters:
            owner = self.model if hasattr(self.model, name) else self.model.opt
            is_real = np.asarray(getattr(owner, name, None)).dtype == np.float64
            try:
                values = self._batch.expand(name, np.float32 if is_real else None)
            except Exception as error:  # as in _bind
                raise PhysicsError(f"MuJoCo's model has no field '{name}': {error}") from error
            self._parameters[name] = torch.from_numpy(values)
        return self._parameters[name]

    @property
    def parameters(self) -> Dict[str, torch.Tensor]:
        return dict(self._parameters)

    def set_const(self) -> None:
        self._constants_set = True
        self._batch.set_const()

    def step(self, nstep: int = 1) -> None:
        self._stepped = True
        self._batch.step(nstep=nstep)
        # So put that NaN runs away too. Asking first whether any did is the quicker way.
        if bool((self._qvel.abs() <= MAX_VELOCITY).all()):
            self._warning_log.collect(None)
            return
        runaway = ~(self._qvel.abs() <= MAX_VELOCITY).all(dim=1)
        self._warning_log.collect(runaway)
        self.reset(runaway)

    def forward(self) -> None:
        self._batch.forward()

    def reset(self, mask: torch.Tensor) -> None:
        self._batch.reset(mask.numpy())

    def snapshot(self) -> Snapshot:
        return {
            "state": torch.from_numpy(self._state.copy()),
            "views": {name: view.clone() for name, view in self._views.items()},
            "parameters": {name: values.clone() for name, values in self._parameters.items()},
            "constants_set": self._constants_set,
            "warnings": self._warning_log.state(),
        }

    def restore(self, snapshot: Snapshot) -> None:
        check_grouped(snapshot, grouped=False)
        check_snapshot(tuple(snapshot["state"].shape), self._state.shape)
        # Writes that no step has taken up yet would else be put upon the restored rows.
        self._batch.forward()
        for name, values in snapshot["parameters"].items():
            self.parameter(name).copy_(values)
        if snapshot["constants_set"]:
            self.set_const()
        self._state[:] = snapshot["state"].numpy()
        # The float32 copies of state fields follow the rows only at a physics call, and would
        # swallow a write made before it; forward changes no state. Then what the views showed is
        # put back: derived fields, which forward brought up to date, and writes into state fields
        # that no step has taken up yet. Where nothing changes, mjbatch keeps the row's doubles.
        self._batch.forward()
        for name, values in snapshot["views"].items():
            self.view(name).copy_(values)
        self._warning_log.restore(snapshot["warnings"])

    @property
    def unstable(self) -> torch.Tensor:
        return self._warning_log.unstable

    @property
    def unstable_resets(self) -> torch.Tensor:
        return self._warning_log.unstable_resets

    @property
    def warning_counts(self) -> torch.Tensor:
        return self._warning_log.counts


def without_islands(model: mujoco.MjModel) -> mujoco.MjModel:
    """A copy of `model` that does not look for parts to solve one by one, where it has one alone.

    The solution is the same to the last bit.
    """
    if model.ntree > 1:
        return model
    model = copy.copy(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    return model
