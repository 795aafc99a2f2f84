"""What the tensor calls accept, and what they say about the rest."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymtorch
from rofunc_isaac.isaacgym.errors import GymError

ARM_INERTIA = 2.0 * 0.5**2 + 0.4 * 2.0 * 0.1**2  # kg m^2, of the arm about its hinge


@pytest.fixture
def arms(one_robot):
    return one_robot("arm", fixed=True, envs=3)


SHAPES = {
    "set_actor_root_state_tensor": (3, 13),
    "set_dof_state_tensor": (3, 2),
    "set_dof_actuation_force_tensor": (3,),
    "set_dof_position_target_tensor": (3,),
    "set_dof_velocity_target_tensor": (3,),
}


@pytest.mark.parametrize("call", SHAPES)
def test_tensors_of_another_size_or_kind_are_refused(arms, call):
    shape = SHAPES[call]
    setter = getattr(arms.gym, call)
    for wrong in (torch.zeros(2, *shape[1:]), torch.zeros(shape, dtype=torch.int32)):
        with pytest.raises(GymError, match=rf"{call} was given .* it takes torch\.float32"):
            setter(arms.sim, gymtorch.unwrap_tensor(wrong))
    assert setter(arms.sim, gymtorch.unwrap_tensor(torch.zeros(shape)))


def test_tensors_may_have_any_shape_of_the_right_size(arms):
    states = torch.arange(6.0).view(3, 1, 2) / 10
    arms.gym.set_dof_state_tensor(arms.sim, gymtorch.unwrap_tensor(states))
    arms.refresh()
    torch.testing.assert_close(arms.dof, states, atol=0, rtol=0)


@pytest.mark.parametrize("call", ["set_actor_root_state_tensor", "set_dof_state_tensor"])
@pytest.mark.parametrize("how", ["indexed", "masked"])
def test_partial_setters_check_their_tensors_as_well(arms, call, how):
    arguments = {
        "indexed": (gymtorch.unwrap_tensor(torch.tensor([0], dtype=torch.int32)), 1),
        "masked": (torch.tensor([True, False, False]),),
    }
    wrong = gymtorch.unwrap_tensor(torch.zeros(2, SHAPES[call][1]))
    with pytest.raises(GymError, match=f"{call}_{how} was given"):
        getattr(arms.gym, f"{call}_{how}")(arms.sim, wrong, *arguments[how])


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_no_index_sets_nothing_and_repeated_ones_set_once(arms, dtype):
    states = gymtorch.unwrap_tensor(torch.ones(3, 2))
    for indices, expected in (([], [0, 0, 0]), ([2, 2, 0], [1, 0, 1])):
        given = gymtorch.unwrap_tensor(torch.tensor(indices, dtype=dtype))
        arms.gym.set_dof_state_tensor_indexed(arms.sim, states, given, len(indices))
        arms.refresh()
        assert arms.dof[:, 0, 0].tolist() == expected


def test_a_mask_of_another_size_is_refused(arms):
    states = gymtorch.unwrap_tensor(torch.ones(3, 2))
    for mask in (torch.tensor([True]), torch.ones(3, dtype=torch.int32)):
        with pytest.raises(GymError, match="mask"):
            arms.gym.set_dof_state_tensor_masked(arms.sim, states, mask)


def test_acquiring_again_gives_the_same_tensor(arms):
    first = gymtorch.wrap_tensor(arms.gym.acquire_dof_state_tensor(arms.sim))
    second = gymtorch.wrap_tensor(arms.gym.acquire_dof_state_tensor(arms.sim))
    assert first.data_ptr() == second.data_ptr()
    assert tuple(first.shape) == (3, 2)


def test_robots_without_dofs_or_sensors_have_empty_tensors(one_robot):
    world = one_robot("box", envs=2)
    world.step(2)
    assert tuple(world.dof.shape) == (2, 0, 2)
    assert tuple(world.sensor.shape) == (2, 0, 6)


def test_worlds_that_leave_the_finite_numbers_are_marked_and_put_back(arms):
    states = torch.zeros(3, 1, 2)
    states[1, 0, 1] = float("nan")
    arms.set_dof(states)
    arms.step(1)
    assert arms.gym.get_unstable_env_mask(arms.sim).tolist() == [False, True, False]
    assert bool(torch.isfinite(arms.dof).all())
    arms.step(1)
    assert not arms.gym.get_unstable_env_mask(arms.sim).any()


def test_environments_do_not_touch_each_other(one_robot):
    alone = one_robot("walker", pos=(0.0, 0.0, 0.7), ground=1.0)
    many = one_robot("walker", envs=3, pos=(0.0, 0.0, 0.7), ground=1.0)
    for world in (alone, many):
        world.step(40, effort=[3.0, -2.0])
    for index in range(3):
        torch.testing.assert_close(many.root[index], alone.root[0], atol=0, rtol=0)
        torch.testing.assert_close(many.dof[index], alone.dof[0], atol=0, rtol=0)


def arms_and_carts(new_world, **dof):
    """Two environments of an arm and a cart each, without gravity."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    arm, cart = world.asset("arm", fixed=True), world.asset("cart", fixed=True)
    for env in range(2):
        world.add_env()
        for asset, height in ((arm, 5.0), (cart, 0.0)):
            handle = world.add_actor(asset, (0.0, 0.0, height))
            if dof:
                world.set_dof_properties(env, handle, **dof)
    return world.prepare()


def actors(*indices):
    return gymtorch.unwrap_tensor(torch.tensor(indices, dtype=torch.int32))


def test_indexed_efforts_reach_those_actors_alone(new_world):
    world = arms_and_carts(new_world)
    efforts = gymtorch.unwrap_tensor(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    call = world.gym.set_dof_actuation_force_tensor_indexed
    assert call(world.sim, efforts, actors(1, 2, 0), 2)
    world.step(1)
    arm, cart = 3.0 / ARM_INERTIA * 0.01, 2.0 / 2.0 * 0.01
    torch.testing.assert_close(world.dof[..., 1], torch.tensor([[0.0, cart], [arm, 0.0]]))


def test_indexed_efforts_of_one_frame_add_to_those_of_other_actors(new_world):
    world = arms_and_carts(new_world)
    call = world.gym.set_dof_actuation_force_tensor_indexed
    efforts = gymtorch.unwrap_tensor(torch.full((4,), 2.0))
    call(world.sim, efforts, actors(1), 1)
    call(world.sim, efforts, actors(3), 1)
    world.step(1)
    cart = 2.0 / 2.0 * 0.01
    torch.testing.assert_close(world.dof[..., 1], torch.tensor([[0.0, cart], [0.0, cart]]))


@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_indexed_targets_leave_the_others_where_they_were(new_world, kind):
    mode = {"position": 1, "velocity": 2}[kind]
    world = arms_and_carts(new_world, driveMode=mode, stiffness=400.0, damping=40.0)
    world.set_targets(kind, 0.2)
    targets = gymtorch.unwrap_tensor(torch.full((4,), 0.5))
    call = getattr(world.gym, f"set_dof_{kind}_target_tensor_indexed")
    assert call(world.sim, targets, actors(3, 0), 2)
    world.step(300)
    reached = world.dof[..., {"position": 0, "velocity": 1}[kind]]
    expected = torch.tensor([[0.5, 0.2], [0.2, 0.5]])
    torch.testing.assert_close(reached, expected, atol=1e-3, rtol=0)
