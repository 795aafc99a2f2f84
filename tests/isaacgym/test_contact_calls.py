"""Contacts one by one, and their net forces, against weights and geometry, on both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rofunc_isaac.isaacgym import gymapi

WEIGHT = 2.0 * 10.0  # of the box, N


def vec(record):
    return np.array([record["x"], record["y"], record["z"]]).T


@pytest.fixture
def stack(new_world):
    """In the second of two environments a box lies on a box, which lies on the ground."""
    world = new_world(ground=0.8)
    box = world.asset("box")
    for _ in range(2):
        world.add_env()
        world.add_actor(box, (1.0, 0.0, 0.1))
        world.add_actor(box, (1.0, 0.0, 50.0))
    states = world.gym.get_actor_rigid_body_states(world.envs[1], 1, gymapi.STATE_ALL)
    states["pose"]["p"]["z"] = 0.3
    world.gym.set_actor_rigid_body_states(world.envs[1], 1, states, gymapi.STATE_ALL)
    world.prepare()
    world.step(100)
    return world


def test_contacts_of_an_environment(each_engine, stack):
    contacts = stack.gym.get_env_rigid_contacts(stack.envs[1])
    on_ground, on_box = contacts[contacts["body1"] == -1], contacts[contacts["body1"] == 1]
    assert len(on_ground) == len(on_box) == 4
    assert len(contacts) == 8
    assert set(on_ground["body0"]) == set(on_box["body0"]) == {0}
    # From body0 to body1: down into the ground, and up to the other box.
    np.testing.assert_allclose(vec(on_ground["normal"]), [[0, 0, -1]] * 4, atol=1e-3)
    np.testing.assert_allclose(vec(on_box["normal"]), [[0, 0, 1]] * 4, atol=1e-3)
    assert on_ground["lambda"].sum() == pytest.approx(2 * WEIGHT, rel=1e-2)
    assert on_box["lambda"].sum() == pytest.approx(WEIGHT, rel=1e-2)
    # At the corners of both boxes, in their own frames.
    np.testing.assert_allclose(np.abs(vec(on_box["localPos0"])), [[0.1] * 3] * 4, atol=2e-3)
    np.testing.assert_allclose(vec(on_box["localPos1"])[:, 2], [-0.1] * 4, atol=2e-3)
    np.testing.assert_allclose(vec(on_ground["localPos1"])[:, 0] - 1.0, vec(on_ground["localPos0"])
                               [:, 0], atol=2e-3)  # fmt: skip
    assert (on_box["initialOverlap"] > 0.0).all()
    assert (on_box["initialOverlap"] < 2e-3).all()
    assert on_ground["friction"] == pytest.approx([0.9] * 4)
    assert set(contacts["env0"]) == set(on_box["env1"]) == {1}
    assert set(on_ground["env1"]) == {-1}


def test_contacts_of_all_environments(stack):
    one = stack.gym.get_env_rigid_contacts(stack.envs[0])
    assert len(one) == 4
    every = stack.gym.get_rigid_contacts(stack.sim)
    assert every["env0"].tolist() == [0] * 4 + [1] * 8
    # Two bodies an environment, counted over both of them; the ground stays what it is.
    assert set(every["body0"]) == {0, 2}
    assert set(every["body1"]) == {-1, 3}


def test_net_forces(each_engine, stack):
    found = vec(stack.gym.get_env_rigid_contact_forces(stack.envs[1]))
    np.testing.assert_allclose(found, [[0, 0, WEIGHT], [0, 0, WEIGHT]], atol=0.2)
    every = vec(stack.gym.get_rigid_contact_forces(stack.sim))
    np.testing.assert_allclose(every, [[0, 0, WEIGHT], [0, 0, 0], *found], atol=0.2)
    both = stack.gym.get_vec_env_rigid_contact_forces(stack.envs[::-1])
    np.testing.assert_allclose(vec(both)[:2], found, atol=1e-5)


def test_friction_on_a_slope(each_engine, new_world):
    """A box at rest on tilted ground: the normal force carries m g cos, friction m g sin."""
    angle = 0.3
    world = new_world(gravity=(10.0 * math.sin(angle), 0.0, -10.0 * math.cos(angle)), ground=1.0)
    world.add_env()
    world.add_actor(world.asset("box"), (0.0, 0.0, 0.1))
    world.prepare()
    world.step(50)
    contacts = world.gym.get_env_rigid_contacts(world.envs[0])
    assert contacts["lambda"].sum() == pytest.approx(WEIGHT * math.cos(angle), rel=2e-2)
    friction = np.hypot(contacts["lambdaFriction"]["x"], contacts["lambdaFriction"]["y"]).sum()
    assert friction == pytest.approx(WEIGHT * math.sin(angle), rel=5e-2)
    net = vec(world.gym.get_env_rigid_contact_forces(world.envs[0]))[0]
    expected = WEIGHT * np.array([-math.sin(angle), 0.0, math.cos(angle)])
    np.testing.assert_allclose(net, expected, atol=0.4)


def test_properties_of_one_environment_count(each_engine, new_world):
    """The second box is heavier and smoother, set after the simulation was prepared."""
    world = new_world(ground=1.0)
    box = world.asset("box")
    for _ in range(2):
        world.add_env()
        world.add_actor(box, (0.0, 0.0, 0.1))
    world.prepare()
    gym, env = world.gym, world.envs[1]
    bodies = gym.get_actor_rigid_body_properties(env, 0)
    bodies[0].mass = 6.0
    gym.set_actor_rigid_body_properties(env, 0, bodies, True)
    shapes = gym.get_actor_rigid_shape_properties(env, 0)
    shapes[0].friction = 0.2
    gym.set_actor_rigid_shape_properties(env, 0, shapes)
    world.step(100)
    for index, (weight, friction) in enumerate(((20.0, 1.0), (60.0, 0.6))):
        contacts = gym.get_env_rigid_contacts(world.envs[index])
        assert contacts["lambda"].sum() == pytest.approx(weight, rel=1e-2)
        assert contacts["friction"] == pytest.approx([friction] * len(contacts))


def test_nothing_touches_nothing(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 5.0), ground=1.0)
    contacts = world.gym.get_env_rigid_contacts(world.envs[0])
    assert contacts.shape == (0,)
    assert contacts.dtype.names[:4] == ("env0", "env1", "body0", "body1")
    assert not vec(world.gym.get_env_rigid_contact_forces(world.envs[0])).any()


def test_the_record_has_a_name_that_python_lacks():
    contact = gymapi.RigidContact()
    contact.lambda_ = 3.0
    assert getattr(contact, "lambda") == 3.0
