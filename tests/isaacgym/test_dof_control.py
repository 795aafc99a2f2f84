"""Efforts, drives and passive forces, against closed forms of a mass on a rail and an arm."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi

pytestmark = pytest.mark.usefixtures("each_engine")

REST = (0.0, 0.0, 0.0)
MASS = 2.0  # kg, of the cart
ARM_INERTIA = 2.0 * 0.5**2 + 0.4 * 2.0 * 0.1**2  # kg m^2, of the arm about its hinge
EFFORT = int(gymapi.DOF_MODE_EFFORT)
POS = int(gymapi.DOF_MODE_POS)
VEL = int(gymapi.DOF_MODE_VEL)


@pytest.mark.parametrize("substeps", [1, 4])
def test_effort_lasts_one_frame_and_all_its_substeps(one_robot, substeps):
    world = one_robot("cart", fixed=True, gravity=REST, substeps=substeps)
    world.step(1, effort=6.0)
    velocity = 6.0 / MASS * world.dt
    assert float(world.dof[0, 0, 1]) == pytest.approx(velocity, rel=1e-5)
    world.step(5)
    assert float(world.dof[0, 0, 1]) == pytest.approx(velocity, rel=1e-5)


def test_an_effort_turns_an_arm_by_its_inertia(one_robot):
    world = one_robot("arm", fixed=True, gravity=REST)
    world.step(10, effort=1.5)
    rate = 1.5 / ARM_INERTIA * 10 * world.dt
    assert float(world.dof[0, 0, 1]) == pytest.approx(rate, rel=1e-5)


@pytest.mark.parametrize("mode", [int(gymapi.DOF_MODE_NONE), EFFORT])
def test_damping_slows_a_hinge_down_exponentially(one_robot, mode):
    world = one_robot(
        "arm", fixed=True, gravity=REST, dt=0.002, dof={"driveMode": mode, "damping": 0.8}
    )
    world.set_dof(torch.tensor([[[0.0, 3.0]]]))
    world.step(250)
    # Exactly that of implicit Euler, and the exponential within its error.
    rate = 3.0 / (1.0 + world.dt * 0.8 / ARM_INERTIA) ** 250
    assert float(world.dof[0, 0, 1]) == pytest.approx(rate, rel=1e-4)
    decayed = 3.0 * math.exp(-0.8 * 0.5 / ARM_INERTIA)
    assert float(world.dof[0, 0, 1]) == pytest.approx(decayed, rel=2e-3)


@pytest.mark.parametrize("mode", [int(gymapi.DOF_MODE_NONE), EFFORT])
def test_stiffness_is_a_spring_of_the_joint(one_robot, mode):
    stiffness = 50.0
    world = one_robot(
        "cart", fixed=True, gravity=REST, dt=0.001, dof={"driveMode": mode, "stiffness": stiffness}
    )
    world.set_dof(torch.tensor([[[0.4, 0.0]]]))
    period = 2 * math.pi * math.sqrt(MASS / stiffness)
    frames = round(period / 4 / world.dt)
    world.step(frames)
    assert float(world.dof[0, 0, 0]) == pytest.approx(0.0, abs=2e-3)
    world.step(frames)
    assert float(world.dof[0, 0, 0]) == pytest.approx(-0.4, abs=2e-3)
    world.step(2 * frames)
    assert float(world.dof[0, 0, 0]) == pytest.approx(0.4, abs=2e-3)


@pytest.mark.parametrize("damping_ratio", [0.3, 1.0, 2.0])
def test_a_soft_position_drive_steps_as_a_damped_oscillator(one_robot, damping_ratio):
    frequency = 5.0  # rad/s
    stiffness = MASS * frequency**2
    damping = 2 * damping_ratio * MASS * frequency
    gains = {"driveMode": POS, "stiffness": stiffness, "damping": damping}
    world = one_robot("cart", fixed=True, gravity=REST, dt=0.001, dof=gains)
    world.set_targets("position", 0.5)
    for time in (0.1, 0.3, 0.6, 1.0):
        world.step(round(time / world.dt) - world.gym.get_frame_count(world.sim))
        position = 0.5 * step_response(frequency, damping_ratio, time)
        assert float(world.dof[0, 0, 0]) == pytest.approx(position, abs=3e-3), time


def step_response(frequency, damping_ratio, time):
    """Position at `time` of the damped oscillator that starts at rest at 0 and aims at 1."""
    z, w = complex(damping_ratio), frequency
    if damping_ratio == 1.0:
        return 1.0 - (1.0 + w * time) * math.exp(-w * time)
    root = (z * z - 1) ** 0.5
    fast, slow = -w * (z + root), -w * (z - root)
    decay = [math.e ** (s * time) for s in (fast, slow)]
    return 1.0 - ((fast * decay[1] - slow * decay[0]) / (fast - slow)).real


@pytest.mark.parametrize(
    ("stiffness", "damping"), [(400.0, 40.0), (1e4, 0.0), (1e6, 100.0), (1e8, 1e3)]
)
def test_a_position_drive_leads_by_its_share_of_a_step(one_robot, stiffness, damping):
    gains = {"driveMode": POS, "stiffness": stiffness, "damping": damping}
    world = one_robot("cart", fixed=True, gravity=REST, dt=1 / 60, substeps=2, dof=gains)
    world.set_targets("position", 0.3)
    h, position, velocity = 1 / 120, 0.0, 0.0
    ratio = h * h * stiffness / MASS
    lead = 0.4 + 0.6 * ratio / (ratio + 4.0)
    for _ in range(30):
        world.step(1)
        for _ in range(2):
            push = MASS * velocity + h * stiffness * (0.3 - position)
            velocity = push / (MASS + h * damping + lead * h * h * stiffness)
            position += h * velocity
        assert float(world.dof[0, 0, 0]) == pytest.approx(position, abs=2e-5)
        assert float(world.dof[0, 0, 1]) == pytest.approx(velocity, abs=2e-3)


@pytest.mark.parametrize(
    ("stiffness", "damping", "close"),
    [(50.0, 5.0, 0.01), (400.0, 80.0, 0.01), (1e4, 100.0, 0.04), (1e6, 100.0, 0.02)],
)
def test_position_drives_step_as_those_of_physx(one_robot, stiffness, damping, close):
    """Its solver TGS takes four implicit steps of a quarter each; `close` is a mean distance."""
    gains = {"driveMode": POS, "stiffness": stiffness, "damping": damping}
    world = one_robot("cart", fixed=True, gravity=REST, dt=1 / 120, dof=gains)
    world.set_targets("position", 1.0)
    h, position, velocity, squares = 1 / 480, 0.0, 0.0, 0.0
    for _ in range(60):
        world.step(1)
        for _ in range(4):
            push = MASS * velocity + h * stiffness * (1.0 - position)
            velocity = push / (MASS + h * damping + h * h * stiffness)
            position += h * velocity
        squares += (float(world.dof[0, 0, 0]) - position) ** 2
    assert math.sqrt(squares / 60) < close


def test_a_position_target_stays_until_it_is_set_again(one_robot):
    gains = {"driveMode": POS, "stiffness": 400.0, "damping": 60.0}
    world = one_robot("cart", fixed=True, gravity=REST, dof=gains)
    for target in (0.5, -0.2):
        world.set_targets("position", target)
        world.step(200)
        assert float(world.dof[0, 0, 0]) == pytest.approx(target, abs=1e-3)


def test_a_position_drive_sags_under_a_load(one_robot):
    gains = {"driveMode": POS, "stiffness": 400.0, "damping": 60.0}
    world = one_robot("cart", fixed=True, gravity=(10.0, 0.0, 0.0), dof=gains)
    world.step(300)
    assert float(world.dof[0, 0, 0]) == pytest.approx(MASS * 10.0 / 400.0, rel=1e-3)


def test_a_velocity_drive_approaches_its_target_exponentially(one_robot):
    world = one_robot(
        "cart",
        fixed=True,
        gravity=REST,
        dt=0.001,
        dof={"driveMode": VEL, "stiffness": 500.0, "damping": 6.0},
    )
    world.set_targets("velocity", 1.5)
    world.set_targets("position", 3.0)  # no concern of a velocity drive, nor is its stiffness
    world.step(500)
    velocity = 1.5 * (1.0 - math.exp(-6.0 / MASS * 0.5))
    assert float(world.dof[0, 0, 1]) == pytest.approx(velocity, rel=2e-3)
    world.step(3000)
    assert float(world.dof[0, 0, 1]) == pytest.approx(1.5, rel=1e-3)


def test_a_velocity_target_is_no_concern_of_a_position_drive(one_robot):
    gains = {"driveMode": POS, "stiffness": 400.0, "damping": 60.0}
    world = one_robot("cart", fixed=True, gravity=REST, dof=gains)
    world.set_targets("velocity", 5.0)
    world.step(50)
    assert float(world.dof[0, 0, 0]) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "gains",
    [
        {"driveMode": POS, "stiffness": 1e5, "damping": 10.0},
        {"driveMode": VEL, "damping": 1e5},
    ],
)
def test_the_effort_limit_bounds_a_drive(one_robot, gains):
    world = one_robot("cart", fixed=True, gravity=REST, dof={**gains, "effort": 3.0})
    world.set_targets("position", 10.0)
    world.set_targets("velocity", 10.0)
    world.step(20)
    velocity = 3.0 / MASS * 20 * world.dt
    assert float(world.dof[0, 0, 1]) == pytest.approx(velocity, rel=1e-4)
    assert float(world.dof_force[0, 0]) == pytest.approx(3.0, rel=1e-5)


def test_a_stiff_limited_drive_of_a_light_joint_does_not_swing(one_robot):
    """A gripper's finger: 1e6 N/m, at most 200 N, 20 g."""
    target = 0.04
    finger = """
<mujoco><worldbody><body name="hand"><body name="finger"><joint name="slide" type="slide"/>
  <geom type="sphere" size="0.01" mass="0.02"/></body></body></worldbody></mujoco>"""
    drive = {"driveMode": POS, "stiffness": 1e6, "damping": 100.0, "effort": 200.0}
    world = one_robot(finger, fixed=True, gravity=REST, dof=drive)
    world.set_targets("position", target)
    fastest = 0.0
    for _ in range(400):
        world.step(1)
        fastest = max(fastest, abs(float(world.dof[0, 0, 1])))
        assert abs(float(world.dof_force[0, 0])) <= 200.01
    assert float(world.dof[0, 0, 0]) == pytest.approx(target, abs=1e-3)
    # With a constant force there and back it could be no faster.
    assert fastest < 2.0 * math.sqrt(target * 200.0 / (0.02 + 0.01 * (100.0 + 0.01 * 1e6)))


def test_targets_and_passive_forces_may_stand_side_by_side(one_robot):
    world = one_robot(
        "rails",
        fixed=True,
        gravity=REST,
        dof={
            "driveMode": [POS, VEL, EFFORT, EFFORT],
            "stiffness": [300.0, 0.0, 0.0, 200.0],
            "damping": [30.0, 40.0, 0.0, 25.0],
        },
    )
    world.set_targets("position", 0.4)
    world.set_targets("velocity", 0.2)
    world.step(300, effort=[0.0, 0.0, 0.6, 50.0])
    position, velocity = world.dof[0, :, 0], world.dof[0, :, 1]
    assert float(position[0]) == pytest.approx(0.4, abs=1e-3)
    assert float(velocity[1]) == pytest.approx(0.2, abs=1e-3)
    assert float(velocity[2]) == pytest.approx(0.6 / 3.0 * 3.0, abs=1e-3)
    assert float(position[3]) == pytest.approx(50.0 / 200.0, abs=1e-3)


LINKAGE = """
<mujoco><worldbody><body name="base"><body name="crank">
  <joint name="crank" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02" mass="0.2" contype="0" conaffinity="0"/>
  <body name="coupler" pos="0 0 0.2"><joint name="coupler" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0.2" size="0.02" mass="0.2" contype="0"
      conaffinity="0"/>
    <body name="rocker" pos="0.5 0 0.2"><joint name="rocker" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="0.2" contype="0"
        conaffinity="0"/>
</body></body></body></body></worldbody></mujoco>"""


def test_a_stiff_drive_moves_a_closed_loop_of_joints(new_world):
    """A crank of 0.2 m turns a rocker of 0.4 m, whose end is held at (0.5, 0, 0)."""
    world = new_world(gravity=REST)
    env = world.add_env()
    world.add_actor(world.asset(LINKAGE, fixed=True))
    attractor = gymapi.AttractorProperties()
    attractor.rigid_handle, attractor.axes = 3, gymapi.AXIS_TRANSLATION
    attractor.stiffness, attractor.damping = 1e7, 1e4
    attractor.offset.p = gymapi.Vec3(0.0, 0.0, -0.4)
    attractor.target.p = gymapi.Vec3(0.5, 0.0, 0.0)
    world.gym.create_rigid_body_attractor(env, attractor)
    gains = {"driveMode": [POS, EFFORT, EFFORT], "stiffness": [4000.0, 0, 0]}
    world.set_dof_properties(0, 0, **gains, damping=[100.0, 0.0, 0.0])
    world.prepare()
    for frame in range(200):
        target = 0.5 * math.sin(0.1 * frame)
        world.set_targets("position", [target, 0.0, 0.0])
        world.step(1)
        crank, coupler, rocker = world.dof[0, :, 0].tolist()
        # It follows 25 ms behind, damping over stiffness, after a while.
        assert frame < 20 or crank == pytest.approx(0.5 * math.sin(0.1 * frame - 0.25), abs=0.05)
        # Along the links: a positive turn about y leads from z to x.
        first, second = crank + coupler, crank + coupler + rocker
        x = 0.2 * math.sin(crank) + 0.5 * math.cos(first) + 0.2 * math.sin(first)
        z = 0.2 * math.cos(crank) - 0.5 * math.sin(first) + 0.2 * math.cos(first)
        x, z = x - 0.4 * math.sin(second), z - 0.4 * math.cos(second)
        assert math.hypot(x - 0.5, z) < 1e-3


@pytest.mark.parametrize("push", [-4.0, 4.0])
def test_limits_hold(one_robot, push):
    world = one_robot(
        "arm",
        fixed=True,
        gravity=REST,
        dof={"hasLimits": True, "lower": -0.5, "upper": 0.3},
    )
    world.step(400, effort=push)
    limit = -0.5 if push < 0 else 0.3
    assert float(world.dof[0, 0, 0]) == pytest.approx(limit, abs=0.01)
    assert float(world.dof[0, 0, 1]) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("dt", [0.002, 1 / 120])
def test_a_joint_stays_at_its_limit(one_robot, dt):
    """It comes back with a tenth of its speed at most, and gives way little."""
    dof = {"hasLimits": True, "lower": -0.3, "upper": 0.3}
    world = one_robot("cart", fixed=True, gravity=REST, dt=dt, dof=dof)
    world.set_dof(torch.tensor([[[0.0, 2.0]]]))
    farthest, back = 0.0, 0.0
    for _ in range(round(0.5 / dt)):
        world.step(1)
        farthest = max(farthest, float(world.dof[0, 0, 0]))
        back = min(back, float(world.dof[0, 0, 1]))
    assert 0.3 <= farthest <= 0.3 + 2.0 * dt
    assert back >= -0.21
    world.set_dof(torch.tensor([[[0.29, 0.0]]]))
    world.step(100, effort=100.0)
    assert float(world.dof[0, 0, 0]) == pytest.approx(0.3, abs=5e-4)


def test_limits_that_do_not_count_do_not_hold(one_robot):
    world = one_robot(
        "arm",
        fixed=True,
        gravity=REST,
        dof={"hasLimits": False, "lower": -0.5, "upper": 0.3},
    )
    world.step(100, effort=4.0)
    assert float(world.dof[0, 0, 0]) > 1.0


def test_armature_adds_to_a_joints_inertia(one_robot):
    world = one_robot("cart", fixed=True, gravity=REST, dof={"armature": 3.0})
    world.step(1, effort=10.0)
    assert float(world.dof[0, 0, 1]) == pytest.approx(10.0 / (MASS + 3.0) * world.dt, rel=1e-5)


def test_dry_friction_holds_a_joint_up_to_its_force(one_robot):
    world = one_robot("cart", fixed=True, gravity=REST, dof={"friction": 5.0})
    world.step(50, effort=4.5)
    assert abs(float(world.dof[0, 0, 1])) < 0.02
    world.step(50, effort=9.0)
    assert float(world.dof[0, 0, 1]) == pytest.approx((9.0 - 5.0) / MASS * 0.5, rel=0.05)
