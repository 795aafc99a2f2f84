"""The links and joints of a URDF as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

import numpy as np

from rofunc_isaac.isaacgym.assets.inertia import Inertial


@dataclass
class Shape:
    """A geometry in its link's frame: pos (3,) in m, quat (4,) wxyz.

    `kind` is box, sphere, cylinder, capsule or mesh. `size` in MuJoCo's terms: half-edges of a box,
    radius of a sphere, radius and half-length of a cylinder or capsule, scale of a mesh.
    """

    kind: str
    size: List[float]
    pos: np.ndarray
    quat: np.ndarray
    mesh: str = ""
    rgba: Optional[List[float]] = None


@dataclass
class StatedInertial:
    """What `<inertial>` says; None where it says nothing. `rotation` (3, 3) is its frame's."""

    mass: Optional[float] = None
    density: Optional[float] = None
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    inertia: Optional[np.ndarray] = None


@dataclass
class Link:
    """`inertial` is filled in by `resolve_inertials`."""

    name: str
    stated: StatedInertial
    collisions: List[Shape] = field(default_factory=list)
    visuals: List[Shape] = field(default_factory=list)
    inertial: Optional[Inertial] = None


@dataclass
class Joint:
    """Pose of the child's frame in the parent's (pos in m, quat wxyz), and the joint's parameters.

    `kind` is fixed, revolute, continuous or prismatic. Limits in rad or m, None without.
    """

    name: str
    kind: str
    parent: str
    child: str
    pos: np.ndarray
    quat: np.ndarray
    axis: np.ndarray
    lower: Optional[float] = None
    upper: Optional[float] = None
    effort: Optional[float] = None
    velocity: Optional[float] = None
    damping: float = 0.0
    friction: float = 0.0
    dont_collapse: bool = False


@dataclass
class Robot:
    """`links` and `joints` in document order; `root` is the only link that is no joint's child."""

    name: str
    path: Path
    root: str
    links: Dict[str, Link]
    joints: List[Joint]
