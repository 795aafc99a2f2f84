"""Ground that is not flat: height fields, and triangle meshes that are ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import HeightFieldParams, TriangleMeshParams
from rofunc_isaac.isaacgym.collision import GROUND_BITS
from rofunc_isaac.isaacgym.errors import GymError, GymWarning

BASE = 1.0
"""m of solid ground below a height field's lowest point."""

FLAT = 1e-3
"""m: the height range that a flat field states, since MuJoCo takes no zero."""


@dataclass
class HeightField:
    """Heights in m over a grid with steps `step` in m along x and y.

    Args:
        heights: (samples along x, samples along y).
        corner: x and y of the first sample, in m, in the terrain's frame.
        pose: of that frame.
    """

    heights: np.ndarray
    step: Tuple[float, float]
    corner: Tuple[float, float]
    pose: Transform
    friction: float


@dataclass
class Hulls:
    """Convex solids: the points of each, (points, 3) in m."""

    points: List[np.ndarray]
    pose: Transform
    friction: float


Terrain = Union[HeightField, Hulls]


def from_samples(samples: np.ndarray, params: HeightFieldParams) -> HeightField:
    """What `add_heightfield` was given.

    Samples follow each other along y; a column is a step along x. So a C-ordered array with the
    indices x and y has `nbColumns` = its first size and `nbRows` = its second, as legged_gym sets
    them.
    """
    wanted = params.nbRows * params.nbColumns
    if samples.size != wanted or min(params.nbRows, params.nbColumns) < 2:
        raise GymError(
            f"add_heightfield was given {samples.size} samples, nbRows={params.nbRows} and "
            f"nbColumns={params.nbColumns}; there must be nbRows * nbColumns, and 2 of each at "
            "least"
        )
    heights = samples.reshape(params.nbColumns, params.nbRows) * params.vertical_scale
    step = (params.column_scale, params.row_scale)
    return HeightField(heights, step, (0.0, 0.0), params.transform, params.dynamic_friction)


def from_triangles(
    vertices: np.ndarray, triangles: np.ndarray, params: TriangleMeshParams
) -> Terrain:
    """What `add_triangle_mesh` was given, flat arrays or rows of three.

    A mesh over a regular grid is a height field: that is what terrain_utils makes. There walls
    that `slope_threshold` made vertical are as steep as one cell allows. Of any other mesh MuJoCo
    takes the convex hull of each connected part.
    """
    vertices = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    given = (len(vertices), len(triangles))
    if given != (params.nb_vertices, params.nb_triangles):
        raise GymError(
            f"add_triangle_mesh was given {given[0]} vertices and {given[1]} triangles, with "
            f"nb_vertices={params.nb_vertices} and nb_triangles={params.nb_triangles}"
        )
    if len(triangles) == 0 or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise GymError("add_triangle_mesh: a triangle names a vertex that is not there, or none")
    field = _as_height_field(vertices, triangles, params)
    if field is not None:
        return field
    parts = _connected_parts(len(vertices), triangles)
    warnings.warn(
        f"add_triangle_mesh: the mesh is no regular height field; its {len(parts)} connected parts "
        "collide as their convex hulls",
        GymWarning,
        stacklevel=3,
    )
    return Hulls([vertices[part] for part in parts], params.transform, params.dynamic_friction)


def _as_height_field(
    vertices: np.ndarray, triangles: np.ndarray, params: TriangleMeshParams
) -> Optional[HeightField]:
    """The height field that the mesh is, None if it is none."""
    corners = np.sort(triangles, axis=1)
    columns = int((corners[:, 2] - corners[:, 0]).max()) - 1
    if columns < 2 or len(vertices) % columns:
        return None
    rows = len(vertices) // columns
    if rows < 2 or len(triangles) != 2 * (rows - 1) * (columns - 1):
        return None
    # A triangle takes three of a cell's four corners.
    spans = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=1)
    of_a_cell = [(1, columns), (1, columns + 1), (columns, columns + 1), (columns - 1, columns)]
    known = np.zeros(len(spans), dtype=bool)
    for pair in of_a_cell:
        known |= (spans == pair).all(axis=1)
    if not known.all():
        return None
    grid = vertices.reshape(rows, columns, 3)
    if np.ptp(grid[:, 0, 0]) < np.ptp(grid[:, 0, 1]):  # rows follow one another along y
        grid = grid.swapaxes(0, 1)
    # Vertices below a wall are a cell off their place.
    x, y = grid[..., 0], grid[..., 1]
    corner = (float(x[0].min()), float(y[:, 0].min()))
    step_x = (float(x[-1].max()) - corner[0]) / (len(grid) - 1)
    step_y = (float(y[:, -1].max()) - corner[1]) / (grid.shape[1] - 1)
    off_x = np.abs(x - corner[0] - step_x * np.arange(len(grid))[:, None]).max()
    off_y = np.abs(y - corner[1] - step_y * np.arange(grid.shape[1])).max()
    if off_x > 1.01 * step_x or off_y > 1.01 * step_y:
        return None
    return HeightField(
        grid[..., 2], (step_x, step_y), corner, params.transform, params.dynamic_friction
    )


def _connected_parts(num_vertices: int, triangles: np.ndarray) -> List[np.ndarray]:
    """The vertices of each part of a mesh whose triangles hang together."""
    label = np.arange(num_vertices)
    while True:
        lowest = label[triangles].min(axis=1)
        before = label.copy()
        for corner in range(3):
            np.minimum.at(label, triangles[:, corner], lowest)
        label = label[label]
        if np.array_equal(label, before):
            break
    used = np.unique(triangles)
    return [used[label[used] == part] for part in np.unique(label[used])]


def add_terrain(spec: mujoco.MjSpec, index: int, terrain: Terrain) -> None:
    """Add the terrain to the world, as ground that every shape collides with."""
    if isinstance(terrain, HeightField):
        _add_height_field(spec, f"terrain{index}", terrain)
        return
    for part, points in enumerate(terrain.points):
        name = f"terrain{index}/{part}"
        spec.add_mesh(name=name, uservert=points.flatten(), maxhullvert=-1)
        _add_geom(spec, name, mujoco.mjtGeom.mjGEOM_MESH, terrain, Vec3())


def _add_height_field(spec: mujoco.MjSpec, name: str, terrain: HeightField) -> None:
    heights = terrain.heights
    lowest, span = float(heights.min()), float(np.ptp(heights))
    half = [0.5 * (count - 1) * step for count, step in zip(heights.shape, terrain.step)]
    spec.add_hfield(
        name=name,
        # MuJoCo's rows go along y, its columns along x.
        nrow=heights.shape[1],
        ncol=heights.shape[0],
        size=[*half, max(span, FLAT), BASE],
        userdata=((heights.T - lowest) / max(span, FLAT)).astype(np.float32).flatten(),
    )
    middle = [corner + extent for corner, extent in zip(terrain.corner, half)]
    _add_geom(spec, name, mujoco.mjtGeom.mjGEOM_HFIELD, terrain, Vec3(middle[0], middle[1], lowest))


def _add_geom(
    spec: mujoco.MjSpec,
    name: str,
    kind: mujoco.mjtGeom,
    terrain: Terrain,
    origin: Vec3,
) -> None:
    place, r = terrain.pose.transform_point(origin), terrain.pose.r
    contype, conaffinity = GROUND_BITS
    geom = spec.worldbody.add_geom(
        name=name,
        type=kind,
        pos=[place.x, place.y, place.z],
        quat=[r.w, r.x, r.y, r.z],
        friction=[terrain.friction, 0.005, 0.0001],
        contype=contype,
        conaffinity=conaffinity,
    )
    if kind == mujoco.mjtGeom.mjGEOM_HFIELD:
        geom.hfieldname = name
    else:
        geom.meshname = name
