"""MuJoCo's warnings: counted by world, said in one line, kept off stderr and MUJOCO_LOG.TXT."""

from __future__ import annotations

import logging
from typing import Dict, Optional, Sequence

import mujoco
import numpy as np
import torch

logger = logging.getLogger(__name__)

_UNSTABLE = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
_MEANING = {
    mujoco.mjtWarning.mjWARN_INERTIA: "the inertia matrix is nearly singular",
    mujoco.mjtWarning.mjWARN_CONTACTFULL: "the contact buffer is full, contacts were lost",
    mujoco.mjtWarning.mjWARN_CNSTRFULL: "the constraint buffer is full, constraints were lost",
    mujoco.mjtWarning.mjWARN_BADQPOS: "a position was not finite or huge, the world was reset",
    mujoco.mjtWarning.mjWARN_BADQVEL: "a velocity was not finite or huge, the world was reset",
    mujoco.mjtWarning.mjWARN_BADQACC: "an acceleration was not finite or huge, the world was reset",
    mujoco.mjtWarning.mjWARN_BADCTRL: "a control was not finite, controls were zeroed",
}


def _keep_quiet(message: bytes) -> None:
    """MuJoCo would write `message` to stderr and a log file; the counters hold it already."""


class WarningLog:
    """Reads and clears the per-world counters after each step.

    A new kind of warning is logged in one line with the number of the first world that has it,
    and again each time that its total has grown tenfold.

    Args:
        counters: int32 (num_envs, mjNWARNING, 2), live: `mjData.warning` as (lastinfo, number).
        env_numbers: what the worlds are called in the log; None counts them from 0.
    """

    def __init__(self, counters: np.ndarray, env_numbers: Optional[Sequence[int]] = None) -> None:
        mujoco.set_mju_user_warning(_keep_quiet)
        num_envs, num_kinds, _ = counters.shape
        self._numbers = counters[:, :, 1]
        self._env_numbers = range(num_envs) if env_numbers is None else env_numbers
        self._next_report: Dict[int, int] = dict.fromkeys(range(num_kinds), 1)
        self.counts = torch.zeros(num_envs, num_kinds, dtype=torch.int64)
        self.unstable = torch.zeros(num_envs, dtype=torch.bool)
        self.unstable_resets = torch.zeros(num_envs, dtype=torch.int64)

    def collect(self, runaway: Optional[torch.Tensor]) -> None:
        """Move the counters into `counts`, mark `unstable` worlds, log what is new.

        Args:
            runaway: bool (num_envs,): worlds with a huge velocity that MuJoCo did not mind; None
                where there is none.
        """
        if runaway is not None:
            self._numbers[:, mujoco.mjtWarning.mjWARN_BADQVEL] += runaway.numpy()
        if not self._numbers.any():
            self.unstable.zero_()
            return
        new = torch.from_numpy(self._numbers.astype(np.int64))
        self._numbers[:] = 0
        self.counts += new
        torch.any(new[:, [int(kind) for kind in _UNSTABLE]] > 0, dim=1, out=self.unstable)
        self.unstable_resets += self.unstable
        for kind in new.any(dim=0).nonzero().flatten().tolist():
            self._report(kind, new[:, kind])

    def state(self) -> Dict[str, torch.Tensor]:
        """A copy of the counters."""
        return {
            "counts": self.counts.clone(),
            "unstable": self.unstable.clone(),
            "unstable_resets": self.unstable_resets.clone(),
        }

    def restore(self, state: Dict[str, torch.Tensor]) -> None:
        """Go on counting from `state`; what was logged before it is not logged again."""
        for name, values in state.items():
            getattr(self, name).copy_(values)
        for kind, total in enumerate(self.counts.sum(dim=0).tolist()):
            self._next_report[kind] = next_report(total)

    def _report(self, kind: int, new: torch.Tensor) -> None:
        total = int(self.counts[:, kind].sum())
        if total < self._next_report[kind]:
            return
        self._next_report[kind] = next_report(total)
        envs = new.nonzero().flatten()
        others = f" and {len(envs) - 1} other envs" if len(envs) > 1 else ""
        meaning = _MEANING.get(mujoco.mjtWarning(kind), mujoco.mjtWarning(kind).name)
        first = self._env_numbers[int(envs[0])]
        logger.warning("MuJoCo in env %d%s: %s (%d so far)", first, others, meaning, total)


def next_report(total: int) -> int:
    """The first power of ten above `total`: the number of warnings at which to log again."""
    return int(10 ** len(str(total))) if total else 1
