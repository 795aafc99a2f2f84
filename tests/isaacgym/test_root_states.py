"""Root states: flight in closed form, frames and quaternions, setting and reading back."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.torch_utils import (
    quat_from_angle_axis,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
)

pytestmark = pytest.mark.usefixtures("each_engine")


def random_states(shape, seed=0):
    """Root states with unit quaternions, (*shape, 13)."""
    states = torch.randn(*shape, 13, generator=torch.Generator().manual_seed(seed))
    states[..., 3:7] /= states[..., 3:7].norm(dim=-1, keepdim=True)
    return states


@pytest.mark.parametrize("substeps", [1, 4])
def test_free_fall_is_that_of_semi_implicit_euler(one_robot, substeps):
    world = one_robot("box", pos=(1.0, 2.0, 50.0), dt=0.02, substeps=substeps)
    assert world.root[0, 0].tolist() == [1, 2, 50, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    world.step(30)
    h, n = 0.02 / substeps, 30 * substeps
    root = world.root[0, 0]
    # After n steps: v = -g n h, and the position has taken each new velocity once.
    torch.testing.assert_close(root[7:10], torch.tensor([0.0, 0.0, -10.0 * n * h]))
    fallen = -10.0 * h * h * n * (n + 1) / 2
    torch.testing.assert_close(root[0:3], torch.tensor([1.0, 2.0, 50.0 + fallen]))


def test_a_spinning_box_turns_about_the_axis_that_the_world_sees(one_robot):
    world = one_robot("box", gravity=(0.0, 0.0, 0.0), dt=0.005)
    # The box starts tilted; a cube spins about any axis without wobbling.
    tilt = quat_from_angle_axis(torch.tensor([0.7]), torch.tensor([[1.0, 0.0, 0.0]]))[0]
    spin, flight = torch.tensor([0.0, 0.0, 2.0]), torch.tensor([1.0, -2.0, 0.5])
    state = torch.cat([torch.zeros(3), tilt, flight, spin])
    world.set_root(state[None, None])
    world.step(100)
    root = world.root[0, 0]
    turned = quat_from_angle_axis(torch.tensor([2.0 * 0.5]), torch.tensor([[0.0, 0.0, 1.0]]))
    expected = quat_mul(turned, tilt[None])[0]
    assert abs(float(root[3:7] @ expected)) == pytest.approx(1.0, abs=1e-6)
    torch.testing.assert_close(root[0:3], flight * 0.5, atol=1e-5, rtol=0)
    torch.testing.assert_close(root[7:10], flight, atol=1e-5, rtol=0)
    torch.testing.assert_close(root[10:13], spin, atol=1e-5, rtol=0)


def test_the_centre_of_mass_of_a_tumbling_brick_flies_straight(one_robot):
    world = one_robot("brick", gravity=(0.0, 0.0, 0.0), dt=0.001)
    state = random_states((1, 1), seed=3)
    state[..., 10:13] *= 2.0
    world.set_root(state)
    com = torch.tensor([[0.3, -0.1, 0.2]])

    def centre():
        return world.root[0, :, 0:3] + quat_rotate(world.root[0, :, 3:7], com)

    world.refresh()
    start, flight = centre(), world.root[0, :, 7:10].clone()
    torch.testing.assert_close(flight, state[0, :, 7:10], atol=1e-5, rtol=0)
    origin = world.root[0, :, 0:3].clone()
    world.step(400)
    # Its origin does not fly straight, its centre of mass does, at the velocity that is reported.
    torch.testing.assert_close(centre(), start + 0.4 * flight, atol=2e-3, rtol=0)
    torch.testing.assert_close(world.root[0, :, 7:10], flight, atol=5e-3, rtol=0)
    assert float((world.root[0, :, 0:3] - origin - 0.4 * flight).norm()) > 0.05


def test_a_tumbling_brick_keeps_its_angular_momentum_and_energy(one_robot):
    world = one_robot("brick", gravity=(0.0, 0.0, 0.0), dt=0.0005)
    world.set_root(random_states((1, 1), seed=4))
    mass, (x, y, z) = 3.0, (0.2, 0.4, 0.6)
    inertia = mass / 12 * torch.tensor([[y * y + z * z, x * x + z * z, x * x + y * y]])

    def momentum_and_energy():
        quat, spin = world.root[0, :, 3:7], world.root[0, :, 10:13]
        local = quat_rotate_inverse(quat, spin)
        energy = (inertia * local * local).sum() / 2
        return quat_rotate(quat, inertia * local), energy

    world.refresh()
    momentum, energy = momentum_and_energy()
    start = world.root[0, :, 10:13].clone()
    world.step(600)
    after, energy_after = momentum_and_energy()
    torch.testing.assert_close(after, momentum, atol=5e-3, rtol=0)
    torch.testing.assert_close(energy_after, energy, atol=5e-3, rtol=0)
    assert float((world.root[0, :, 10:13] - start).norm()) > 0.05  # the spin itself wanders


@pytest.mark.parametrize("robot", ["box", "brick", "walker"])
def test_what_is_set_is_read_back(one_robot, robot):
    world = one_robot(robot, envs=4)
    states = random_states((4, 1))
    world.set_root(states)
    world.refresh()
    torch.testing.assert_close(world.root, states, atol=2e-6, rtol=2e-6)


def build_three_actors(new_world, envs=3, **arguments):
    """In each environment: a floating robot, a floating box, a fixed arm."""
    world = new_world(**arguments)
    robot, box = world.asset("walker"), world.asset("box")
    arm = world.asset("arm", fixed=True)
    for index in range(envs):
        world.add_env()
        world.add_actor(robot, (0.0, 0.0, 10.0 + index), name="robot")
        world.add_actor(box, (0.0, 5.0, 20.0 + index), name="box")
        world.add_actor(arm, (0.0, -5.0, 30.0 + index), name="arm")
    return world.prepare()


def test_actors_lie_one_after_the_other_by_environment(new_world):
    world = build_three_actors(new_world)
    heights = torch.tensor([[10.0, 20.0, 30.0]]) + torch.arange(3.0)[:, None]
    torch.testing.assert_close(world.root[..., 2], heights)
    assert tuple(world.dof.shape) == (3, 3, 2)
    for env in range(3):
        handles = range(3)
        indices = [
            world.gym.get_actor_index(world.envs[env], handle, gymapi.DOMAIN_SIM)
            for handle in handles
        ]
        assert indices == [3 * env, 3 * env + 1, 3 * env + 2]
        in_env = [
            world.gym.get_actor_index(world.envs[env], handle, gymapi.DOMAIN_ENV)
            for handle in handles
        ]
        assert in_env == [0, 1, 2]


def test_setting_by_index_moves_those_actors_alone(new_world):
    world = build_three_actors(new_world)
    before = world.root.clone()
    states = random_states((3, 3))
    # A robot, a box, an arm; the last entry lies beyond the count.
    indices = torch.tensor([0, 4, 8, 1], dtype=torch.int32)
    world.gym.set_actor_root_state_tensor_indexed(
        world.sim,
        gymtorch.unwrap_tensor(states.view(-1, 13).contiguous()),
        gymtorch.unwrap_tensor(indices),
        3,
    )
    world.refresh()
    expected = before.clone()
    expected[0, 0], expected[1, 1] = states[0, 0], states[1, 1]
    expected[2, 2, 0:7] = states[2, 2, 0:7]  # a fixed root has a pose only
    torch.testing.assert_close(world.root, expected, atol=2e-6, rtol=2e-6)


def test_setting_by_mask_is_setting_by_the_indices_of_all_actors(new_world):
    by_mask, by_index = build_three_actors(new_world), build_three_actors(new_world)
    states = random_states((3, 3)).view(-1, 13)
    mask = torch.tensor([True, False, True])
    indices = torch.tensor([0, 1, 2, 6, 7, 8], dtype=torch.int32)
    by_mask.gym.set_actor_root_state_tensor_masked(
        by_mask.sim, gymtorch.unwrap_tensor(states), mask
    )
    by_index.gym.set_actor_root_state_tensor_indexed(
        by_index.sim, gymtorch.unwrap_tensor(states), gymtorch.unwrap_tensor(indices), 6
    )
    for world in (by_mask, by_index):
        world.refresh()
    torch.testing.assert_close(by_mask.root, by_index.root, atol=0, rtol=0)
    for world in (by_mask, by_index):
        world.step(5)
    torch.testing.assert_close(by_mask.root, by_index.root, atol=0, rtol=0)
    torch.testing.assert_close(by_mask.dof, by_index.dof, atol=0, rtol=0)


def test_two_setters_in_one_frame_both_count(one_robot):
    world = one_robot("box", envs=2, gravity=(0.0, 0.0, 0.0))
    plain, indexed = random_states((2, 1), 1), random_states((2, 1), 2)
    world.set_root(plain)
    world.gym.set_actor_root_state_tensor_indexed(
        world.sim,
        gymtorch.unwrap_tensor(indexed.view(-1, 13).contiguous()),
        gymtorch.unwrap_tensor(torch.tensor([1], dtype=torch.int32)),
        1,
    )
    world.step(1)
    start = torch.stack([plain[0], indexed[1]])
    moved = start[..., 0:3] + world.dt * start[..., 7:10]
    torch.testing.assert_close(world.root[..., 0:3], moved, atol=1e-5, rtol=1e-5)


def test_a_state_takes_effect_at_the_next_simulate(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 5.0))
    world.step(3)
    state = torch.zeros(1, 1, 13)
    state[..., 2], state[..., 6], state[..., 9] = 7.0, 1.0, 4.0
    world.set_root(state)
    world.step(1)
    velocity = 4.0 - 10.0 * world.dt
    assert float(world.root[0, 0, 9]) == pytest.approx(velocity, abs=1e-6)
    assert float(world.root[0, 0, 2]) == pytest.approx(7.0 + world.dt * velocity, abs=1e-6)


def test_the_tensor_that_tasks_hold_changes_by_refresh_alone(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 5.0))
    before = world.root.clone()
    world.gym.simulate(world.sim)
    torch.testing.assert_close(world.root, before, atol=0, rtol=0)
    world.gym.refresh_actor_root_state_tensor(world.sim)
    assert float(world.root[0, 0, 2]) < 5.0


def test_a_pose_object_may_be_used_again_for_the_next_actor(new_world):
    world = new_world()
    asset = world.asset("box")
    pose = gymapi.Transform()
    for index in range(3):
        env = world.add_env()
        pose.p = gymapi.Vec3(0.0, 0.0, float(index))
        pose.r.w = 1.0
        world.gym.create_actor(env, asset, pose, "box", index, 0)
    world.prepare()
    assert world.root[:, 0, 2].tolist() == [0.0, 1.0, 2.0]


def test_a_fixed_root_stays_and_moves_its_arm_when_it_is_set(new_world):
    # Two arms that hang in gravity, with the hinge axis level; one base is turned over.
    world = new_world(dt=0.001)
    arm = world.asset("arm", fixed=True)
    level = gymapi.Quat.from_axis_angle(gymapi.Vec3(1.0, 0.0, 0.0), math.pi / 2)
    for _ in range(2):
        world.add_env()
        world.add_actor(arm, (0.0, 0.0, 3.0), level)
    world.prepare()
    state = world.root.clone()
    turned = gymapi.Quat.from_axis_angle(gymapi.Vec3(1.0, 0.0, 0.0), -math.pi / 2)
    state[1, 0, 0:7] = torch.tensor([1.0, 2.0, 4.0, turned.x, turned.y, turned.z, turned.w])
    world.set_root(state)
    world.step(1)
    torch.testing.assert_close(world.root[..., 0:7], state[..., 0:7], atol=1e-6, rtol=0)
    # The ball falls: with the axis turned over, to the other side of the hinge.
    inertia = 2.0 * 0.5**2 + 0.4 * 2.0 * 0.1**2
    rate = 2.0 * 10.0 * 0.5 / inertia * world.dt
    torch.testing.assert_close(world.dof[:, 0, 1], torch.tensor([-rate, rate]), atol=1e-5, rtol=0)


def test_bases_differ_between_environments_from_the_start(new_world):
    world = new_world()
    arm = world.asset("arm", fixed=True)
    for index in range(3):
        world.add_env()
        turn = gymapi.Quat.from_axis_angle(gymapi.Vec3(1.0, 0.0, 0.0), index * math.pi / 2)
        world.add_actor(arm, (float(index), 0.0, 3.0), turn)
    world.prepare()
    assert world.root[:, 0, 0].tolist() == [0.0, 1.0, 2.0]
    world.step(1)
    moving = world.dof[:, 0, 1].abs() > 0.01
    assert moving.tolist() == [False, True, False]  # gravity along the axis turns nothing


def test_only_worlds_that_were_moved_forget_their_contact_solution(one_robot):
    world = one_robot("box", envs=2, pos=(0.0, 0.0, 0.1), ground=1.0)
    world.step(5)
    solution = world.sim.batch.view("qacc_warmstart")
    kept = solution[1].clone()
    world.gym.set_actor_root_state_tensor_indexed(
        world.sim,
        gymtorch.unwrap_tensor(world.root.view(-1, 13)),
        gymtorch.unwrap_tensor(torch.tensor([0], dtype=torch.int32)),
        1,
    )
    assert not solution[0].any()
    assert kept.any()
    torch.testing.assert_close(solution[1], kept, atol=0, rtol=0)
