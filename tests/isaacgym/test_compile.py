"""The model behind a scene: ground, damping of floating actors, several robots side by side."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.compile import compile_scene
from rofunc_isaac.isaacgym.errors import GymWarning

REST = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("robot", ["box", "brick"])
def test_angular_damping_slows_a_spin_exponentially(one_robot, robot):
    world = one_robot(robot, gravity=REST, dt=0.002, options={"angular_damping": 0.8})
    state = torch.zeros(1, 1, 13)
    state[..., 6], state[..., 12] = 1.0, 2.0
    world.set_root(state)
    world.step(500)
    spin = world.root[0, 0, 10:13]
    torch.testing.assert_close(spin, torch.tensor([0.0, 0.0, 2.0 * math.exp(-0.8)]), **near(3e-3))
    torch.testing.assert_close(world.root[0, 0, 7:10], torch.zeros(3), **near(3e-3))


def test_linear_damping_slows_a_flight_exponentially(one_robot):
    world = one_robot("box", gravity=REST, dt=0.002, options={"linear_damping": 0.6})
    state = torch.zeros(1, 1, 13)
    state[..., 6], state[..., 7:10] = 1.0, torch.tensor([1.0, -2.0, 3.0])
    world.set_root(state)
    world.step(500)
    flight = math.exp(-0.6) * torch.tensor([1.0, -2.0, 3.0])
    torch.testing.assert_close(world.root[0, 0, 7:10], flight, **near(3e-3))
    torch.testing.assert_close(world.root[0, 0, 10:13], torch.zeros(3), **near(3e-3))


ELBOW = """
<mujoco><worldbody><body name="base">
  <geom type="box" size="0.1 0.2 0.3" mass="4" contype="0" conaffinity="0"/>
  <body name="upper"><joint name="shoulder" axis="0 0 1"/>
    <geom type="box" size="0.3 0.1 0.1" pos="0.3 0 0" mass="1" contype="0" conaffinity="0"/>
    <body name="lower" pos="0.6 0 0"><joint name="elbow" axis="0 0 1"/>
      <geom type="box" size="0.2 0.1 0.1" pos="0.2 0 0" mass="2" contype="0" conaffinity="0"/>
</body></body></body></worldbody></mujoco>"""


def test_links_are_damped_by_their_own_inertia_each(new_world):
    world = new_world()
    world.add_env()
    asset = world.asset(ELBOW, fixed=True, angular_damping=0.5, linear_damping=0.3)
    world.add_actor(asset)
    world.set_dof_properties(0, damping=0.1)
    damping = compile_scene(world.sim.scene).model.dof_damping
    upper, lower = 1.0 * (0.6**2 + 0.2**2) / 12, 2.0 * (0.4**2 + 0.2**2) / 12
    elbow = 0.5 * lower + 0.3 * 2.0 * 0.2**2
    shoulder = 0.5 * (upper + lower) + 0.3 * (1.0 * 0.3**2 + 2.0 * 0.8**2)
    assert damping.tolist() == pytest.approx([0.1 + shoulder, 0.1 + elbow], rel=1e-6)


def test_a_joint_with_damped_links_slows_down_exponentially(each_engine, new_world):
    """In two environments, of which one is ten times as heavy: the rate is the same."""
    world = new_world(gravity=REST, dt=0.002)
    asset = world.asset("arm", fixed=True, linear_damping=0.8)
    for factor in (1.0, 10.0):
        world.add_env()
        world.add_actor(asset)
        bodies = world.gym.get_actor_rigid_body_properties(world.envs[-1], 0)
        bodies[1].mass *= factor
        world.gym.set_actor_rigid_body_properties(world.envs[-1], 0, bodies, False)
    world.prepare()
    world.set_dof(torch.tensor([[[0.0, 3.0]], [[0.0, 3.0]]]))
    world.step(250)
    for factor in (1.0, 10.0):
        orbit = factor * 2.0 * 0.5**2
        share = orbit / (orbit + 0.4 * 2.0 * 0.1**2)  # the rest of the inertia is not damped
        rate = float(world.dof[round(factor > 1.0), 0, 1])
        assert rate == pytest.approx(3.0 * math.exp(-0.8 * share * 0.5), rel=3e-3)


def test_the_links_damping_is_no_force_of_the_joint(each_engine, new_world):
    world = new_world(gravity=REST)
    asset = world.asset("arm", fixed=True, angular_damping=3.0)
    for damping in (0.2, 0.5):
        world.add_env()
        handle = world.add_actor(asset)
        world.gym.enable_actor_dof_force_sensors(world.envs[-1], handle)
        world.set_dof_properties(len(world.envs) - 1, damping=damping)
    world.prepare()
    world.set_dof(torch.tensor([[[0.0, 3.0]], [[0.0, 3.0]]]))
    world.step(1)
    assert world.dof_force[:, 0].tolist() == pytest.approx([-0.6, -1.5], rel=1e-5)
    world.set_dof_properties(1, damping=0.0)
    world.step(1)
    assert float(world.dof_force[1, 0]) == pytest.approx(0.0, abs=1e-6)


def test_a_robot_file_cannot_do_without_friction(new_world):
    """MuJoCo's condim 1 is no friction at all; PhysX does not know it."""
    world = new_world(ground=0.5)
    world.add_env()
    slippery = """
<mujoco><worldbody><body name="box">
  <geom type="box" size="0.1 0.1 0.1" mass="2" condim="1"/>
</body></worldbody></mujoco>"""
    asset = world.asset(slippery)
    shapes = world.gym.get_asset_rigid_shape_properties(asset)
    shapes[0].friction = 0.5
    world.gym.set_asset_rigid_shape_properties(asset, shapes)
    world.add_actor(asset, pos=(0.0, 0.0, 0.1))
    world.prepare()
    world.step(50)
    state = world.root.clone()
    state[0, 0, 7] = 0.4
    world.set_root(state)
    world.step(30)
    # It is at rest after v^2 / (2 mu g), 1.6 cm.
    assert float(world.root[0, 0, 0]) == pytest.approx(0.4**2 / (2 * 0.5 * 10.0), abs=0.01)
    assert abs(float(world.root[0, 0, 7])) < 0.01


def near(tolerance):
    return {"atol": tolerance, "rtol": 0}


def test_floating_actors_are_damped_as_isaac_gym_does_by_default(new_world):
    world = new_world(gravity=REST, dt=0.002)
    world.add_env()
    asset = world.asset("box", angular_damping=gymapi.AssetOptions().angular_damping)
    world.add_actor(asset)
    world.prepare()
    state = torch.zeros(1, 1, 13)
    state[..., 6], state[..., 7], state[..., 12] = 1.0, 1.0, 1.0
    world.set_root(state)
    world.step(500)
    assert float(world.root[0, 0, 7]) == pytest.approx(1.0, abs=1e-5)
    assert float(world.root[0, 0, 12]) == pytest.approx(math.exp(-0.5), abs=2e-3)


def test_the_ground_lies_where_its_plane_says(new_world):
    world = new_world(gravity=(0.0, -10.0, 0.0))
    plane = gymapi.PlaneParams()
    plane.normal, plane.distance = gymapi.Vec3(0.0, 1.0, 0.0), -0.7
    world.gym.add_ground(world.sim, plane)
    world.add_env()
    world.add_actor(world.asset("box"), (3.0, 1.0, 2.0))
    world.prepare().step(200)
    # The plane y - 0.7 = 0, with the box resting on it.
    torch.testing.assert_close(world.root[0, 0, 0:3], torch.tensor([3.0, 0.8, 2.0]), **near(2e-3))


def test_without_a_ground_nothing_holds_a_body(new_world):
    world = new_world()
    world.add_env()
    world.add_actor(world.asset("box"), (0.0, 0.0, 0.1))
    world.prepare().step(100)
    assert float(world.root[0, 0, 2]) < -4.0


def test_gravity_may_be_switched_off_for_one_asset(new_world):
    world = new_world()
    floats, falls = world.asset("box", disable_gravity=True), world.asset("box")
    world.add_env()
    world.add_actor(floats, (0.0, 0.0, 5.0))
    world.add_actor(falls, (0.0, 3.0, 5.0))
    world.prepare().step(10)
    assert world.root[0, :, 9].tolist() == pytest.approx([0.0, -1.0], abs=1e-5)


def test_gravity_changes_with_the_parameters(one_robot):
    world = one_robot("box", envs=2, pos=(0.0, 0.0, 50.0))
    world.step(10)
    params = world.gym.get_sim_params(world.sim)
    params.gravity = gymapi.Vec3(2.0, 0.0, 5.0)
    world.gym.set_sim_params(world.sim, params)
    world.step(10)
    expected = torch.tensor([[0.2, 0.0, -1.0 + 0.5]]).expand(2, 3)
    torch.testing.assert_close(world.root[:, 0, 7:10], expected, **near(1e-5))
    assert world.gym.get_sim_params(world.sim).gravity.x == 2.0


def test_actors_of_one_asset_and_of_several_keep_their_own_tables(new_world):
    world = new_world(gravity=REST)
    arm, cart = world.asset("arm", fixed=True), world.asset("cart", fixed=True)
    walker = world.asset("walker")
    world.add_env()
    for position, asset in enumerate((cart, walker, arm, cart, walker)):
        world.add_actor(asset, (0.0, 4.0 * position, 5.0))
    world.prepare()
    assert tuple(world.dof.shape) == (1, 7, 2)
    world.set_dof(torch.arange(14.0).view(1, 7, 2) / 100)
    world.refresh()
    torch.testing.assert_close(world.dof, torch.arange(14.0).view(1, 7, 2) / 100, **near(1e-7))
    effort = torch.zeros(7)
    effort[0], effort[4] = 2.0, 6.0  # the two carts, of 2 kg each
    before = world.dof[0, :, 1].clone()
    world.step(1, effort=effort)
    gained = (world.dof[0, :, 1] - before) / world.dt
    assert gained[[0, 4]].tolist() == pytest.approx([1.0, 3.0], abs=1e-3)


def test_a_robot_in_a_scene_weighs_what_it_weighs_alone(new_world):
    world = new_world(ground=1.0)
    walker, arm = world.asset("walker"), world.asset("arm", fixed=True)
    world.add_env()
    world.add_actor(walker, (0.0, 0.0, 1.0))
    world.add_actor(arm, (0.0, 3.0, 1.0))
    model = compile_scene(world.sim.scene).model
    assert model.body_mass.sum() == pytest.approx(5.0 + 1.0 + 1.0 + 2.0)
    assert model.opt.timestep == pytest.approx(world.dt)
    # A capsule of 60 degrees' range: angles of the file are converted.
    assert model.jnt_range[1].tolist() == pytest.approx([-math.pi / 3, math.pi / 3], rel=1e-6)


def test_urdf_robots_stand_beside_mjcf_robots(new_world):
    urdf = """
<robot name="pole">
  <link name="base"/>
  <link name="pole">
    <inertial><origin xyz="0 0 0.5"/><mass value="1.2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="pivot" type="continuous">
    <parent link="base"/><child link="pole"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""
    world = new_world(gravity=REST)
    world.add_env()
    world.add_actor(world.asset(urdf, fixed=True))
    world.add_actor(world.asset("cart", fixed=True), (0.0, 3.0, 0.0))
    world.prepare().step(1, effort=[0.4, 2.0])
    # Inertia about the pivot: 0.1 + 1.2 * 0.5^2 = 0.4.
    assert world.dof[0, :, 1].tolist() == pytest.approx([1.0 * 0.01, 1.0 * 0.01], rel=1e-4)


def test_a_shape_that_should_bounce_is_told_of(new_world):
    world = new_world()
    env = world.add_env()
    world.add_actor(world.asset("box"))
    (shape,) = world.gym.get_actor_rigid_shape_properties(env, 0)
    shape.restitution = 0.5
    world.gym.set_actor_rigid_shape_properties(env, 0, [shape])
    with pytest.warns(GymWarning, match="do not bounce"):
        world.prepare()
