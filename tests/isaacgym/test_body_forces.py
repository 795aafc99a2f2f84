"""Forces on bodies against Newton's and Euler's equations, on both engines."""

from __future__ import annotations

import io
import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
MASS, INERTIA = 2.0, 2.0 * 0.2**2 / 6  # of the box
HALF = math.sqrt(0.5)
QUARTER_TURN = (0.0, 0.0, HALF, HALF)  # about z


def handle(values, world):
    """`values` broadcast over (envs, bodies, 3), as the calls take them."""
    bodies = world.gym.get_env_rigid_body_count(world.envs[0])
    tensor = torch.as_tensor(values, dtype=torch.float32).expand(len(world.envs), bodies, 3)
    return gymtorch.unwrap_tensor(tensor.contiguous())


def push(world, force=None, torque=None, space=gymapi.ENV_SPACE):
    force, torque = (None if v is None else handle(v, world) for v in (force, torque))
    assert world.gym.apply_rigid_body_force_tensors(world.sim, force, torque, space)


def push_at(world, force, position, space=gymapi.ENV_SPACE):
    position = None if position is None else handle(position, world)
    call = world.gym.apply_rigid_body_force_at_pos_tensors
    assert call(world.sim, handle(force, world), position, space)


def turn(world, quat=QUARTER_TURN, pos=REST):
    state = torch.zeros_like(world.root)
    state[..., 0:3], state[..., 3:7] = torch.tensor(pos), torch.tensor(quat)
    world.set_root(state)


def assert_moves(world, linear=REST, angular=REST, env=0):
    expected = torch.tensor([*linear, *angular])
    torch.testing.assert_close(world.root[env, 0, 7:13], expected, atol=1e-4, rtol=1e-3)


def test_a_force_moves_the_centre_of_mass_for_one_frame(each_engine, one_robot):
    world = one_robot("brick", envs=2, gravity=REST, substeps=2)
    push(world, [[[3.0, 0.0, 6.0]], [[0.0, -3.0, 0.0]]])
    world.step(1)
    assert_moves(world, (0.01, 0.0, 0.02))
    assert_moves(world, (0.0, -0.01, 0.0), env=1)
    world.step(1)
    assert_moves(world, (0.01, 0.0, 0.02))


def test_a_torque_turns(each_engine, one_robot):
    world = one_robot("box", gravity=REST)
    push(world, torque=(0.0, 0.1, 0.0))
    world.step(1)
    assert_moves(world, angular=(0.0, 0.1 * 0.01 / INERTIA, 0.0))


def test_calls_before_one_frame_add_up(one_robot):
    world = one_robot("box", gravity=REST)
    push(world, (1.0, 0.0, 0.0))
    push(world, (2.0, 0.0, 0.0), (0.0, 0.0, 0.1))
    world.step(1)
    assert_moves(world, (3.0 * 0.01 / MASS, 0.0, 0.0), (0.0, 0.0, 0.1 * 0.01 / INERTIA))


@pytest.mark.parametrize("bodies", [False, True])
def test_local_vectors_turn_with_the_body_as_it_was_set(each_engine, one_robot, bodies):
    """The pose counts that was set in this very step, not the last one of the physics."""
    world = one_robot("box", gravity=REST, bodies=bodies)
    world.step(1)
    turn(world)
    push(world, (2.0, 0.0, 0.0), (0.1, 0.0, 0.0), gymapi.LOCAL_SPACE)
    world.step(1)
    assert_moves(world, (0.0, 0.01, 0.0), (0.0, 0.1 * 0.01 / INERTIA, 0.0))


def test_a_force_off_the_centre_turns_as_well(each_engine, one_robot):
    world = one_robot("box", gravity=REST)
    turn(world, pos=(5.0, 0.0, 0.0))
    push_at(world, (0.0, 2.0, 0.0), (5.1, 0.0, 0.0))
    world.step(1)
    assert_moves(world, (0.0, 0.01, 0.0), (0.0, 0.0, 0.1 * 2.0 * 0.01 / INERTIA))


def test_a_local_position_is_in_the_bodys_frame(one_robot):
    """The brick's centre lies at (0.3, -0.1, 0.2): a force there turns nothing."""
    world = one_robot("brick", gravity=REST)
    turn(world, pos=(1.0, 2.0, 3.0))
    push_at(world, (3.0, 0.0, 0.0), (0.3, -0.1, 0.2), gymapi.LOCAL_SPACE)
    world.step(1)
    assert_moves(world, (0.0, 0.01, 0.0))
    push_at(world, (0.0, 0.0, 3.0), (0.3, -0.1, 1.2), gymapi.LOCAL_SPACE)
    world.step(1)
    assert_moves(world, (0.0, 0.01, 0.01))


def test_a_global_position_counts_from_the_common_origin(one_robot):
    world = one_robot("box", envs=2, gravity=REST)
    origin = world.gym.get_env_origin(world.envs[1])
    assert (origin.x, origin.y) == (2.0, 0.0)
    positions = [[[0.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]]]
    push_at(world, (0.0, 2.0, 0.0), positions, gymapi.GLOBAL_SPACE)
    world.step(1)
    for env in range(2):
        assert_moves(world, (0.0, 0.01, 0.0), env=env)


def test_without_positions_forces_act_on_the_centres(one_robot):
    world = one_robot("brick", gravity=REST)
    push_at(world, (0.0, 3.0, 0.0), None)
    world.step(1)
    assert_moves(world, (0.0, 0.01, 0.0))


def test_a_force_on_a_link_moves_its_joint(one_robot):
    world = one_robot("cart", fixed=True, gravity=REST)
    push(world, [[[50.0, 0.0, 0.0], [4.0, 0.0, 0.0]]])
    world.step(1)
    assert float(world.dof[0, 0, 1]) == pytest.approx(4.0 * 0.01 / MASS, rel=1e-4)


def test_pending_forces_survive_a_snapshot(each_engine, one_robot):
    world = one_robot("box", gravity=REST)
    world.step(1)
    push(world, (2.0, 0.0, 0.0))
    file = io.BytesIO()
    torch.save(world.sim.snapshot(), file)
    file.seek(0)
    other = one_robot("box", gravity=REST)
    other.sim.restore(torch.load(file, weights_only=True))
    for frames in (1, 2):
        other.step(frames)
        assert_moves(other, (0.01, 0.0, 0.0))


def test_what_the_calls_refuse(one_robot):
    world = one_robot("box", envs=2)
    wrong = gymtorch.unwrap_tensor(torch.zeros(1, 3))
    with pytest.raises(GymError, match=r"force_tensors was given .* of shape \(2, 1, 3\)"):
        world.gym.apply_rigid_body_force_tensors(world.sim, None, wrong)
    with pytest.raises(GymError, match="ENV_SPACE"):
        world.gym.apply_rigid_body_force_tensors(world.sim, None, None, 7)
    with pytest.raises(GymError, match="needs a force tensor"):
        world.gym.apply_rigid_body_force_at_pos_tensors(world.sim, None, wrong)
