"""Line drawings for a viewer: axes, wireframe spheres and boxes, single lines."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from rofunc_isaac.isaacgym._math import Transform, Vec3

__all__ = [
    "AxesGeometry",
    "LineGeometry",
    "WireframeBBoxGeometry",
    "WireframeBoxGeometry",
    "WireframeSphereGeometry",
    "draw_line",
    "draw_lines",
]

Color = Tuple[float, float, float]
RED: Color = (1.0, 0.0, 0.0)
GREEN: Color = (0.0, 1.0, 0.0)
BLUE: Color = (0.0, 0.0, 1.0)


def _vec3_array(values: Any) -> np.ndarray:
    """An array (...) of ``Vec3.dtype`` from numbers (..., 3)."""
    return np.ascontiguousarray(values, dtype="<f4").view(Vec3.dtype)[..., 0]


class LineGeometry:
    """Base of the drawings. A subclass gives ``vertices()`` and ``colors()``."""

    def vertices(self) -> np.ndarray:
        """The end points of the lines: (num_lines, 2) of ``Vec3.dtype``."""
        raise NotImplementedError(f"{type(self).__name__} defines no vertices()")

    def colors(self) -> np.ndarray:
        """The lines' red, green and blue in [0, 1]: (num_lines,) of ``Vec3.dtype``."""
        raise NotImplementedError(f"{type(self).__name__} defines no colors()")

    def num_lines(self) -> int:
        return self.vertices().size // 2

    def instance_verts(self, pose: Optional[Transform] = None) -> np.ndarray:
        """The vertices placed at ``pose``."""
        return self.vertices() if pose is None else pose.transform_points(self.vertices())


class _FixedLines(LineGeometry):
    """Lines known when they are made: end points (n, 2, 3), placed at ``pose``, colours (n, 3)."""

    def __init__(self, ends: Any, colors: Any, pose: Optional[Transform]) -> None:
        verts = _vec3_array(ends)
        self._vertices = verts if pose is None else pose.transform_points(verts)
        self._colors = _vec3_array(colors)

    def vertices(self) -> np.ndarray:
        return self._vertices

    def colors(self) -> np.ndarray:
        return self._colors


class AxesGeometry(_FixedLines):
    """The x (red), y (green) and z (blue) axes, ``scale`` m long."""

    def __init__(self, scale: float = 1.0, pose: Optional[Transform] = None) -> None:
        ends = np.zeros((3, 2, 3))
        ends[:, 1] = scale * np.eye(3)
        super().__init__(ends, (RED, GREEN, BLUE), pose)


class WireframeBoxGeometry(_FixedLines):
    """The 12 edges of a box of side lengths ``xdim``, ``ydim``, ``zdim`` (m) about the origin."""

    def __init__(
        self,
        xdim: float = 1.0,
        ydim: float = 1.0,
        zdim: float = 1.0,
        pose: Optional[Transform] = None,
        color: Optional[Color] = None,
    ) -> None:
        half = 0.5 * np.array([float(xdim), float(ydim), float(zdim)])
        super().__init__(_box_edges(-half, half), [color or RED] * 12, pose)


class WireframeBBoxGeometry(_FixedLines):
    """The 12 edges of the box between the corners ``bbox[0]`` and ``bbox[1]`` (m)."""

    def __init__(
        self,
        bbox: Sequence[Sequence[float]],
        pose: Optional[Transform] = None,
        color: Optional[Color] = None,
    ) -> None:
        lower, upper = np.asarray(bbox, dtype=float)
        super().__init__(_box_edges(lower, upper), [color or RED] * 12, pose)


def _box_edges(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The edges (12, 2, 3): pairs of corners that differ in one coordinate."""
    edges = []
    for axis in range(3):
        first, second = (other for other in range(3) if other != axis)
        for corner in range(4):
            start = lower.copy()
            start[first] = (lower, upper)[corner & 1][first]
            start[second] = (lower, upper)[corner >> 1][second]
            end = start.copy()
            end[axis] = upper[axis]
            edges.append((start, end))
    return np.array(edges)


class WireframeSphereGeometry(_FixedLines):
    """A globe about the z axis: ``num_lons`` meridians of ``num_lats`` lines each in ``color``, and
    the ``num_lats - 1`` parallels between the poles, of ``num_lons`` lines each, in ``color2``."""

    def __init__(
        self,
        radius: float = 1.0,
        num_lats: int = 8,
        num_lons: int = 8,
        pose: Optional[Transform] = None,
        color: Optional[Color] = None,
        color2: Optional[Color] = None,
    ) -> None:
        color = color or RED
        color2 = color2 or color
        polar = np.linspace(0.0, math.pi, num_lats + 1)[:, None]
        azimuth = np.linspace(0.0, 2.0 * math.pi, num_lons + 1)[None, :]
        grid = radius * np.stack(
            (
                np.sin(polar) * np.cos(azimuth),
                np.sin(polar) * np.sin(azimuth),
                np.cos(polar) + 0.0 * azimuth,
            ),
            axis=-1,
        )
        meridians = np.stack((grid[:-1, :-1], grid[1:, :-1]), axis=2).reshape(-1, 2, 3)
        parallels = np.stack((grid[1:-1, :-1], grid[1:-1, 1:]), axis=2).reshape(-1, 2, 3)
        colors = [color] * len(meridians) + [color2] * len(parallels)
        super().__init__(np.concatenate((meridians, parallels)), colors, pose)


def draw_lines(
    geom: LineGeometry, gym: Any, viewer: Any, env: Any, pose: Optional[Transform] = None
) -> None:
    """Draw ``geom`` at ``pose`` (env frame) until the viewer's lines are cleared."""
    gym.add_lines(viewer, env, geom.num_lines(), geom.instance_verts(pose), geom.colors())


def draw_line(p1: Vec3, p2: Vec3, color: Vec3, gym: Any, viewer: Any, env: Any) -> None:
    """Draw one line from ``p1`` to ``p2`` (env frame, m) in ``color``."""
    ends = _vec3_array([[(p.x, p.y, p.z) for p in (p1, p2)]])
    gym.add_lines(viewer, env, 1, ends, _vec3_array([(color.x, color.y, color.z)]))
