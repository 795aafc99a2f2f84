"""Terrains as height fields, and height fields as triangle meshes.

Functions write into a `SubTerrain`. Lengths are in m, and become whole cells and whole units of
height. What is random is drawn from NumPy's global generator, which programs seed.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

import numpy as np

__all__ = [
    "SubTerrain",
    "convert_heightfield_to_trimesh",
    "discrete_obstacles_terrain",
    "pyramid_sloped_terrain",
    "pyramid_stairs_terrain",
    "random_uniform_terrain",
    "sloped_terrain",
    "stairs_terrain",
    "stepping_stones_terrain",
    "wave_terrain",
]

GRID = 4
"""Sizes and corners of random obstacles are drawn on a grid of so many cells."""


class SubTerrain:
    """A flat piece of land of `width` x `length` cells, along x and y.

    `height_field_raw` is int16 (width, length), in units of `vertical_scale` m; a cell is
    `horizontal_scale` m wide.
    """

    def __init__(
        self,
        terrain_name: str = "terrain",
        width: int = 256,
        length: int = 256,
        vertical_scale: float = 1.0,
        horizontal_scale: float = 1.0,
    ) -> None:
        self.terrain_name = terrain_name
        self.width = width
        self.length = length
        self.vertical_scale = vertical_scale
        self.horizontal_scale = horizontal_scale
        self.height_field_raw = np.zeros((width, length), dtype=np.int16)


def random_uniform_terrain(
    terrain: SubTerrain,
    min_height: float,
    max_height: float,
    step: float = 1,
    downsampled_scale: Optional[float] = None,
) -> SubTerrain:
    """Add uniform noise from `min_height` to `max_height` in multiples of `step`.

    It is drawn at points `downsampled_scale` apart (by default at every cell), with linear
    interpolation between them.
    """
    lowest, highest, step_units = (
        _units(terrain, height) for height in (min_height, max_height, step)
    )
    spacing = downsampled_scale or terrain.horizontal_scale
    choices = np.arange(lowest, highest + step_units, step_units)
    points = [
        int(cells * terrain.horizontal_scale / spacing) for cells in (terrain.width, terrain.length)
    ]
    drawn = np.random.choice(choices, points)  # noqa: NPY002  programs seed this generator
    along_x = _interpolation(points[0], terrain.width)
    along_y = _interpolation(points[1], terrain.length)
    heights = along_x @ drawn @ along_y.T
    terrain.height_field_raw += np.rint(heights).astype(np.int16)
    return terrain


def sloped_terrain(terrain: SubTerrain, slope: float = 1) -> SubTerrain:
    """Add a plane that rises along x by `slope` m a metre."""
    top = _rise(terrain, slope, terrain.width)
    ramp = np.arange(terrain.width) / terrain.width
    terrain.height_field_raw += (top * ramp[:, None]).astype(np.int16)
    return terrain


def pyramid_sloped_terrain(
    terrain: SubTerrain, slope: float = 1, platform_size: float = 1.0
) -> SubTerrain:
    """Add a hill (a hollow for a negative `slope`) with a flat top in the middle.

    Along the middle lines it rises by `slope` m a metre; elsewhere it is the product of two tents.
    """
    top = _rise(terrain, slope, terrain.width / 2)
    hill = top * np.outer(_tent(terrain.width), _tent(terrain.length))
    terrain.height_field_raw += hill.astype(np.int16)
    half = int(platform_size / terrain.horizontal_scale / 2)
    rim = int(terrain.height_field_raw[terrain.width // 2 - half, terrain.length // 2 - half])
    np.clip(terrain.height_field_raw, min(rim, 0), max(rim, 0), out=terrain.height_field_raw)
    return terrain


def discrete_obstacles_terrain(
    terrain: SubTerrain,
    max_height: float,
    min_size: float,
    max_size: float,
    num_rects: int,
    platform_size: float = 1.0,
) -> SubTerrain:
    """Set `num_rects` random rectangles to plus or minus `max_height` or half of it.

    Edges are from `min_size` to `max_size`; a square of `platform_size` in the middle stays flat.
    """
    height = _units(terrain, max_height)
    heights = [-height, -height // 2, height // 2, height]
    sizes = range(_cells(terrain, min_size), _cells(terrain, max_size), GRID)
    shape = terrain.height_field_raw.shape
    for _ in range(num_rects):
        edges = [int(np.random.choice(sizes)) for _ in shape]  # noqa: NPY002
        corner = [
            int(np.random.choice(range(0, cells - edge, GRID)))  # noqa: NPY002
            for cells, edge in zip(shape, edges)
        ]
        x, y = (slice(start, start + edge) for start, edge in zip(corner, edges))
        terrain.height_field_raw[x, y] = np.random.choice(heights)  # noqa: NPY002
    _flatten_middle(terrain, platform_size)
    return terrain


def wave_terrain(terrain: SubTerrain, num_waves: int = 1, amplitude: float = 1.0) -> SubTerrain:
    """Add `num_waves` waves along x and y, each from -amplitude / 2 to amplitude / 2."""
    half = int(0.5 * amplitude / terrain.vertical_scale)
    if num_waves > 0:
        phase = 2 * math.pi * num_waves / terrain.length
        x, y = (phase * np.arange(cells) for cells in terrain.height_field_raw.shape)
        waves = half * np.sin(x)[:, None] + half * np.cos(y)[None, :]
        terrain.height_field_raw += waves.astype(np.int16)
    return terrain


def stairs_terrain(terrain: SubTerrain, step_width: float, step_height: float) -> SubTerrain:
    """Add stairs that rise along x; the first step is `step_height` above the ground."""
    width, height = _cells(terrain, step_width), _units(terrain, step_height)
    stairs = np.arange(terrain.width) // width + 1
    stairs[terrain.width // width * width :] = 0  # what remains is no whole step
    terrain.height_field_raw += (height * stairs[:, None]).astype(np.int16)
    return terrain


def pyramid_stairs_terrain(
    terrain: SubTerrain, step_width: float, step_height: float, platform_size: float = 1.0
) -> SubTerrain:
    """Set stairs from all four sides up (or down) to a platform in the middle.

    The outermost ring keeps the height that it has.
    """
    width, height = _cells(terrain, step_width), _units(terrain, step_height)
    to_edge_x, to_edge_y = (
        np.minimum(np.arange(cells), np.arange(cells)[::-1])
        for cells in terrain.height_field_raw.shape
    )
    ring = np.minimum(to_edge_x[:, None], to_edge_y[None, :]) // width
    # Rings go on inwards as long as what they enclose is larger than the platform.
    room = min(terrain.height_field_raw.shape) - _cells(terrain, platform_size)
    ring = np.minimum(ring, max(math.ceil(room / (2 * width)), 0))
    stairs = (height * ring).astype(np.int16)
    np.copyto(terrain.height_field_raw, stairs, where=ring > 0)
    return terrain


def stepping_stones_terrain(
    terrain: SubTerrain,
    stone_size: float,
    stone_distance: float,
    max_height: float,
    platform_size: float = 1.0,
    depth: float = -10,
) -> SubTerrain:
    """Set rows of square stones, randomly shifted, `stone_distance` apart over a ground at `depth`.

    Stones are up to `max_height` high or low; a square of `platform_size` in the middle is flat.
    """
    size, gap = _cells(terrain, stone_size), _cells(terrain, stone_distance)
    height = _units(terrain, max_height)
    heights = np.arange(-height - 1, height)
    field = terrain.height_field_raw
    field[:] = _units(terrain, depth)
    # Rows lie along the shorter side.
    rows = field.T if terrain.length >= terrain.width else field
    for start in range(0, rows.shape[0], size + gap):
        row = rows[start : start + size]
        shift = int(np.random.randint(0, size))  # noqa: NPY002
        row[:, : max(shift - gap, 0)] = np.random.choice(heights)  # noqa: NPY002
        for stone in range(shift, rows.shape[1], size + gap):
            row[:, stone : stone + size] = np.random.choice(heights)  # noqa: NPY002
    _flatten_middle(terrain, platform_size)
    return terrain


def convert_heightfield_to_trimesh(
    height_field_raw: np.ndarray,
    horizontal_scale: float,
    vertical_scale: float,
    slope_threshold: Optional[float] = None,
) -> Tuple[np.ndarray, np.ndarray]:
    """A height field's cells as two triangles each.

    Args:
        height_field_raw: (rows, columns), along x and y.
        horizontal_scale, vertical_scale: m a cell, m a unit of height.
        slope_threshold: steeper slopes become vertical walls: their lower vertices move by one cell
            to below the upper ones.

    Returns:
        Vertices, float32 (rows * columns, 3), row by row, and triangles, uint32
        (2 * (rows - 1) * (columns - 1), 3), whose normals point up.
    """
    rows, columns = height_field_raw.shape
    heights = height_field_raw.astype(np.float64)
    cell_x, cell_y = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    if slope_threshold is not None:
        limit = slope_threshold * horizontal_scale / vertical_scale
        shift_x, shift_y = _shifts_to_walls(heights, limit)
        cell_x, cell_y = cell_x + shift_x, cell_y + shift_y
    places = [cell_x * horizontal_scale, cell_y * horizontal_scale, heights * vertical_scale]
    vertices = np.stack(places, axis=-1).reshape(-1, 3).astype(np.float32)

    corner = np.arange(rows * columns, dtype=np.uint32).reshape(rows, columns)[:-1, :-1]
    next_x, next_y, across = corner + columns, corner + 1, corner + columns + 1
    cells = np.stack([corner, across, next_y, corner, next_x, across], axis=-1)
    return vertices, cells.reshape(-1, 3).astype(np.uint32)


def _shifts_to_walls(heights: np.ndarray, limit: float) -> Tuple[np.ndarray, np.ndarray]:
    """Cells by which vertices move along x and y to stand below a neighbour `limit` above them.

    A neighbour across the corner counts where none beside calls.
    """
    shift_x, shift_y, corner = (np.zeros(heights.shape, dtype=np.int64) for _ in range(3))
    rise_x = np.diff(heights, axis=0)
    shift_x[:-1] += rise_x > limit
    shift_x[1:] -= rise_x < -limit
    rise_y = np.diff(heights, axis=1)
    shift_y[:, :-1] += rise_y > limit
    shift_y[:, 1:] -= rise_y < -limit
    across = heights[1:, 1:] - heights[:-1, :-1]
    corner[:-1, :-1] += across > limit
    corner[1:, 1:] -= across < -limit
    return shift_x + corner * (shift_x == 0), shift_y + corner * (shift_y == 0)


def _cells(terrain: SubTerrain, length: float) -> int:
    return int(length / terrain.horizontal_scale)


def _units(terrain: SubTerrain, height: float) -> int:
    return int(height / terrain.vertical_scale)


def _rise(terrain: SubTerrain, slope: float, cells: float) -> int:
    """In units of height, over so many cells."""
    return int(slope * (terrain.horizontal_scale / terrain.vertical_scale) * cells)


def _tent(cells: int) -> np.ndarray:
    """From 0 at the first cell to 1 in the middle and back."""
    middle = cells // 2
    return (middle - np.abs(middle - np.arange(cells))) / middle


def _interpolation(points: int, cells: int) -> np.ndarray:
    """Linear weights (cells, points) of points spread evenly from the first cell to the last."""
    places, nodes = np.linspace(0.0, 1.0, cells), np.linspace(0.0, 1.0, points)
    return np.stack([np.interp(places, nodes, unit) for unit in np.eye(points)], axis=1)


def _flatten_middle(terrain: SubTerrain, platform_size: float) -> None:
    """Set a square of `platform_size` in the middle to zero."""
    size = _cells(terrain, platform_size)
    x, y = (
        slice((cells - size) // 2, (cells + size) // 2) for cells in terrain.height_field_raw.shape
    )
    terrain.height_field_raw[x, y] = 0
