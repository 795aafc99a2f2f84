"""States of bodies as NumPy arrays, against closed forms and the tensors, on both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
ALL, POS, VEL = gymapi.STATE_ALL, gymapi.STATE_POS, gymapi.STATE_VEL


def numbers(states):
    """(bodies, 13)."""
    return states.copy().view(np.float32).reshape(-1, 13)


def tensor(rows):
    return torch.as_tensor(np.asarray(rows), dtype=torch.float32)


def two_worlds_of(new_world, bodies=True, **arguments):
    """Two environments of a fixed arm and a floating walker with a brick, all of them moving."""
    world = new_world(**arguments)
    arm, walker, brick = world.asset("arm", fixed=True), world.asset("walker"), world.asset("brick")
    turned = gymapi.Quat.from_euler_zyx(0.3, -0.2, 0.5)
    for _ in range(2):
        world.add_env()
        world.add_actor(arm, (1.0, 0.0, 1.0), turned, name="arm")
        world.add_actor(walker, (0.0, 2.0, 5.0), turned, name="walker")
        world.add_actor(brick, (0.0, -3.0, 5.0), name="brick")
    world.prepare(bodies=bodies)
    generator = torch.Generator().manual_seed(0)
    roots, dofs = world.root.clone(), world.dof.clone()
    roots[..., 7:13] = torch.randn(roots[..., 7:13].shape, generator=generator)
    roots[:, 0, 7:13] = 0.0
    dofs[:] = 0.5 * torch.randn(dofs.shape, generator=generator)
    world.set_root(roots)
    world.set_dof(dofs)
    return world


def test_they_are_those_of_the_tensor(each_engine, new_world):
    """Positions, quaternions and velocities of links that turn, swing and slide."""
    world = two_worlds_of(new_world)
    world.step(3)
    found = world.gym.get_sim_rigid_body_states(world.sim, ALL)
    assert found.dtype == gymapi.RigidBodyState.dtype
    assert found.shape == (12,)
    torch.testing.assert_close(tensor(numbers(found)), world.body.view(12, 13), atol=2e-5, rtol=0)
    of_env = world.gym.get_env_rigid_body_states(world.envs[1], ALL)
    of_actor = world.gym.get_actor_rigid_body_states(world.envs[1], 1, ALL)
    assert np.array_equal(numbers(of_env), numbers(found)[6:])
    assert np.array_equal(numbers(of_actor), numbers(found)[8:11])


def test_single_bodies(each_engine, new_world):
    world = two_worlds_of(new_world)
    gym, env = world.gym, world.envs[1]
    world.step(2)
    handle = gym.get_rigid_handle(env, "walker", "right")
    assert handle == 4
    assert gym.get_rigid_name(env, handle) == "right"
    assert gym.get_rigid_handle(env, "walker", "tail") == gymapi.INVALID_HANDLE
    assert gym.get_rigid_handle(env, "cat", "tail") == gymapi.INVALID_HANDLE
    row = world.body[1, handle]
    pose = gym.get_rigid_transform(env, handle)
    found = [pose.p.x, pose.p.y, pose.p.z, pose.r.x, pose.r.y, pose.r.z, pose.r.w]
    for velocity in (
        gym.get_rigid_linear_velocity(env, handle),
        gym.get_rigid_angular_velocity(env, handle),
    ):
        found += [velocity.x, velocity.y, velocity.z]
    torch.testing.assert_close(torch.tensor(found), row, atol=2e-5, rtol=0)
    with pytest.raises(GymError, match="get_rigid_name: env 1 has no body 6; it has 6"):
        gym.get_rigid_name(env, 6)


def test_one_body_of_many_environments(new_world):
    world = two_worlds_of(new_world)
    gym, envs = world.gym, world.envs
    world.step(1)
    poses = gym.get_vec_rigid_transform(envs, 3)
    assert poses.dtype == gymapi.Transform.dtype
    rows = tensor(poses.view(np.float32).reshape(2, 7))
    torch.testing.assert_close(rows, world.body[:, 3, 0:7], atol=2e-5, rtol=0)
    linear = gym.get_vec_rigid_linear_velocity(envs, [3, 1]).view(np.float32).reshape(2, 3)
    expected = torch.stack([world.body[0, 3, 7:10], world.body[1, 1, 7:10]])
    torch.testing.assert_close(tensor(linear), expected, atol=2e-5, rtol=0)
    angular = gym.get_vec_rigid_angular_velocity(envs, 5)
    assert angular.shape == (2,)
    assert angular["z"][0] == pytest.approx(float(world.body[0, 5, 12]), abs=1e-5)
    with pytest.raises(GymError, match="2 environments and 3 handles"):
        gym.get_vec_rigid_transform(envs, [1, 2, 3])


def test_what_was_set_is_read_at_once_and_by_tensors_as_well(each_engine, one_robot):
    world = one_robot("brick", envs=3, gravity=REST, pos=(0.0, 0.0, 1.0))
    gym, env = world.gym, world.envs[1]
    states = gym.get_actor_rigid_body_states(env, 0, gymapi.STATE_NONE)
    states["pose"]["p"].fill((1.0, 2.0, 3.0))
    states["vel"]["angular"].fill((0.0, 0.0, 2.0))
    assert gym.set_actor_rigid_body_states(env, 0, states, ALL)
    assert gym.get_rigid_transform(env, 0).p == gymapi.Vec3(1.0, 2.0, 3.0)
    world.refresh()
    assert world.root[:, 0, 2].tolist() == [1.0, 3.0, 1.0]
    assert world.root[1, 0, 12] == 2.0
    world.step(10)
    # A free brick turns about its centre of mass, which stays, but for the error of ten steps.
    com = torch.tensor([1.0 + 0.3, 2.0 - 0.1, 3.0 + 0.2])
    turned = gym.get_rigid_transform(env, 0).transform_point(gymapi.Vec3(0.3, -0.1, 0.2))
    torch.testing.assert_close(torch.tensor([turned.x, turned.y, turned.z]), com, atol=2e-3, rtol=0)
    assert world.root[0, 0, 2] == 1.0


@pytest.mark.parametrize("flags", [POS, VEL])
def test_flags_say_what_is_set(one_robot, flags):
    world = one_robot("box", gravity=REST)
    states = np.zeros(1, gymapi.RigidBodyState.dtype)
    states["pose"]["r"]["w"], states["pose"]["p"]["x"] = 1.0, 5.0
    states["vel"]["linear"]["y"] = 3.0
    world.gym.set_env_rigid_body_states(world.envs[0], states, flags)
    world.refresh()
    expected = {POS: (5.0, 0.0), VEL: (0.0, 3.0)}[flags]
    assert (float(world.root[0, 0, 0]), float(world.root[0, 0, 8])) == expected


def test_a_saved_state_comes_back_joints_and_all(each_engine, new_world):
    """Every link, of fixed and floating robots, after another motion in between."""
    world = two_worlds_of(new_world, bodies=False)
    saved = np.copy(world.gym.get_sim_rigid_body_states(world.sim, ALL))
    world.refresh()
    roots, dofs = world.root.clone(), world.dof.clone()
    world.step(20)
    assert float((world.dof - dofs).abs().max()) > 0.05
    assert world.gym.set_sim_rigid_body_states(world.sim, saved, ALL)
    world.refresh()
    torch.testing.assert_close(world.root, roots, atol=1e-5, rtol=0)
    torch.testing.assert_close(world.dof, dofs, atol=1e-4, rtol=0)
    again = world.gym.get_sim_rigid_body_states(world.sim, ALL)
    np.testing.assert_allclose(numbers(again), numbers(saved), atol=1e-4)


def test_the_tensor_of_bodies_can_be_set(one_robot):
    world = one_robot("arm", fixed=True, envs=2, gravity=REST)
    half = math.sin(0.4), math.cos(0.4)
    rows = torch.zeros(2, 2, 13)
    rows[..., 6] = 1.0
    rows[1, 1, 5], rows[1, 1, 6] = half
    rows[1, 1, 12] = 3.0
    # The link's centre of mass is half a metre out.
    rows[1, 1, 7] = -3.0 * 0.5 * math.sin(0.8)
    rows[1, 1, 8] = 3.0 * 0.5 * math.cos(0.8)
    world.gym.set_rigid_body_state_tensor(world.sim, gymtorch.unwrap_tensor(rows.view(4, 13)))
    world.refresh()
    torch.testing.assert_close(
        world.dof, torch.tensor([[[0.0, 0.0]], [[0.8, 3.0]]]), atol=1e-5, rtol=0
    )


STACKED = """
<mujoco><compiler angle="radian"/><worldbody><body name="base"><body name="link" pos="0.1 0 0.2"
    quat="0.8 0.6 0 0">
  <joint name="x" axis="1 0 0" pos="0 0.1 0"/><joint name="s" type="slide" axis="0 1 0"/>
  <joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>
  <geom type="box" size="0.1 0.2 0.3" pos="0.05 0 0" mass="1"/>
  <body name="tip" pos="0 0 0.5"><joint name="t" axis="0.6 0 0.8" ref="0.2"/>
    <geom type="sphere" size="0.1" mass="1"/></body>
</body></body></worldbody></mujoco>"""


def test_several_joints_of_one_body_are_found_again(one_robot):
    world = one_robot(STACKED, fixed=True, envs=2, gravity=REST)
    generator = torch.Generator().manual_seed(3)
    dofs = 0.8 * torch.randn(2, 5, 2, generator=generator)
    world.set_dof(dofs)
    saved = np.copy(world.gym.get_sim_rigid_body_states(world.sim, ALL))
    world.set_dof(torch.zeros(2, 5, 2))
    world.gym.set_sim_rigid_body_states(world.sim, saved, ALL)
    world.refresh()
    torch.testing.assert_close(world.dof, dofs, atol=1e-4, rtol=0)


def test_a_root_takes_its_links_along(one_robot):
    world = one_robot("walker", gravity=REST)
    world.set_dof(torch.tensor([[[0.4, 0.0], [-0.3, 0.0]]]))
    pose = gymapi.Transform(gymapi.Vec3(0.0, 0.0, 4.0), gymapi.Quat(0.0, 0.0, 1.0, 0.0))
    world.gym.set_rigid_transform(world.envs[0], 0, pose)
    world.gym.set_rigid_linear_velocity(world.envs[0], 0, gymapi.Vec3(1.0, 2.0, 3.0))
    world.gym.set_rigid_angular_velocity(world.envs[0], 0, gymapi.Vec3(0.0, 0.0, 0.5))
    world.refresh()
    expected = torch.tensor([0, 0, 4, 0, 0, 1, 0, 1, 2, 3, 0, 0, 0.5])
    torch.testing.assert_close(world.root[0, 0], expected)
    torch.testing.assert_close(world.dof[0, :, 0], torch.tensor([0.4, -0.3]))
    # Half a turn about z: the left leg's hinge is on the other side.
    left = world.gym.get_rigid_transform(world.envs[0], 1)
    assert (left.p.y, left.p.z) == pytest.approx((-0.3, 4.0), abs=1e-6)


def test_a_link_moves_as_its_joint_allows(one_robot):
    world = one_robot("walker", gravity=REST)
    turned = gymapi.Transform(gymapi.Vec3(0.0, 0.3, 0.0), gymapi.Quat.from_euler_zyx(0, 0.5, 0))
    world.gym.set_rigid_transform(world.envs[0], 1, turned)
    world.refresh()
    torch.testing.assert_close(world.dof[0, :, 0], torch.tensor([0.5, 0.0]), atol=1e-5, rtol=0)
    away = gymapi.Transform(gymapi.Vec3(9.0, 9.0, 9.0))  # no hinge goes there
    world.gym.set_rigid_transform(world.envs[0], 1, away)
    world.refresh()
    torch.testing.assert_close(world.dof[0, :, 0], torch.tensor([0.5, 0.0]), atol=1e-5, rtol=0)


def test_states_before_there_are_worlds(each_engine, new_world):
    """Programs read and set states while they create the scene."""
    world = new_world(gravity=REST)
    brick, arm = world.asset("brick"), world.asset("arm", fixed=True)
    env = world.add_env()
    world.add_actor(arm, (0.0, 0.0, 1.0))
    world.add_actor(brick, (5.0, 0.0, 0.0))
    gym = world.gym
    dofs = np.array([(math.pi / 2, 1.0)], gymapi.DofState.dtype)
    gym.set_actor_dof_states(env, 0, dofs, ALL)
    # The arm points to y now, and its centre of mass moves to -x.
    assert gym.get_rigid_linear_velocity(env, 1).x == pytest.approx(-0.5, abs=1e-6)
    states = gym.get_actor_rigid_body_states(env, 1, ALL)
    states["vel"]["linear"].fill((0.0, 2.0, 0.0))
    states["pose"]["p"]["z"] = 7.0
    gym.set_actor_rigid_body_states(env, 1, states, ALL)
    before = np.copy(gym.get_env_rigid_body_states(env, ALL))
    world.prepare()
    assert world.root[0, 1, [0, 2, 8]].tolist() == [5.0, 7.0, 2.0]
    torch.testing.assert_close(world.dof[0, 0], torch.tensor([math.pi / 2, 1.0]))
    after = gym.get_env_rigid_body_states(env, ALL)
    np.testing.assert_allclose(numbers(after), numbers(before), atol=1e-6)


def test_a_program_without_prepare_sim_runs(new_world):
    """As Isaac Gym's examples for the CPU do."""
    world = new_world()
    box = world.asset("box")
    env = world.add_env()
    world.add_actor(box, (0.0, 0.0, 5.0))
    for _ in range(10):
        world.gym.simulate(world.sim)
        world.gym.fetch_results(world.sim, True)
    states = world.gym.get_actor_rigid_body_states(env, 0, ALL)
    assert states["vel"]["linear"]["z"][0] == pytest.approx(-10.0 * 0.1, abs=1e-4)
    world.gym.destroy_sim(world.sim)
    with pytest.raises(GymError, match="simulate needs the compiled simulation"):
        world.gym.simulate(world.sim)


def test_arrays_of_another_size_are_refused(one_robot):
    world = one_robot("walker")
    wrong = np.zeros(2, gymapi.RigidBodyState.dtype)
    with pytest.raises(GymError, match=r"set_actor_rigid_body_states was given .* \(2,\)"):
        world.gym.set_actor_rigid_body_states(world.envs[0], 0, wrong, ALL)


def test_links_follow_what_is_set_between_two_readings(one_robot):
    world = one_robot("arm", fixed=True, gravity=REST)
    gym, env = world.gym, world.envs[0]
    quarter = np.array([(math.pi / 2, 2.0)], gymapi.DofState.dtype)
    assert gym.get_rigid_linear_velocity(env, 1).x == 0.0
    gym.set_actor_dof_states(env, 0, quarter, ALL)
    assert gym.get_rigid_linear_velocity(env, 1).x == pytest.approx(-1.0)
    world.step(1)
    assert gym.get_rigid_linear_velocity(env, 1).y < -0.01
    bodies = gym.get_actor_rigid_body_properties(env, 0)
    bodies[1].com = gymapi.Vec3(0.25, 0.0, 0.0)
    gym.set_actor_rigid_body_properties(env, 0, bodies)
    assert gym.get_rigid_linear_velocity(env, 1).x == pytest.approx(-0.5, abs=1e-3)


def test_getters_give_copies(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 1.0))
    world.gym.get_actor_rigid_body_states(world.envs[0], 0, ALL)["pose"]["p"]["z"] = 9.0
    assert world.gym.get_rigid_transform(world.envs[0], 0).p.z == 1.0
