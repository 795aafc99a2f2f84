"""Rigid body states against closed forms, on both engines."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.torch_utils import quat_rotate

pytestmark = pytest.mark.usefixtures("each_engine")

REST = (0.0, 0.0, 0.0)
BRICK_COM = torch.tensor([0.3, -0.1, 0.2])


def assert_close(found, expected, atol=1e-4):
    torch.testing.assert_close(found, torch.as_tensor(expected), atol=atol, rtol=1e-4)


def test_start_poses_are_there_before_the_first_frame(each_engine, one_robot):
    world = one_robot("walker", envs=2, pos=(1.0, 2.0, 3.0), bodies=True)
    world.refresh()
    for env in range(2):
        assert_close(world.body[env, 0], [1.0, 2.0, 3.0, 0, 0, 0, 1] + [0.0] * 6)
        assert_close(world.body[env, 1, 0:3], [1.0, 2.3, 3.0])
        assert_close(world.body[env, 2, 0:3], [1.0, 1.7, 3.0])


def test_a_turning_link(each_engine, one_robot):
    world = one_robot("arm", fixed=True, envs=2, gravity=REST, bodies=True)
    start = torch.tensor([[[0.0, 2.0]], [[0.5, -3.0]]])
    world.set_dof(start)
    world.step(5)
    for env, (angle, speed) in enumerate(start[:, 0].tolist()):
        angle += speed * 5 * world.dt
        link = world.body[env, 1]
        assert_close(link[0:3], REST)
        assert_close(link[3:7], [0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)])
        # Half a metre out, across the arm.
        assert_close(link[7:10], [-0.5 * speed * math.sin(angle), 0.5 * speed * math.cos(angle), 0])
        assert_close(link[10:13], [0.0, 0.0, speed])
        assert_close(world.body[env, 0], [0.0] * 6 + [1.0] + [0.0] * 6)


def test_velocities_of_a_free_body_are_those_of_its_centre_of_mass(each_engine, one_robot):
    world = one_robot("brick", gravity=REST, dt=0.001, bodies=True)
    state = torch.zeros(1, 1, 13)
    half = math.sqrt(0.5)
    state[..., 3:7] = torch.tensor([half, 0.0, 0.0, half])  # a quarter turn about x
    state[..., 7:10], state[..., 12] = torch.tensor([1.0, 2.0, 3.0]), 2.0
    world.set_root(state)
    world.step(1)
    brick = world.body[0, 0]
    # The centre moves on evenly, whatever the rotation.
    assert_close(brick[7:10], [1.0, 2.0, 3.0], atol=1e-3)
    assert_close(brick[10:13], [0.0, 0.0, 2.0], atol=1e-2)
    com = quat_rotate(state[0, :, 3:7], BRICK_COM[None])[0]
    moved = brick[0:3] + quat_rotate(brick[None, 3:7], BRICK_COM[None])[0]
    assert_close(moved, com + 0.001 * torch.tensor([1.0, 2.0, 3.0]))
    # The same body is the root, whose state comes another way.
    torch.testing.assert_close(brick, world.root[0, 0], atol=1e-5, rtol=1e-5)


def test_links_of_a_floating_robot_move_with_it(each_engine, one_robot):
    world = one_robot("walker", gravity=REST, pos=(0.0, 0.0, 2.0), bodies=True)
    world.set_root(torch.tensor([[[0, 0, 2, 0, 0, 0, 1, 0.5, 0, 0, 0, 0, 0.0]]]))
    world.set_dof(torch.tensor([[[0.0, 1.0], [0.0, -1.0]]]))
    world.step(1)
    left, right = world.body[0, 1], world.body[0, 2]
    torso = world.body[0, 0]
    # The legs swing to and fro, so the torso does not turn about y (but about z, a little).
    assert_close(left[11] - torso[11], world.dof[0, 0, 1])
    assert_close(right[11] - torso[11], world.dof[0, 1, 1])
    # The centre of a leg is 0.2 m below its hinge: it moves by -0.2 m for each rad about y.
    hinges = torch.linalg.cross(torso[None, 10:13], torch.tensor([[0.0, 0.3, 0.0]]))[0]
    expected = torso[7:10] + hinges + torch.tensor([-0.2, 0.0, 0.0]) * left[11]
    assert_close(left[7:10], expected, atol=5e-3)


def test_before_the_first_frame_body_states_follow_what_was_set(one_robot):
    world = one_robot("box", gravity=REST, bodies=True)
    moved = torch.tensor([[[5.0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]]])
    world.set_root(moved)
    world.refresh()
    assert_close(world.body, moved)


def test_what_was_set_shows_in_body_states_after_simulate_only(each_engine, one_robot):
    world = one_robot("box", gravity=REST, bodies=True)
    world.step(1)
    before = world.body.clone()
    moved = torch.tensor([[[5.0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]]])
    world.set_root(moved)
    world.refresh()
    assert_close(world.root, moved)
    assert torch.equal(world.body, before)
    world.step(1)
    assert_close(world.body[0, 0, 0:3], [5.0 + world.dt, 0.0, 0.0])


def test_body_states_may_be_acquired_until_the_first_frame(each_engine, one_robot):
    world = one_robot("box", envs=2, pos=(0.0, 0.0, 1.0), gravity=REST)
    moved = world.root.clone()
    moved[..., 6], moved[1, 0, 0] = 1.0, 7.0
    world.set_root(moved)
    world.refresh()
    body = gymtorch.wrap_tensor(world.gym.acquire_rigid_body_state_tensor(world.sim))
    assert tuple(body.shape) == (2, 13)
    world.step(1)
    assert_close(body[:, 0:3], [[0.0, 0.0, 1.0], [7.0, 0.0, 1.0]])
    again = world.gym.acquire_rigid_body_state_tensor(world.sim)
    assert again.data_ptr == body.data_ptr()


def test_body_states_come_too_late_after_the_first_frame(one_robot):
    world = one_robot("box")
    world.step(1)
    assert world.gym.refresh_rigid_body_state_tensor(world.sim)
    with pytest.raises(GymError, match="before the first simulate"):
        world.gym.acquire_rigid_body_state_tensor(world.sim)
    world.step(1)


def test_acquiring_leaves_what_was_set_and_what_tasks_hold(one_robot):
    world = one_robot("arm", fixed=True, gravity=REST)
    world.set_dof(torch.tensor([[[0.3, 0.0]]]))
    world.root[...] = 5.0
    world.gym.acquire_rigid_body_state_tensor(world.sim)
    world.gym.acquire_net_contact_force_tensor(world.sim)
    world.gym.refresh_dof_state_tensor(world.sim)
    assert float(world.dof[0, 0, 0]) == pytest.approx(0.3)
    assert float(world.root.min()) == 5.0
    assert world.sim.batch is world.sim.batch


def test_several_actors_lie_one_after_the_other(each_engine, new_world):
    world = new_world(gravity=REST)
    arm, box = world.asset("arm", fixed=True), world.asset("box")
    for _ in range(2):
        world.add_env()
        world.add_actor(arm, (0.0, 0.0, 1.0), gymapi.Quat(0.0, 0.0, 1.0, 0.0))
        world.add_actor(box, (3.0, 0.0, 0.0))
    world.prepare(bodies=True)
    states = world.root.clone()
    states[:, 0, 0:7] = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    states[:, 1, 0:7] = torch.tensor([3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    states[1, 1, 7:10] = torch.tensor([0.0, 1.0, 0.0])
    world.set_root(states)
    world.set_dof(torch.tensor([[[0.0, 1.0]], [[0.0, 1.0]]]))
    world.step(1)
    assert_close(world.body[1, :, 0:3], [[0, 0, 1], [0, 0, 1], [3, 0.01, 0.0]])
    # Turned by half a turn, the arm points to -x and moves to -y.
    assert_close(world.body[0, 1, 7:10], [0.0, -0.5, 0.0], atol=1e-2)
    assert_close(world.body[1, 2, 7:10], [0.0, 1.0, 0.0])
