"""What a scene is made of, and what it can do on either engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Vector = Sequence[float] | np.ndarray

GRAVITY = 9.81
REST = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Robot:
    """One actor. Everything that is not given is Isaac Gym's default, damping apart.

    Args:
        mjcf: its model, as text.
        fixed: whether its root is held.
        pos: of its root at the start, m.
        dof: fields of DofProperties by name, each a number for all DOFs or one for each.
        friction, restitution: of all of its shapes.
        options: further AssetOptions.
    """

    mjcf: str
    fixed: bool = False
    pos: Vector = (0.0, 0.0, 0.0)
    dof: dict[str, Any] = field(default_factory=dict)
    friction: float = 1.0
    restitution: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ground:
    """A plane through the origin."""

    friction: float = 1.0
    restitution: float = 0.0
    normal: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Setup:
    """A world before it runs: one environment, z up.

    Args:
        dt: a frame, s, of `substeps` physics steps.
        position_iterations: of PhysX; Isaac Gym's default is 4.
    """

    robots: Sequence[Robot]
    ground: Ground | None = None
    gravity: Vector = (0.0, 0.0, -GRAVITY)
    dt: float = 1 / 60
    substeps: int = 2
    position_iterations: int = 4


class World(Protocol):
    """A `Setup` that runs. DOFs and bodies are those of all robots, one after the other."""

    def step(self, frames: int = 1, effort: Vector | None = None) -> None:
        """Simulate frames, with `effort` (dofs,), N m or N, in each."""

    def set_targets(self, position: Vector, velocity: Vector) -> None:
        """Of the DOFs' drives, each (dofs,)."""

    def set_dofs(self, position: Vector, velocity: Vector) -> None:
        """Move the DOFs, each (dofs,)."""

    def set_root_velocity(self, robot: int, linear: Vector, angular: Vector) -> None:
        """Of a root's centre of mass, in the world frame."""

    def dofs(self) -> np.ndarray:
        """Positions and velocities, (dofs, 2)."""

    def roots(self) -> np.ndarray:
        """Of the robots: position, quaternion xyzw, linear and angular velocity, (robots, 13)."""

    def drive_forces(self) -> np.ndarray:
        """What the DOFs' drives, springs and dampers exert, N m or N, (dofs,)."""

    def contacts(self) -> np.ndarray:
        """Net contact force on each body in the last physics step, N, world frame, (bodies, 3)."""


MakeWorld = Callable[[Setup], World]


@dataclass(frozen=True)
class Measured:
    """One number that a scene found.

    Args:
        exact: what a closed form says, if there is one.
    """

    what: str
    unit: str
    value: float
    exact: float | None = None


Scene = Callable[[MakeWorld], list[Measured]]
