"""Force sensors read the net force: Newton's and Euler's equations in closed form."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi

pytestmark = pytest.mark.usefixtures("each_engine")

REST = (0.0, 0.0, 0.0)
MASS, REACH = 2.0, 0.5  # kg, m: the arm's ball and its distance from the hinge
BALL_INERTIA = 0.4 * MASS * 0.1**2
ARM_INERTIA = MASS * REACH**2 + BALL_INERTIA


def with_sensors(new_world, robot, poses, fixed=False, pos=(0.0, 0.0, 0.0), **arguments):
    """A world with one robot whose last body carries a sensor at each of `poses`."""
    world = new_world(**arguments)
    asset = world.asset(robot, fixed)
    last = world.gym.get_asset_rigid_body_count(asset) - 1
    for index, pose in enumerate(poses):
        assert world.gym.create_asset_force_sensor(asset, last, pose) == index
    world.add_env()
    world.add_actor(asset, pos)
    return world.prepare()


def assert_reads(world, force, torque=REST, sensor=0, atol=1e-4):
    expected = torch.tensor([*force, *torque])
    torch.testing.assert_close(world.sensor[0, sensor], expected, atol=atol, rtol=1e-4)


def test_a_body_at_rest_on_the_ground_reads_nothing(new_world):
    world = with_sensors(new_world, "box", [gymapi.Transform()], pos=(0.0, 0.0, 0.1), ground=1.0)
    world.step(300)
    assert_reads(world, REST, atol=1e-2)


@pytest.mark.parametrize("robot", ["box", "brick"])
def test_a_falling_body_reads_its_weight(new_world, robot):
    world = with_sensors(new_world, robot, [gymapi.Transform()], gravity=(1.0, 0.0, -10.0))
    world.step(5)
    mass = {"box": 2.0, "brick": 3.0}[robot]
    assert_reads(world, (1.0 * mass, 0.0, -10.0 * mass))


def test_a_body_without_forces_reads_nothing_however_it_spins(new_world):
    world = with_sensors(new_world, "brick", [gymapi.Transform()], gravity=REST, dt=0.001)
    state = torch.zeros(1, 1, 13)
    state[..., 6], state[..., 10:13] = 1.0, torch.tensor([1.0, 2.0, 3.0])
    world.set_root(state)
    world.step(3)
    assert_reads(world, REST, atol=2e-3)


def test_a_rotating_arm_reads_the_centripetal_force_toward_the_axis(new_world):
    world = with_sensors(new_world, "arm", [gymapi.Transform()], fixed=True, gravity=REST)
    world.set_dof(torch.tensor([[[0.4, 3.0]]]))
    world.step(1)
    # In the link's own frame, in which the ball lies along x.
    assert_reads(world, (-MASS * REACH * 3.0**2, 0.0, 0.0))


def test_an_accelerated_arm_reads_the_tangential_force_and_the_torque(new_world):
    world = with_sensors(new_world, "arm", [gymapi.Transform()], fixed=True, gravity=REST)
    world.step(1, effort=1.5)
    alpha = 1.5 / ARM_INERTIA
    assert_reads(world, (0.0, MASS * REACH * alpha, 0.0), (0.0, 0.0, BALL_INERTIA * alpha))


def test_torque_on_an_unevenly_built_body_follows_eulers_equation(new_world):
    # Held by a hinge that is no principal axis of it, the body needs a torque to turn evenly.
    robot = """
<mujoco><worldbody><body name="base"><body name="link">
  <joint name="hinge" axis="0 0 1"/>
  <geom type="box" size="0.1 0.2 0.3" euler="0 35 0" mass="3"/>
</body></body></worldbody></mujoco>"""
    world = with_sensors(new_world, robot, [gymapi.Transform()], fixed=True, gravity=REST)
    world.set_dof(torch.tensor([[[0.7, 4.0]]]))
    world.step(1)
    # Sides 0.2, 0.4, 0.6 turned by 35 degrees about y: I_xz couples the spin to a torque about y.
    i_x, i_z = 3 / 12 * (0.4**2 + 0.6**2), 3 / 12 * (0.2**2 + 0.4**2)
    angle = math.radians(35)
    i_xz = (i_z - i_x) * math.sin(angle) * math.cos(angle)
    assert_reads(world, REST, (0.0, i_xz * 4.0**2, 0.0), atol=1e-3)


def test_components_turn_with_the_sensors_pose(new_world):
    quarter = gymapi.Quat.from_axis_angle(gymapi.Vec3(0.0, 0.0, 1.0), math.pi / 2)
    upside = gymapi.Quat.from_axis_angle(gymapi.Vec3(1.0, 0.0, 0.0), math.pi)
    poses = [gymapi.Transform(), gymapi.Transform(gymapi.Vec3(1.0, 2.0, 3.0), quarter)]
    poses.append(gymapi.Transform(gymapi.Vec3(), upside))
    world = with_sensors(new_world, "arm", poses, fixed=True, gravity=REST)
    world.set_dof(torch.tensor([[[0.4, 3.0]]]))
    world.step(1, effort=1.5)
    radial, alpha = MASS * REACH * 9.0, 1.5 / ARM_INERTIA
    tangential, torque = MASS * REACH * alpha, BALL_INERTIA * alpha
    assert_reads(world, (-radial, tangential, 0.0), (0.0, 0.0, torque), sensor=0)
    # The x axis of the second points along the link's y, the y axis against its x. The force
    # acts at the centre of mass wherever the sensor sits.
    assert_reads(world, (tangential, radial, 0.0), (0.0, 0.0, torque), sensor=1)
    assert_reads(world, (-radial, -tangential, 0.0), (0.0, 0.0, -torque), sensor=2)


def test_one_pose_object_may_be_turned_for_the_next_sensor(new_world):
    world = new_world(gravity=(0.0, 0.0, -10.0))
    asset = world.asset("box")
    pose = gymapi.Transform()
    world.gym.create_asset_force_sensor(asset, 0, pose)
    pose.r = gymapi.Quat.from_axis_angle(gymapi.Vec3(1.0, 0.0, 0.0), math.pi)
    world.gym.create_asset_force_sensor(asset, 0, pose)
    world.add_env()
    world.add_actor(asset)
    world.prepare().step(1)
    assert_reads(world, (0.0, 0.0, -20.0), sensor=0)
    assert_reads(world, (0.0, 0.0, 20.0), sensor=1)


def test_sensors_lie_in_order_by_environment_actor_and_creation(new_world):
    world = new_world()
    robot, box = world.asset("walker"), world.asset("box")
    for name in ("torso", "right", "left"):
        body = world.gym.find_asset_rigid_body_index(robot, name)
        world.gym.create_asset_force_sensor(robot, body, gymapi.Transform())
    world.gym.create_asset_force_sensor(box, 0, gymapi.Transform())
    for _ in range(2):
        world.add_env()
        world.add_actor(robot, (0.0, 0.0, 9.0))
        world.add_actor(box, (0.0, 3.0, 9.0))
    world.prepare()
    assert world.gym.get_sim_force_sensor_count(world.sim) == 8
    world.set_dof_properties(1, 0, damping=1.0)
    world.step(1)
    # All fall freely: each reads its own body's weight.
    weights = torch.tensor([[50.0, 10.0, 10.0, 20.0]]).expand(2, 4)
    torch.testing.assert_close(-world.sensor[..., 2], weights, atol=1e-3, rtol=1e-4)


def test_readings_stay_until_the_next_simulate(new_world):
    world = with_sensors(new_world, "arm", [gymapi.Transform()], fixed=True, gravity=REST)
    world.set_dof(torch.tensor([[[0.4, 3.0]]]))
    world.step(1)
    before = world.sensor.clone()
    world.set_dof(torch.tensor([[[0.0, 6.0]]]))
    world.refresh()
    torch.testing.assert_close(world.sensor, before, atol=0, rtol=0)
    world.step(1)
    assert_reads(world, (-MASS * REACH * 6.0**2, 0.0, 0.0))


def test_gravity_that_changes_changes_no_body_at_rest(new_world):
    world = with_sensors(new_world, "box", [gymapi.Transform()], pos=(0.0, 0.0, 0.1), ground=1.0)
    params = world.gym.get_sim_params(world.sim)
    params.gravity = gymapi.Vec3(0.0, 0.0, -4.0)
    world.gym.set_sim_params(world.sim, params)
    world.step(300)
    assert_reads(world, REST, atol=1e-2)


def test_sensors_on_what_is_not_there_are_refused(new_world):
    world = new_world()
    asset = world.asset("box")
    with pytest.raises(ValueError, match="has no body 1; it has 1"):
        world.gym.create_asset_force_sensor(asset, 1, gymapi.Transform())
    world.add_env()
    world.add_actor(asset)
    with pytest.raises(ValueError, match="env 0 has no body 1; it has 1"):
        world.gym.create_force_sensor(world.envs[0], 1, gymapi.Transform())


def properties(forward=True, constraint=True, world=False):
    made = gymapi.ForceSensorProperties()
    made.enable_forward_dynamics_forces = forward
    made.enable_constraint_solver_forces = constraint
    made.use_world_frame = world
    return made


QUARTER_ABOUT_X = gymapi.Quat(0.5**0.5, 0.0, 0.0, 0.5**0.5)


def sensors_of_each_kind(new_world, robot, fixed=False, pose=None, **arguments):
    """One robot, on whose last body sensors read: all, constraints alone, the rest alone."""
    world = new_world(**arguments)
    asset = world.asset(robot, fixed)
    last = world.gym.get_asset_rigid_body_count(asset) - 1
    for kind in (properties(), properties(forward=False), properties(constraint=False)):
        world.gym.create_asset_force_sensor(asset, last, pose or gymapi.Transform(), kind)
    return world, asset


def test_the_ground_carries_a_body_at_rest(each_engine, new_world):
    """m a = 0 is what the ground adds, m g upwards, and the rest, m g downwards."""
    world, asset = sensors_of_each_kind(new_world, "box", ground=1.0)
    world.add_env()
    world.add_actor(asset, (0.0, 0.0, 0.1))
    world.prepare().step(200)
    for sensor, force in enumerate((0.0, 20.0, -20.0)):
        assert_reads(world, (0.0, 0.0, force), sensor=sensor, atol=2e-2)


def test_a_limit_holds_a_link(each_engine, new_world):
    """A leg that turns about its centre is pushed against its stop, which pushes back."""
    robot = """
<mujoco><worldbody><body name="base"><body name="leg">
  <joint name="hinge" axis="0 1 0" range="-30 30" limited="true" solreflimit="0.02 1"/>
  <geom type="box" size="0.1 0.1 0.2" mass="6"/>
</body></body></worldbody></mujoco>"""
    world, asset = sensors_of_each_kind(new_world, robot, fixed=True, gravity=REST)
    world.add_env()
    world.add_actor(asset)
    world.prepare().step(400, effort=5.0)
    assert float(world.dof[0, 0, 1]) == pytest.approx(0.0, abs=1e-4)
    assert_reads(world, REST, sensor=0, atol=1e-2)
    assert_reads(world, REST, (0.0, -5.0, 0.0), sensor=1, atol=1e-2)
    assert_reads(world, REST, (0.0, 5.0, 0.0), sensor=2, atol=1e-2)


@pytest.mark.parametrize("in_world", [False, True])
def test_forces_in_the_frame_that_was_asked_for(each_engine, new_world, in_world):
    """A falling box on its side: its weight along its own axes or the world's."""
    world = new_world()
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform(), properties(world=in_world))
    world.add_env()
    world.add_actor(asset, (0.0, 0.0, 5.0), QUARTER_ABOUT_X)
    world.prepare().step(2)
    # The world's -z is the box's -y after a quarter turn about x.
    assert_reads(world, (0.0, 0.0, -20.0) if in_world else (0.0, -20.0, 0.0))


def test_sensors_of_bodies_in_the_environment(new_world):
    """Made one by one on two actors, they lie by actor, after those of its asset."""
    world = new_world()
    asset = world.asset("walker")
    for _ in range(2):
        env = world.add_env()
        for handle in range(2):
            world.add_actor(asset, (0.0, 2.0 * handle, 9.0))
        body = world.gym.find_actor_rigid_body_handle(env, 1, "right")
        assert world.gym.create_force_sensor(env, body, gymapi.Transform()) == 0
        body = world.gym.find_actor_rigid_body_handle(env, 0, "torso")
        assert world.gym.create_force_sensor(env, body, gymapi.Transform()) == 0
    assert world.gym.get_sim_force_sensor_count(world.sim) == 4
    assert world.gym.get_actor_force_sensor_count(world.envs[1], 1) == 1
    world.prepare().step(1)
    assert_reads(world, (0.0, 0.0, -50.0), sensor=0)
    assert_reads(world, (0.0, 0.0, -10.0), sensor=1)
    found = world.gym.get_actor_force_sensor(world.envs[1], 1, 0)
    assert found.get_global_index() == 3
    assert found.get_forces().force.z == pytest.approx(-10.0, abs=1e-3)
    assert found.get_forces().torque.length() == pytest.approx(0.0, abs=1e-3)
    assert world.gym.get_actor_force_sensor(world.envs[1], 1, 1) is None


def test_handles_read_the_last_frame_and_leave_the_tensor(new_world):
    world = with_sensors(new_world, "box", [gymapi.Transform()], pos=(0.0, 0.0, 5.0))
    handle = world.gym.get_actor_force_sensor(world.envs[0], 0, 0)
    world.gym.simulate(world.sim)
    assert handle.get_forces().force.z == pytest.approx(-20.0, abs=1e-3)
    assert not world.sensor.any()
    params = world.gym.get_sim_params(world.sim)
    params.gravity = gymapi.Vec3(0.0, 0.0, -4.0)
    world.gym.set_sim_params(world.sim, params)
    world.gym.simulate(world.sim)
    assert handle.get_forces().force.z == pytest.approx(-8.0, abs=1e-3)


def test_sensors_of_an_asset_reach_actors_created_later(new_world):
    world = new_world()
    asset = world.asset("box")
    world.add_env()
    world.add_actor(asset)
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    world.add_actor(asset)
    counts = [world.gym.get_actor_force_sensor_count(world.envs[0], actor) for actor in (0, 1)]
    assert counts == [0, 1]
    world.prepare()
    with pytest.raises(ValueError, match="create_force_sensor comes too late"):
        world.gym.create_force_sensor(world.envs[0], 0, gymapi.Transform())
