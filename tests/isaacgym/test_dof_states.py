"""DOF states and forces: layout, setting, and the order of DOFs against that of actuators."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch

pytestmark = pytest.mark.usefixtures("each_engine")

REST = (0.0, 0.0, 0.0)


def test_what_is_set_is_read_back_and_moves_from_there(one_robot):
    world = one_robot("rails", fixed=True, envs=3, gravity=REST)
    states = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(0))
    world.set_dof(states)
    world.refresh()
    torch.testing.assert_close(world.dof, states, atol=0, rtol=0)
    world.step(10)
    moved = states[..., 0] + 10 * world.dt * states[..., 1]
    torch.testing.assert_close(world.dof[..., 0], moved, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(world.dof[..., 1], states[..., 1], atol=1e-5, rtol=1e-5)


def build_robot_and_arms(new_world, envs=3):
    """A floating robot (2 DOFs), a box without any, two arms (1 DOF each): 4 DOFs an env."""
    world = new_world(gravity=REST)
    robot, box = world.asset("walker"), world.asset("box")
    arm = world.asset("arm", fixed=True)
    for _ in range(envs):
        world.add_env()
        world.add_actor(robot, (0.0, 0.0, 5.0))
        world.add_actor(box, (0.0, 5.0, 5.0))
        world.add_actor(arm, (0.0, -5.0, 5.0))
        world.add_actor(arm, (0.0, -9.0, 5.0))
    return world.prepare()


def test_setting_by_actor_index_moves_those_actors_dofs_alone(new_world):
    world = build_robot_and_arms(new_world)
    states = torch.randn(12, 2, generator=torch.Generator().manual_seed(1)) * 0.1
    # The robot of env 0, the first arm of env 1, the second of env 2, and a box without DOFs.
    indices = torch.tensor([0, 6, 11, 5], dtype=torch.int32)
    world.gym.set_dof_state_tensor_indexed(
        world.sim, gymtorch.unwrap_tensor(states), gymtorch.unwrap_tensor(indices), 4
    )
    world.refresh()
    expected = torch.zeros(3, 4, 2)
    rows = states.view(3, 4, 2)
    expected[0, 0:2], expected[1, 2], expected[2, 3] = rows[0, 0:2], rows[1, 2], rows[2, 3]
    torch.testing.assert_close(world.dof, expected, atol=0, rtol=0)


def test_setting_by_mask_moves_all_dofs_of_the_environments(new_world):
    world = build_robot_and_arms(new_world)
    states = torch.randn(12, 2, generator=torch.Generator().manual_seed(2)) * 0.1
    mask = torch.tensor([False, True, True])
    world.gym.set_dof_state_tensor_masked(world.sim, gymtorch.unwrap_tensor(states), mask)
    world.refresh()
    expected = torch.where(mask[:, None, None], states.view(3, 4, 2), torch.zeros(()))
    torch.testing.assert_close(world.dof, expected, atol=0, rtol=0)


def test_efforts_follow_the_dofs_and_gears_the_actuators(one_robot):
    world = one_robot("rails", fixed=True, gravity=REST)
    gym, asset = world.gym, world.gym.get_actor_asset(world.envs[0], 0)
    assert gym.get_asset_dof_names(asset) == ["a", "b", "c", "d"]
    count = gym.get_asset_actuator_count(asset)
    joints = [gym.get_asset_actuator_joint_name(asset, index) for index in range(count)]
    gears = [actuator.motor_effort for actuator in gym.get_asset_actuator_properties(asset)]
    assert joints == ["c", "a", "d", "b"]
    assert gears == [30.0, 10.0, 40.0, 20.0]
    # Efforts are newtons on DOFs in their own order: no gear multiplies them.
    world.step(1, effort=[1.0, 4.0, 9.0, 16.0])
    velocities = world.dt * torch.tensor([1.0, 2.0, 3.0, 4.0])
    torch.testing.assert_close(world.dof[0, :, 1], velocities, atol=1e-7, rtol=1e-5)


def test_dof_forces_are_effort_and_passive_force(one_robot):
    world = one_robot(
        "cart",
        fixed=True,
        gravity=REST,
        dof={"driveMode": gymapi.DOF_MODE_EFFORT, "stiffness": 40.0, "damping": 5.0},
    )
    world.set_dof(torch.tensor([[[0.1, 0.3]]]))
    world.step(1, effort=7.0)
    assert float(world.dof_force[0, 0]) == pytest.approx(7.0 - 40.0 * 0.1 - 5.0 * 0.3, rel=1e-5)


def test_dof_forces_of_a_driven_joint_are_the_drives(one_robot):
    world = one_robot(
        "cart",
        fixed=True,
        gravity=REST,
        dof={"driveMode": gymapi.DOF_MODE_VEL, "damping": 5.0},
    )
    world.set_targets("velocity", 2.0)
    world.step(1)
    assert float(world.dof_force[0, 0]) == pytest.approx(10.0, rel=1e-5)


def test_dof_forces_are_zero_until_they_are_enabled(new_world):
    world = new_world(gravity=REST)
    arm = world.asset("arm", fixed=True)
    world.add_env()
    world.add_actor(arm)
    second = world.add_actor(arm, (0.0, 3.0, 0.0))
    world.gym.enable_actor_dof_force_sensors(world.envs[0], second)
    world.prepare()
    world.step(1, effort=[3.0, 5.0])
    assert world.dof_force.tolist() == [[0.0, 5.0]]
