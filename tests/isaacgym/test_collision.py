"""Which shapes collide: groups and filters, as bits and in the simulation."""

from __future__ import annotations

import itertools

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.collision import GROUND_BITS, MAX_CLASSES, collision_bits
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)


def collide(a, b):
    """MuJoCo's rule for two (contype, conaffinity)."""
    return bool(a[0] & b[1]) or bool(b[0] & a[1])


def expected(a, b):
    """Isaac Gym's rule for two (group, filter); group -1 meets every group."""
    return (a[0] == b[0] or -1 in (a[0], b[0])) and (a[1] & b[1]) == 0


def test_bits_say_what_groups_and_filters_say():
    classes = list(itertools.product((-1, 0, 5), (0, 1, 2, 3, 4)))
    bits = collision_bits(classes)
    for (a, a_bits), (b, b_bits) in itertools.product(zip(classes, bits, strict=True), repeat=2):
        assert collide(a_bits, b_bits) == expected(a, b), (a, b)


def test_every_shape_meets_the_ground():
    for bits in collision_bits([(-1, 0), (0, 0), (0, 1), (3, 0xFFFF)]):
        assert collide(bits, GROUND_BITS)


def test_equal_shapes_share_a_bit_and_too_many_kinds_are_refused():
    assert len(set(collision_bits([(0, 1)] * 100))) == 1
    most = [(0, index) for index in range(MAX_CLASSES - 1)]
    bits = collision_bits(most)
    assert all(0 < number < 2**31 for pair in bits for number in pair)
    with pytest.raises(GymError, match="31 distinct pairs of collision group and filter"):
        collision_bits([*most, (1, 0)])


def box_lands_on_table(new_world, table, box):
    """Whether a box of (group, filter) `box` rests on a fixed one, or falls through it."""
    world = new_world()
    below, above = world.asset("box", fixed=True), world.asset("box")
    world.add_env()
    world.add_actor(below, (0.0, 0.0, 1.0), group=table[0], filter=table[1])
    world.add_actor(above, (0.0, 0.0, 1.25), group=box[0], filter=box[1])
    world.prepare().step(100)
    height = float(world.root[0, 1, 2])
    assert height == pytest.approx(1.2, abs=0.01) or height < 0.0
    return height > 0.0


@pytest.mark.parametrize(
    ("table", "box"),
    [
        ((0, 0), (0, 0)),
        ((0, 1), (0, 1)),
        ((0, 1), (0, 2)),
        ((0, 3), (0, 2)),
        ((0, 0), (1, 0)),
        ((-1, 0), (4, 0)),
    ],
)
def test_actors_collide_within_a_group_unless_filters_share_a_bit(new_world, table, box):
    assert box_lands_on_table(new_world, table, box) == expected(table, box)


def test_filter_minus_one_leaves_each_shape_its_own(new_world):
    for shape_filter, lands in ((0, True), (2, False)):
        world = new_world()
        below, above = world.asset("box", fixed=True), world.asset("box")
        shapes = world.gym.get_asset_rigid_shape_properties(above)
        shapes[0].filter = shape_filter
        world.gym.set_asset_rigid_shape_properties(above, shapes)
        world.add_env()
        world.add_actor(below, (0.0, 0.0, 1.0), filter=2)
        world.add_actor(above, (0.0, 0.0, 1.25), filter=-1)
        world.prepare().step(100)
        assert (float(world.root[0, 1, 2]) > 0.0) == lands


@pytest.mark.parametrize("filter", [0, 1, -1])
def test_every_actor_stands_on_the_ground(new_world, filter):
    world = new_world(ground=1.0)
    world.add_env()
    world.add_actor(world.asset("box"), (0.0, 0.0, 0.15), group=7, filter=filter)
    world.prepare().step(100)
    assert float(world.root[0, 0, 2]) == pytest.approx(0.1, abs=2e-3)


@pytest.mark.parametrize(("filter", "meet"), [(0, True), (1, False)])
def test_filter_zero_lets_a_robots_own_links_collide(new_world, filter, meet):
    # Two fingers whose balls would overlap if both swung in.
    robot = """
<mujoco><worldbody><body name="base">
  <body name="left" pos="0 0.3 0"><joint name="left" axis="1 0 0"/>
    <geom type="sphere" size="0.1" pos="0 0 0.3" mass="1"/></body>
  <body name="right" pos="0 -0.3 0"><joint name="right" axis="1 0 0"/>
    <geom type="sphere" size="0.1" pos="0 0 0.3" mass="1"/></body>
</body></worldbody></mujoco>"""
    world = new_world(gravity=REST)
    world.add_env()
    handle = world.add_actor(world.asset(robot, fixed=True), filter=filter)
    world.set_dof_properties(0, handle, driveMode=int(gymapi.DOF_MODE_EFFORT), damping=1.0)
    world.prepare().step(200, effort=[1.0, -1.0])
    # They meet when the distance 0.6 - 2 * 0.3 sin(angle) is two radii: at sin(angle) = 2 / 3.
    angle = float(world.dof[0, 0, 0])
    assert (angle == pytest.approx(0.7297, abs=0.02)) == meet
    assert (angle > 1.0) != meet


def test_a_group_counts_from_the_environments_own(new_world):
    """Environments whose groups are numbered on, as all tasks do, hold the same actors."""
    world = new_world()
    table, box = world.asset("box", fixed=True), world.asset("box")
    for index in range(3):
        world.add_env()
        world.add_actor(table, (0.0, 0.0, 1.0), group=-1)
        world.add_actor(box, (0.0, 0.0, 1.25), group=index)
        world.add_actor(box, (0.0, 0.0, 2.0), group=index + 3)
    world.prepare().step(150)
    assert world.root[:, 1, 2].tolist() == pytest.approx([1.2] * 3, abs=0.01)
    # The third actor's group differs from the second's: it falls through, onto the table.
    assert world.root[:, 2, 2].tolist() == pytest.approx([1.2] * 3, abs=0.01)
