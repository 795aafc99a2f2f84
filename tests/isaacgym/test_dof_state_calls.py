"""States, targets and efforts of DOFs as NumPy arrays and numbers, on both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
ALL, POS, VEL = gymapi.STATE_ALL, gymapi.STATE_POS, gymapi.STATE_VEL
BALL_INERTIA = 0.4 * 2.0 * 0.1**2
ARM_INERTIA = 2.0 * 0.5**2 + BALL_INERTIA  # of the arm about its hinge


def arms_and_rails(new_world, envs=2, prepare=True, **dof):
    """In each environment an arm (one hinge) and rails (four slides of 1, 2, 3 and 4 kg)."""
    world = new_world(gravity=REST)
    arm, rails = world.asset("arm", fixed=True), world.asset("rails", fixed=True)
    for index in range(envs):
        world.add_env()
        for asset, height, name in ((arm, 5.0, "arm"), (rails, 0.0, "rails")):
            handle = world.add_actor(asset, (0.0, 0.0, height), name=name)
            world.gym.enable_actor_dof_force_sensors(world.envs[index], handle)
            if dof:
                world.set_dof_properties(index, handle, **dof)
    return world.prepare() if prepare else world


def states_of(*rows):
    return np.array(list(rows), gymapi.DofState.dtype)


def test_states_are_set_and_read_at_once(each_engine, new_world):
    world = arms_and_rails(new_world)
    gym, env = world.gym, world.envs[1]
    given = states_of((0.1, 1.0), (0.2, 2.0), (0.3, 3.0), (0.4, 4.0))
    assert gym.set_actor_dof_states(env, 1, given, ALL)
    found = gym.get_actor_dof_states(env, 1, ALL)
    assert found.dtype == gymapi.DofState.dtype
    np.testing.assert_allclose(found["pos"], given["pos"], rtol=1e-6)
    assert gym.get_dof_position(env, 3) == pytest.approx(0.3)
    assert gym.get_dof_velocity(env, 3) == pytest.approx(3.0)
    world.refresh()
    assert world.dof[0].abs().max() == 0.0
    torch.testing.assert_close(world.dof[1, 1:, 1], torch.tensor([1.0, 2.0, 3.0, 4.0]))
    world.step(1)
    found = gym.get_actor_dof_states(env, 1, ALL)
    np.testing.assert_allclose(found["pos"], given["pos"] + 0.01 * given["vel"], rtol=1e-5)


def test_flags_say_what_is_set(new_world):
    world = arms_and_rails(new_world)
    gym, env = world.gym, world.envs[0]
    gym.set_actor_dof_states(env, 0, states_of((0.5, 2.0)), ALL)
    gym.set_actor_dof_states(env, 0, states_of((0.7, 3.0)), POS)
    assert gym.get_actor_dof_states(env, 0, ALL).tolist() == [pytest.approx((0.7, 2.0))]
    gym.set_actor_dof_states(env, 0, states_of((0.9, 4.0)), VEL)
    assert gym.get_actor_dof_states(env, 0, ALL).tolist() == [pytest.approx((0.7, 4.0))]


def test_states_of_many_environments(new_world):
    world = arms_and_rails(new_world, envs=3)
    gym = world.gym
    for index, env in enumerate(world.envs):
        gym.set_actor_dof_states(env, 0, states_of((0.1 * index, 0.0)), ALL)
    found = gym.get_vec_actor_dof_states(world.envs, 0, ALL)
    assert found.shape == (3, 1)
    np.testing.assert_allclose(found["pos"][:, 0], [0.0, 0.1, 0.2], rtol=1e-6)
    assert gym.get_vec_actor_dof_states(world.envs, [1, 1, 1], ALL).shape == (3, 4)


def test_states_and_targets_before_prepare_sim_are_the_start(each_engine, new_world):
    world = arms_and_rails(new_world, prepare=False, driveMode=1, stiffness=400.0, damping=40.0)
    gym, env = world.gym, world.envs[1]
    gym.set_actor_dof_states(env, 0, states_of((0.5, 0.0)), ALL)
    gym.set_actor_dof_position_targets(env, 0, np.array([0.3], np.float32))
    gym.set_dof_target_position(env, 2, 0.25)
    assert gym.get_actor_dof_states(env, 0, ALL)["pos"] == pytest.approx([0.5])
    world.prepare()
    torch.testing.assert_close(world.dof[:, 0, 0], torch.tensor([0.0, 0.5]))
    assert gym.get_actor_dof_position_targets(env, 1).tolist() == [0.0, 0.25, 0.0, 0.0]
    world.step(300)
    expected = torch.tensor([[0.0] * 5, [0.3, 0.0, 0.25, 0.0, 0.0]])
    torch.testing.assert_close(world.dof[..., 0], expected, atol=1e-3, rtol=0)


@pytest.mark.parametrize(("kind", "mode", "column"), [("position", 1, 0), ("velocity", 2, 1)])
def test_targets_hold_until_they_are_set_again(each_engine, new_world, kind, mode, column):
    world = arms_and_rails(new_world, driveMode=mode, stiffness=400.0, damping=40.0)
    gym, env = world.gym, world.envs[1]
    set_all = getattr(gym, f"set_actor_dof_{kind}_targets")
    get_all = getattr(gym, f"get_actor_dof_{kind}_targets")
    assert set_all(env, 1, np.array([0.1, 0.2, 0.3, 0.4], np.float32))
    getattr(gym, f"set_dof_target_{kind}")(env, 3, 0.5)
    getattr(gym, f"set_joint_target_{kind}")(env, 0, torch.tensor([0.6]))
    np.testing.assert_allclose(get_all(env, 1), [0.1, 0.2, 0.5, 0.4], rtol=1e-6)
    assert getattr(gym, f"get_dof_target_{kind}")(env, 4) == pytest.approx(0.4)
    assert getattr(gym, f"get_joint_target_{kind}")(env, 0) == pytest.approx(0.6)
    world.step(300)
    expected = torch.tensor([[0.0] * 5, [0.6, 0.1, 0.2, 0.5, 0.4]])
    torch.testing.assert_close(world.dof[..., column], expected, atol=2e-3, rtol=0)


def test_efforts_add_up_and_last_one_frame(each_engine, new_world):
    world = arms_and_rails(new_world)
    gym, env = world.gym, world.envs[0]
    assert gym.apply_actor_dof_efforts(env, 1, np.array([1.0, 2.0, 3.0, 4.0], np.float32))
    gym.apply_dof_effort(env, 2, 2.0)
    gym.apply_dof_effort(env, 0, 3.0)
    world.step(1)
    velocity = 0.01 * torch.tensor([3.0 / ARM_INERTIA, 1.0, 4.0 / 2.0, 1.0, 1.0])
    torch.testing.assert_close(world.dof[0, :, 1], velocity)
    np.testing.assert_allclose(gym.get_actor_dof_forces(env, 1), [1.0, 4.0, 3.0, 4.0], rtol=1e-6)
    assert gym.get_actor_dof_forces(world.envs[1], 1).tolist() == [0.0] * 4
    world.step(1)
    torch.testing.assert_close(world.dof[0, :, 1], velocity)
    assert gym.get_actor_dof_forces(env, 0).tolist() == [0.0]


def test_efforts_before_the_first_frame_count(new_world):
    world = arms_and_rails(new_world, prepare=False)
    world.gym.apply_actor_dof_efforts(world.envs[1], 0, np.array([3.0]))
    world.gym.simulate(world.sim)
    velocity = world.gym.get_dof_velocity(world.envs[1], 0)
    assert velocity == pytest.approx(0.01 * 3.0 / ARM_INERTIA)
    assert world.gym.get_dof_velocity(world.envs[0], 0) == 0.0


TILTED = """
<mujoco><worldbody><body name="base"><body name="link" pos="0 0 0.5">
  <joint name="tilt" axis="0 1 0" pos="0.1 0 0"/>
  <geom type="box" size="0.1 0.1 0.1" mass="1"/>
  <body name="weld" pos="0 0 1"><geom type="box" size="0.1 0.1 0.1" mass="1"/>
    <body name="tool" pos="0 0 1"><joint name="push" type="slide" axis="0 0 1"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></body>
</body></body></worldbody></mujoco>"""


@pytest.fixture
def tilted(new_world):
    """Half turned about z at x = 3; its hinge turned by a quarter, its slide out by 0.2."""
    world = new_world(gravity=REST)
    asset = world.asset(TILTED, fixed=True)
    env = world.add_env()
    world.add_actor(asset, (3.0, 0.0, 0.0), gymapi.Quat(0.0, 0.0, 1.0, 0.0), name="crane")
    world.gym.set_actor_dof_states(env, 0, states_of((math.pi / 2, 1.0), (0.2, 0.0)), ALL)
    return world


def vec(v):
    return [v.x, v.y, v.z]


@pytest.mark.parametrize("prepare", [False, True])
def test_frames_of_dofs(tilted, prepare):
    gym, env = tilted.gym, tilted.envs[0]
    if prepare:
        tilted.prepare()
    tilt, push = gym.get_dof_frame(env, 0), gym.get_dof_frame(env, 1)
    # The hinge is 0.1 m from the link's origin towards x, which is -x of the environment.
    assert vec(tilt.origin) == pytest.approx([2.9, 0.0, 0.5], abs=1e-6)
    assert vec(tilt.axis) == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
    # Turned about y by a quarter the link's z is x of the base, so -x of the environment.
    assert vec(push.axis) == pytest.approx([-1.0, 0.0, 0.0], abs=1e-6)
    both = gym.get_actor_dof_frames(env, 0)
    assert both.dtype == gymapi.DofFrame.dtype
    assert both["origin"]["x"][1] == pytest.approx(push.origin.x)


@pytest.mark.parametrize("prepare", [False, True])
def test_poses_of_joints_have_x_along_their_axes(tilted, prepare):
    gym, env = tilted.gym, tilted.envs[0]
    if prepare:
        tilted.prepare()
    poses = gym.get_actor_joint_transforms(env, 0)
    assert poses.shape == (3,)
    names = gym.get_actor_joint_names(env, 0)
    for name, axis in (("tilt", [0.0, -1.0, 0.0]), ("push", [-1.0, 0.0, 0.0])):
        handle = gym.get_joint_handle(env, "crane", name)
        assert gym.get_joint_name(env, handle) == name
        pose = gym.get_joint_transform(env, handle)
        assert vec(pose.r.rotate(gymapi.Vec3(1, 0, 0))) == pytest.approx(axis, abs=1e-6)
        assert poses["p"]["z"][names.index(name)] == pytest.approx(pose.p.z)
    weld = gym.get_joint_transform(env, gym.get_joint_handle(env, "crane", names[1]))
    body = gym.get_rigid_transform(env, gym.find_actor_rigid_body_handle(env, 0, "weld"))
    assert vec(weld.p) == pytest.approx(vec(body.p), abs=1e-6)


def test_states_of_joints(tilted):
    gym, env = tilted.gym, tilted.envs[0]
    names = gym.get_actor_joint_names(env, 0)
    assert gym.get_env_joint_count(env) == gym.get_sim_joint_count(tilted.sim) == 3
    assert gym.get_joint_position(env, names.index("push")) == pytest.approx(0.2)
    assert gym.get_joint_velocity(env, names.index("tilt")) == pytest.approx(1.0)
    with pytest.raises(GymError, match=r"get_joint_position: joint 1 \('weld'\) is fixed"):
        gym.get_joint_position(env, 1)
    with pytest.raises(GymError, match="has no joint 3; it has 3"):
        gym.get_joint_name(env, 3)
    assert gym.get_joint_handle(env, "crane", "hook") == gymapi.INVALID_HANDLE


def test_types_as_text(tilted):
    gym = tilted.gym
    assert gym.get_dof_type_string(gymapi.DOF_ROTATION) == "Rotation"
    assert gym.get_dof_type_string(gymapi.DOF_TRANSLATION) == "Translation"
    assert gym.get_joint_type_string(gymapi.JOINT_REVOLUTE) == "Revolute"


def test_arrays_of_another_size_and_dofs_that_are_not_there(new_world):
    world = arms_and_rails(new_world)
    gym, env = world.gym, world.envs[0]
    with pytest.raises(GymError, match=r"set_actor_dof_position_targets was given .* \(3,\)"):
        gym.set_actor_dof_position_targets(env, 1, np.zeros(3, np.float32))
    with pytest.raises(GymError, match=r"set_actor_dof_states was given .* takes \(4, 2\)"):
        gym.set_actor_dof_states(env, 1, np.zeros(3, gymapi.DofState.dtype), ALL)
    with pytest.raises(GymError, match="get_dof_position: env 0 has no DOF 5; it has 5"):
        gym.get_dof_position(env, 5)
