"""What programs set on an actor before there are worlds that hold it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rofunc_isaac.isaacgym._math import Velocity


@dataclass
class StartState:
    """The state in which an actor starts, beside its pose.

    Args:
        dofs: positions and velocities, (dofs, 2).
        position_target, velocity_target: of its drives, (dofs,).
        effort: for the first frame, (dofs,).
        velocity: of the root: of its centre of mass, in the world frame.
    """

    dofs: np.ndarray
    position_target: np.ndarray
    velocity_target: np.ndarray
    effort: np.ndarray
    velocity: Velocity = field(default_factory=Velocity)


def at_rest(num_dofs: int) -> StartState:
    return StartState(np.zeros((num_dofs, 2)), *np.zeros((3, num_dofs)))
