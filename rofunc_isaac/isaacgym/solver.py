"""How MuJoCo finds the forces of contacts, limits and joint friction."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco


@dataclass(frozen=True)
class Solver:
    """Of Newton's method, which all models here use; the defaults are MuJoCo's.

    Args:
        iterations, tolerance: as in `mjOption`.
        warm_start: whether a step's solution is where the next step's begins.
    """

    iterations: int = 100
    tolerance: float = 1e-8
    warm_start: bool = True

    def write(self, option: mujoco.MjOption) -> None:
        """Let `option`, a model's or a spec's, have these settings."""
        option.iterations, option.tolerance = self.iterations, self.tolerance
        if not self.warm_start:
            option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
