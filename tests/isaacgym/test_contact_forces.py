"""Net contact forces against Newton's laws, on both engines."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError

pytestmark = pytest.mark.usefixtures("each_engine")


def assert_close(found, expected, atol=1e-3):
    torch.testing.assert_close(found, torch.as_tensor(expected), atol=atol, rtol=1e-3)


def test_a_box_at_rest_reads_its_weight(each_engine, one_robot):
    world = one_robot("box", envs=2, pos=(0.0, 0.0, 0.1), ground=1.0, contacts=True)
    world.step(100)
    assert_close(world.contact[:, 0], [[0.0, 0.0, 20.0]] * 2)


def test_a_pile_adds_up_on_each_body(each_engine, new_world):
    """Ground and upper box push the lower one: what is left is its own weight."""
    world = new_world(ground=1.0)
    box = world.asset("box")
    world.add_env()
    for height in (0.1, 0.3):
        world.add_actor(box, (0.0, 0.0, height))
    world.prepare(contacts=True)
    world.step(200)
    assert_close(world.contact[0], [[0.0, 0.0, 20.0], [0.0, 0.0, 20.0]], atol=1e-2)


def test_friction_counts(one_robot):
    """On a slope of gravity the box sticks: the contact bears all of the pull."""
    world = one_robot(
        "box", pos=(0.0, 0.0, 0.1), ground=1.0, gravity=(3.0, 0.0, -10.0), contacts=True
    )
    world.step(100)
    assert_close(world.contact[0, 0], [-6.0, 0.0, 20.0], atol=5e-2)


def test_in_the_air_there_is_nothing(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 5.0), ground=1.0, contacts=True)
    world.step(5)
    assert torch.equal(world.contact, torch.zeros(1, 1, 3))


def test_only_the_bodies_that_touch_read_something(one_robot):
    world = one_robot("walker", pos=(0.0, 0.0, 0.44), ground=1.0, contacts=True)
    world.step(1)
    torso, left, right = world.contact[0]
    assert torch.equal(torso, torch.zeros(3))
    assert float(left[2]) > 1.0
    assert_close(left[2], right[2])


def test_forces_may_be_acquired_until_the_first_frame(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 0.1), ground=1.0)
    world.refresh()
    contact = gymtorch.wrap_tensor(world.gym.acquire_net_contact_force_tensor(world.sim))
    world.step(100)
    assert_close(contact, [[0.0, 0.0, 20.0]])
    late = one_robot("box")
    late.step(1)
    with pytest.raises(GymError, match="before the first simulate"):
        late.gym.acquire_net_contact_force_tensor(late.sim)


def test_force_sensors_read_the_same_beside_them(new_world):
    world = new_world(gravity=(1.0, 0.0, -10.0))
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    world.add_env()
    world.add_actor(asset)
    world.prepare(contacts=True)
    world.step(3)
    assert_close(world.sensor[0, 0], [2.0, 0.0, -20.0, 0.0, 0.0, 0.0])
