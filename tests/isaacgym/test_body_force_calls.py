"""Forces on single bodies, by Newton's and Euler's equations, on both engines."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
QUARTER_ABOUT_Z = gymapi.Quat(0.0, 0.0, 0.5**0.5, 0.5**0.5)
DT = 0.01
MASS, INERTIA = 2.0, 2.0 * 0.2**2 / 6.0  # of the box


@pytest.fixture
def boxes(new_world):
    """Two environments with a box each, turned by a quarter about z, at x = 1."""
    world = new_world(gravity=REST, dt=DT)
    asset = world.asset("box")
    for _ in range(2):
        world.add_env()
        world.add_actor(asset, (1.0, 0.0, 0.0), QUARTER_ABOUT_Z)
    return world.prepare()


def velocity(world, env=1):
    return world.root[env, 0, 7:13]


def assert_close(found, expected, atol=1e-6):
    torch.testing.assert_close(found, torch.as_tensor(expected), atol=atol, rtol=1e-4)


@pytest.mark.parametrize(
    ("space", "expected"),
    [(gymapi.ENV_SPACE, [1.0, 0, 0]), (gymapi.GLOBAL_SPACE, [1.0, 0, 0]),
     (gymapi.LOCAL_SPACE, [0, 1.0, 0])],
)  # fmt: skip
def test_forces_and_torques_in_every_space(each_engine, boxes, space, expected):
    push, turn = gymapi.Vec3(4.0, 0.0, 0.0), gymapi.Vec3(0.02, 0.0, 0.0)
    boxes.gym.apply_body_forces(boxes.envs[1], 0, push, turn, space)
    boxes.step(1)
    axis = torch.tensor(expected)
    assert_close(velocity(boxes)[:3], 4.0 / MASS * DT * axis)
    assert_close(velocity(boxes)[3:], 0.02 / INERTIA * DT * axis)
    assert not velocity(boxes, 0).any()
    before = velocity(boxes).clone()
    boxes.step(1)
    assert_close(velocity(boxes), before)


@pytest.mark.parametrize(
    ("space", "pos"),
    # All the same point: 0.1 m from the centre towards the environment's x.
    [(gymapi.ENV_SPACE, (1.1, 0.0, 0.0)), (gymapi.GLOBAL_SPACE, (3.1, 0.0, 0.0)),
     (gymapi.LOCAL_SPACE, (0.0, -0.1, 0.0))],
)  # fmt: skip
def test_a_force_beside_the_centre_turns(each_engine, boxes, space, pos):
    push = {gymapi.LOCAL_SPACE: gymapi.Vec3(4.0, 0.0, 0.0)}.get(space, gymapi.Vec3(0.0, 4.0, 0.0))
    assert boxes.gym.get_env_origin(boxes.envs[1]).x == 2.0
    boxes.gym.apply_body_force_at_pos(boxes.envs[1], 0, push, gymapi.Vec3(*pos), space)
    boxes.step(1)
    assert_close(velocity(boxes)[:3], [0.0, 4.0 / MASS * DT, 0.0])
    assert_close(velocity(boxes)[3:], [0.0, 0.0, 0.1 * 4.0 / INERTIA * DT])


def test_without_a_position_a_force_acts_on_the_centre_and_calls_add_up(one_robot):
    world = one_robot("brick", gravity=REST, dt=DT)
    for _ in range(2):
        world.gym.apply_body_force_at_pos(world.envs[0], 0, gymapi.Vec3(0.0, 0.0, 3.0))
    world.gym.apply_body_forces(world.envs[0], 0, gymapi.Vec3(0.0, 3.0, 0.0))
    world.step(1)
    assert_close(velocity(world, 0), [0.0, 3.0 / 3.0 * DT, 6.0 / 3.0 * DT, 0.0, 0.0, 0.0])


def test_a_brick_is_pushed_where_it_is(one_robot):
    """At its origin, beside the centre of mass: the torque is that of the arm between them."""
    world = one_robot("brick", gravity=REST, dt=0.001, pos=(1.0, 2.0, 3.0))
    at = gymapi.Vec3(1.0, 2.0, 3.0)
    world.gym.apply_body_force_at_pos(world.envs[0], 0, gymapi.Vec3(0.0, 0.0, 3.0), at)
    world.step(1)
    # Half edges 0.1, 0.2, 0.3 m, 3 kg: inertia m (b^2 + c^2) / 3.
    inertia = torch.tensor([0.13, 0.10, 0.05])
    torque = torch.linalg.cross(torch.tensor([-0.3, 0.1, -0.2]), torch.tensor([0.0, 0.0, 3.0]))
    assert_close(velocity(world, 0)[3:], torque / inertia * 0.001, atol=1e-5)


def test_the_early_name(boxes):
    push, pos = gymapi.Vec3(0.0, 4.0, 0.0), gymapi.Vec3(1.1, 0.0, 0.0)
    boxes.gym.apply_body_force(boxes.envs[0], 0, push, pos)
    boxes.step(1)
    assert_close(velocity(boxes, 0)[3:], [0.0, 0.0, 0.1 * 4.0 / INERTIA * DT])


def test_a_force_before_the_first_frame_prepares_the_simulation(new_world):
    world = new_world(gravity=REST, dt=DT)
    env = world.add_env()
    world.add_actor(world.asset("box"))
    world.gym.apply_body_forces(env, 0, gymapi.Vec3(4.0, 0.0, 0.0), None, gymapi.ENV_SPACE)
    world.gym.simulate(world.sim)
    assert world.gym.get_rigid_linear_velocity(env, 0).x == pytest.approx(4.0 / MASS * DT)


def test_bodies_and_spaces_that_are_not_there_are_refused(boxes):
    push = gymapi.Vec3(1.0, 0.0, 0.0)
    with pytest.raises(GymError, match="apply_body_forces: env 0 has no body 1; it has 1"):
        boxes.gym.apply_body_forces(boxes.envs[0], 1, push)
    with pytest.raises(GymError, match="apply_body_force_at_pos: 7 is not ENV_SPACE"):
        boxes.gym.apply_body_force_at_pos(boxes.envs[0], 0, push, push, 7)
