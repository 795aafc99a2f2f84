"""Physics through the whole interface against closed forms, on both engines."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch

pytestmark = pytest.mark.usefixtures("each_engine")

G = 10.0  # m/s^2
BALL, ROD = 2.0, 0.5  # kg, m
INERTIA = BALL * (ROD**2 + 0.4 * 0.1**2)
PENDULUM = f"""
<mujoco><worldbody><body name="base"><body name="rod">
  <joint name="hinge" axis="0 1 0"/>
  <geom type="sphere" size="0.1" pos="0 0 {-ROD}" mass="{BALL}"/>
</body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("amplitude", [0.05, 1.5])
def test_a_pendulum_has_its_period_and_keeps_its_energy(one_robot, amplitude):
    world = one_robot(PENDULUM, fixed=True, dt=0.002)
    world.set_dof(torch.tensor([[[amplitude, 0.0]]]))
    passages, angles, energies = [], [amplitude], []
    for frame in range(1, 1500):
        world.step(1)
        angle, rate = world.dof[0, 0].tolist()
        if angles[-1] > 0.0 >= angle:
            passages.append((frame - angle / (angle - angles[-1])) * world.dt)
        angles.append(angle)
        energies.append(0.5 * INERTIA * rate**2 - BALL * G * ROD * math.cos(angle))
        if len(passages) == 2:
            break
    # With the arithmetic-geometric mean: the exact period, whatever the amplitude.
    small = 2 * math.pi * math.sqrt(INERTIA / (BALL * G * ROD))
    period = small / arithmetic_geometric_mean(1.0, math.cos(amplitude / 2))
    assert passages[1] - passages[0] == pytest.approx(period, rel=2e-3)
    swing = BALL * G * ROD * (1.0 - math.cos(amplitude))
    assert max(energies) - min(energies) < 0.02 * swing


def arithmetic_geometric_mean(a, b):
    for _ in range(10):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


@pytest.mark.parametrize(("own", "ground"), [(0.8, 0.4), (0.2, 1.0)])
def test_a_box_holds_on_a_slope_up_to_the_mean_friction(new_world, own, ground):
    """tan(slope) = 0.6 is where it starts to slide, with a = g (sin - 0.6 cos)."""
    for degrees in (29.0, 36.0):
        slope = math.radians(degrees)
        gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
        world = new_world(ground=ground, gravity=gravity, dt=0.005)
        asset = world.asset("box")
        shapes = world.gym.get_asset_rigid_shape_properties(asset)
        shapes[0].friction = own
        world.gym.set_asset_rigid_shape_properties(asset, shapes)
        world.add_env()
        world.add_actor(asset, pos=(0.0, 0.0, 0.1))
        world.prepare()
        world.step(100)
        pull = max(G * (math.sin(slope) - 0.6 * math.cos(slope)), 0.0)
        assert float(world.root[0, 0, 0]) == pytest.approx(pull * 0.5**2 / 2, abs=0.01)
        assert abs(float(world.root[0, 0, 1])) < 1e-3


def test_in_flight_a_box_reads_no_contact_and_its_weight_alone(new_world):
    world = new_world(ground=1.0)
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    world.add_env()
    world.add_actor(asset, pos=(0.0, 0.0, 2.0))
    world.prepare(contacts=True)
    world.step(20)
    assert world.contact.abs().max() == 0.0
    assert world.sensor[0, 0].tolist() == pytest.approx([0, 0, -20.0, 0, 0, 0], abs=1e-3)


def test_at_rest_the_ground_carries_it_and_nothing_is_left(new_world):
    world = new_world(ground=1.0)
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    world.add_env()
    world.add_actor(asset, pos=(0.0, 0.0, 0.1))
    world.prepare(contacts=True)
    world.step(200)
    assert world.contact[0, 0].tolist() == pytest.approx([0.0, 0.0, 20.0], abs=0.02)
    assert world.sensor[0, 0].abs().max() < 0.02


def test_a_jacobian_is_what_small_turns_of_the_joints_do(new_world):
    """Central differences of the links' centres of mass, 1e-3 rad each way."""
    world = new_world()
    asset = world.asset(ARM, fixed=True)
    for _ in range(7):
        world.add_env()
        world.add_actor(asset)
    handle = world.gym.acquire_jacobian_tensor(world.sim, "actor")
    jacobian = gymtorch.wrap_tensor(handle)
    world.prepare(bodies=True)
    start = torch.tensor([0.4, -0.7, 0.3])
    turns = torch.zeros(7, 3)
    for joint in range(3):
        turns[2 * joint + 1, joint], turns[2 * joint + 2, joint] = 1e-3, -1e-3
    world.set_dof(torch.stack([start + turns, torch.zeros(7, 3)], dim=-1))
    world.gym.refresh_jacobian_tensors(world.sim)
    world.refresh()
    com = centres_of_mass(world.body)
    for joint in range(3):
        moved = (com[2 * joint + 1] - com[2 * joint + 2]) / 2e-3
        torch.testing.assert_close(jacobian[0, :, 0:3, joint], moved[1:], atol=2e-3, rtol=0)


ARM = """
<mujoco><worldbody><body name="base">
  <body name="a" pos="0 0 0.3"><joint name="a" axis="0 0 1"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" mass="1"/>
    <body name="b" pos="0.4 0 0"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="1"/>
      <body name="c" pos="0.3 0 0"><joint name="c" type="slide" axis="1 0 0"/>
        <geom type="box" size="0.05 0.02 0.1" pos="0.05 0 0.1" mass="0.5"/>
</body></body></body></body></worldbody></mujoco>"""
CENTRES = torch.tensor([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.15, 0.0, 0.0], [0.05, 0.0, 0.1]])
"""Of the arm's links, in their own frames."""


def centres_of_mass(bodies):
    """(envs, bodies, 3) of body states (envs, bodies, 13)."""
    position, vector, w = bodies[..., 0:3], bodies[..., 3:6], bodies[..., 6:7]
    local = CENTRES.expand_as(position)
    cross = torch.linalg.cross(vector, local)
    return position + local + 2.0 * (w * cross + torch.linalg.cross(vector, cross))


def test_a_quaternion_is_xyzw(one_robot):
    """A quarter turn about x, from a spin of pi / 2 rad/s about x for a second."""
    world = one_robot("box", gravity=(0.0, 0.0, 0.0), dt=0.002, bodies=True)
    state = world.root.clone()
    state[0, 0, 10] = math.pi / 2
    world.set_root(state)
    world.step(500)
    half = math.sqrt(0.5)
    assert world.root[0, 0, 3:7].tolist() == pytest.approx([half, 0, 0, half], abs=1e-4)
    assert world.body[0, 0, 3:7].tolist() == pytest.approx([half, 0, 0, half], abs=1e-4)
