"""Terrain generators against their definitions, and height fields as triangles."""

from __future__ import annotations

import numpy as np
import pytest

from rofunc_isaac.isaacgym import terrain_utils as utils


def land(width=40, length=60):
    """Cells of 0.1 m, heights of 5 mm."""
    return utils.SubTerrain("land", width, length, vertical_scale=0.005, horizontal_scale=0.1)


@pytest.fixture(autouse=True)
def seeded():
    np.random.seed(7)  # noqa: NPY002


def test_land_is_flat_and_its_first_index_is_its_width():
    terrain = land()
    assert terrain.height_field_raw.dtype == np.int16
    assert terrain.height_field_raw.shape == (40, 60)
    assert not terrain.height_field_raw.any()


def test_a_slope_rises_along_x():
    terrain = land()
    assert utils.sloped_terrain(terrain, slope=0.5) is terrain
    heights = terrain.height_field_raw * 0.005
    np.testing.assert_allclose(heights, np.tile(0.05 * np.arange(40)[:, None], 60), atol=0.005)


@pytest.mark.parametrize("slope", [0.4, -0.4])
def test_a_pyramid_has_a_platform_in_the_middle(slope):
    terrain = utils.pyramid_sloped_terrain(land(40, 40), slope=slope, platform_size=1.0)
    heights = terrain.height_field_raw * 0.005
    # Along the middle line it rises by the slope; the platform begins 0.5 m from the middle, at
    # its corner, where the tents are 0.75 of the height each.
    top = 0.75**2 * slope * 2.0
    expected = slope * 0.1 * np.arange(21)
    expected = np.minimum(expected, top) if slope > 0 else np.maximum(expected, top)
    np.testing.assert_allclose(heights[:21, 20], expected, atol=0.006)
    np.testing.assert_allclose(heights[15:26, 15:26], top, atol=0.006)
    assert not heights[0].any()


def test_noise_is_of_the_given_heights_and_linear_in_between():
    terrain = utils.random_uniform_terrain(land(), -0.1, 0.1, step=0.05, downsampled_scale=0.1)
    assert set(np.unique(terrain.height_field_raw)) == {-20, -10, 0, 10, 20}
    coarse = utils.random_uniform_terrain(land(3, 5), 0.0, 1.0, 0.5, downsampled_scale=0.2)
    # One point along x and two along y: between them a straight line.
    heights = coarse.height_field_raw.astype(float)
    assert (heights == heights[0]).all()
    assert np.abs(np.diff(heights[0], n=2)).max() <= 1.0


def test_noise_follows_numpys_seed_and_adds_to_what_is_there():
    np.random.seed(3)  # noqa: NPY002
    first = utils.random_uniform_terrain(land(), -0.1, 0.1, 0.05, 0.2).height_field_raw
    np.random.seed(3)  # noqa: NPY002
    slope = utils.sloped_terrain(land(), 0.5).height_field_raw
    both = utils.random_uniform_terrain(utils.sloped_terrain(land(), 0.5), -0.1, 0.1, 0.05, 0.2)
    np.testing.assert_array_equal(both.height_field_raw, first + slope)


def test_obstacles_are_of_four_heights_around_a_flat_middle():
    terrain = utils.discrete_obstacles_terrain(land(80, 80), 0.2, 0.5, 2.0, 60, platform_size=2.0)
    field = terrain.height_field_raw
    assert set(np.unique(field)) == {-40, -20, 0, 20, 40}
    assert not field[30:50, 30:50].any()
    assert 0.2 < (field != 0).mean() < 0.95


def test_waves():
    terrain = utils.wave_terrain(land(60, 60), num_waves=2, amplitude=1.0)
    heights = terrain.height_field_raw * 0.005
    x = 2 * np.pi * 2 * np.arange(60) / 60
    expected = 0.5 * np.sin(x)[:, None] + 0.5 * np.cos(x)[None, :]
    np.testing.assert_allclose(heights, expected, atol=0.01)


def test_stairs_begin_with_a_step():
    field = utils.stairs_terrain(land(10, 2), step_width=0.31, step_height=0.1).height_field_raw
    assert field[:, 0].tolist() == [20] * 3 + [40] * 3 + [60] * 3 + [0]


@pytest.mark.parametrize("height", [0.1, -0.1])
def test_stairs_from_all_sides(height):
    terrain = utils.pyramid_stairs_terrain(land(20, 24), 0.31, height, platform_size=0.5)
    ring = 20 if height > 0 else -20
    line = [0] * 3 + [ring] * 3 + [2 * ring] * 3 + [3 * ring]
    assert terrain.height_field_raw[:10, 12].tolist() == line
    assert terrain.height_field_raw[:10, 4].tolist() == [0] * 3 + [ring] * 7
    np.testing.assert_array_equal(terrain.height_field_raw, terrain.height_field_raw[::-1, ::-1])


@pytest.mark.parametrize("shape", [(40, 60), (60, 40)])
def test_stepping_stones(shape):
    terrain = utils.stepping_stones_terrain(
        land(*shape), stone_size=0.55, stone_distance=0.25, max_height=0.02, platform_size=1.0
    )
    field = terrain.height_field_raw
    ground = -2000
    assert set(np.unique(field)) <= {ground, *range(-5, 5)}
    # Rows of stones, 5 cells wide with 2 cells between, along the shorter side.
    along = field if shape[0] > shape[1] else field.T
    assert (along[5:7] == ground).all() or not along[5:7].any()
    assert (along[5:7, :10] == ground).all()
    assert (along[0:5, :12] > ground).mean() > 0.5
    middle = field[shape[0] // 2 - 5 : shape[0] // 2 + 5, shape[1] // 2 - 5 : shape[1] // 2 + 5]
    assert not middle.any()


def test_a_mesh_has_two_triangles_a_cell_that_look_up():
    field = np.array([[0, 1, 2], [3, 4, 5]], dtype=np.int16)
    vertices, triangles = utils.convert_heightfield_to_trimesh(field, 0.5, 0.1)
    assert (vertices.dtype, triangles.dtype) == (np.float32, np.uint32)
    assert vertices.shape == (6, 3)
    assert triangles.shape == (4, 3)
    np.testing.assert_allclose(vertices[4], [0.5, 0.5, 0.4])
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals[:, 2] > 0).all()
    # Together they cover the field once: areas seen from above are half a cell each.
    np.testing.assert_allclose(normals[:, 2], 0.25, rtol=1e-6)


def test_slopes_beyond_the_threshold_become_walls():
    """The lower edge of a wall stands below the upper one, whichever way it looks."""
    field = np.zeros((6, 4), dtype=np.int16)
    field[3:] = 100

    def places(heights, axis, threshold=0.75):
        vertices, _ = utils.convert_heightfield_to_trimesh(heights, 0.1, 0.01, threshold)
        return vertices.reshape(*heights.shape, 3)[..., axis]

    def assert_all(lines, expected):
        np.testing.assert_allclose(lines, np.tile(expected, (len(lines), 1)), atol=1e-6)

    up, down = [0.0, 0.1, 0.3, 0.3, 0.4, 0.5], [0.0, 0.1, 0.2, 0.2, 0.4, 0.5]
    assert_all(places(field, 0).T, up)
    assert_all(places(field[::-1], 0).T, down)
    assert_all(places(field.T, 1), up)
    assert_all(places(field[::-1].T, 1), down)
    assert_all(places(field, 0, threshold=20.0).T, 0.1 * np.arange(6))


def test_a_corner_becomes_a_wall_where_no_side_does():
    field = np.zeros((3, 3), dtype=np.int16)
    field[2, 2] = 100
    grid = utils.convert_heightfield_to_trimesh(field, 1.0, 0.1, 2.0)[0].reshape(3, 3, 3)
    np.testing.assert_allclose(grid[1, 1], [2.0, 2.0, 0.0])
    np.testing.assert_allclose(grid[1, 2], [2.0, 2.0, 0.0])
    np.testing.assert_allclose(grid[0, 0], [0.0, 0.0, 0.0])
