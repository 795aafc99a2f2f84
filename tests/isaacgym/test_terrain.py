"""Terrains as ground to stand on, on both engines."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, terrain_utils
from rofunc_isaac.isaacgym.errors import GymError, GymWarning

RADIUS = 0.05
CELL, UNIT = 0.2, 0.01
# Four flat levels along x and y, 2 m each, over 4 m x 4 m.
LEVELS = np.zeros((21, 21), dtype=np.int16)
LEVELS[10:, :] += 20
LEVELS[:, 10:] += 50


def heightfield(world, samples, friction=1.0, pos=(0.0, 0.0, 0.0)):
    params = gymapi.HeightFieldParams()
    params.nbColumns, params.nbRows = samples.shape
    params.column_scale = params.row_scale = CELL
    params.vertical_scale = UNIT
    params.dynamic_friction = friction
    params.transform.p = gymapi.Vec3(*pos)
    world.gym.add_heightfield(world.sim, samples, params)


def trimesh(world, vertices, triangles, friction=1.0, pos=(0.0, 0.0, 0.0)):
    params = gymapi.TriangleMeshParams()
    params.nb_vertices, params.nb_triangles = len(vertices), len(triangles)
    params.dynamic_friction = friction
    params.transform.p = gymapi.Vec3(*pos)
    flat = vertices.flatten(), triangles.flatten()
    world.gym.add_triangle_mesh(world.sim, *flat, params)


def mesh_of_levels(world, **arguments):
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(LEVELS, CELL, UNIT, 0.75)
    trimesh(world, vertices, triangles, **arguments)


def balls(world, places):
    """Balls dropped from 0.1 m above `places`, one an environment; their rest heights."""
    asset = world.gym.create_sphere(world.sim, RADIUS)
    for x, y, z in places:
        world.add_env()
        world.add_actor(asset, (x, y, z + RADIUS + 0.1))
    world.prepare()
    world.step(150)
    return world.root[:, 0, 2] - RADIUS


PLACES = [(1.0, 1.0, 0.0), (3.0, 1.0, 0.2), (1.0, 3.0, 0.5), (3.0, 3.0, 0.7)]


@pytest.mark.parametrize("kind", ["samples", "triangles"])
def test_balls_come_to_rest_on_the_levels(each_engine, new_world, kind):
    world = new_world()
    if kind == "samples":
        heightfield(world, LEVELS)
    else:
        mesh_of_levels(world)
    rest = balls(world, PLACES)
    torch.testing.assert_close(rest, torch.tensor([z for *_, z in PLACES]), atol=2e-3, rtol=0)


def test_a_terrain_stands_where_its_transform_says(new_world):
    world = new_world()
    heightfield(world, LEVELS, pos=(-10.0, 5.0, 2.0))
    places = [(x - 10.0, y + 5.0, z + 2.0) for x, y, z in PLACES]
    torch.testing.assert_close(
        balls(world, places), torch.tensor([z for *_, z in places]), atol=2e-3, rtol=0
    )


def test_the_two_ways_make_one_terrain(new_world):
    first, second = new_world(), new_world()
    heightfield(first, LEVELS)
    mesh_of_levels(second)
    (a,), (b,) = first.sim.scene.terrains, second.sim.scene.terrains
    np.testing.assert_allclose(a.heights, b.heights, atol=1e-6)
    assert a.step == pytest.approx(b.step)
    assert a.corner == pytest.approx(b.corner, abs=1e-6)


def test_columns_of_a_mesh_may_run_along_y(new_world):
    world = new_world()
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(LEVELS, CELL, UNIT)
    other = vertices.reshape(21, 21, 3).swapaxes(0, 1).reshape(-1, 3)
    place = np.arange(441).reshape(21, 21).T.flatten()
    trimesh(world, other, place[triangles][:, ::-1].astype(np.uint32))
    np.testing.assert_allclose(world.sim.scene.terrains[0].heights, LEVELS * UNIT, atol=1e-6)


def test_a_flat_field_is_ground(new_world):
    world = new_world()
    heightfield(world, np.full((5, 8), 30, dtype=np.int16))
    rest = balls(world, [(0.4, 0.7, 0.3)])
    assert float(rest) == pytest.approx(0.3, abs=3e-3)


def test_other_meshes_collide_as_hulls_of_their_parts(new_world):
    """Two boxes of different height: one mesh, two parts."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    boxes = [corners * [1.0, 1.0, 0.3], corners * [1.0, 1.0, 0.6] + [3.0, 0.0, 0.0]]
    triangles = np.concatenate([faces, np.array(faces) + 8]).astype(np.uint32)
    world = new_world()
    with pytest.warns(GymWarning, match="its 2 connected parts"):
        trimesh(world, np.concatenate(boxes).astype(np.float32), triangles)
    rest = balls(world, [(0.5, 0.5, 0.3), (3.5, 0.5, 0.6)])
    torch.testing.assert_close(rest, torch.tensor([0.3, 0.6]), atol=3e-3, rtol=0)


@pytest.mark.parametrize(("friction", "slides"), [(0.1, True), (1.0, False)])
def test_friction_is_the_average_of_shape_and_terrain(new_world, friction, slides):
    """A box of friction 0.6 under a pull of 0.5 g: 0.35 does not hold it, 0.8 does."""
    world = new_world(gravity=(5.0, 0.0, -10.0))
    heightfield(world, np.zeros((40, 40), dtype=np.int16), friction, pos=(-2.0, -2.0, 0.0))
    asset = world.asset("box")
    world.add_env()
    world.add_actor(asset, (0.0, 0.0, 0.1))
    (shape,) = world.gym.get_actor_rigid_shape_properties(world.envs[0], 0)
    shape.friction = 0.6
    world.gym.set_actor_rigid_shape_properties(world.envs[0], 0, [shape])
    world.prepare().step(60)
    moved = abs(float(world.root[0, 0, 0]))
    assert moved > 0.1 if slides else moved < 0.02


def test_what_is_refused(new_world):
    world = new_world()
    params = gymapi.HeightFieldParams()
    params.nbRows, params.nbColumns = 3, 4
    with pytest.raises(GymError, match="given 11 samples, nbRows=3 and nbColumns=4"):
        world.gym.add_heightfield(world.sim, np.zeros(11, dtype=np.int16), params)
    with pytest.raises(GymError, match="vertex that is not there"):
        trimesh(world, np.zeros((3, 3)), np.array([[0, 1, 3]]))
    heightfield(world, LEVELS, friction=0.5)
    world.add_ground(1.0)
    world.add_env()
    world.add_actor(world.asset("box"))
    with pytest.raises(GymError, match="different dynamic_friction"):
        world.prepare()
    with pytest.raises(GymError, match="add_heightfield comes too late"):
        heightfield(world, LEVELS)
