"""Largest velocities: of DOFs by DofProperties, of roots and DOFs by AssetOptions."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi

REST = (0.0, 0.0, 0.0)
MASS = 2.0  # kg, of cart and box
POS, VEL = int(gymapi.DOF_MODE_POS), int(gymapi.DOF_MODE_VEL)


def test_a_pushed_dof_is_no_faster_than_its_limit_and_one_frames_push(each_engine, one_robot):
    world = one_robot("cart", fixed=True, gravity=REST, dof={"velocity": 1.5})
    world.step(50, effort=100.0)
    assert float(world.dof[0, 0, 1]) == pytest.approx(1.5 + 100.0 / MASS * world.dt, rel=1e-5)


def test_limits_differ_between_environments(each_engine, new_world):
    world = new_world(gravity=REST)
    asset = world.asset("cart", fixed=True)
    for index, limit in enumerate((1.0, 3.0)):
        world.add_env()
        world.add_actor(asset)
        world.set_dof_properties(index, velocity=limit)
    world.prepare()
    world.set_dof(torch.tensor([[[0.0, 2.0]], [[0.0, 2.0]]]))
    world.step(1)
    assert world.dof[:, 0, 1].tolist() == pytest.approx([1.0, 2.0], rel=1e-6)
    world.set_dof_properties(1, velocity=0.5)
    world.step(1)
    assert world.dof[:, 0, 1].tolist() == pytest.approx([1.0, 0.5], rel=1e-6)


def test_a_limit_of_zero_is_none(one_robot):
    world = one_robot("cart", fixed=True, gravity=REST, dof={"velocity": 0.0})
    world.step(20, effort=100.0)
    assert float(world.dof[0, 0, 1]) == pytest.approx(100.0 / MASS * 20 * world.dt, rel=1e-5)


@pytest.mark.parametrize(
    ("stiffness", "damping", "substeps"),
    [(400.0, 80.0, 1), (400.0, 80.0, 2), (1e6, 100.0, 1), (1e6, 100.0, 2)],
)
def test_a_position_drive_goes_at_its_limit(one_robot, stiffness, damping, substeps):
    drive = {"driveMode": POS, "stiffness": stiffness, "damping": damping, "velocity": 0.5}
    world = one_robot("cart", fixed=True, gravity=REST, dof=drive, dt=1 / 60, substeps=substeps)
    world.set_targets("position", 1.0)
    world.step(30)
    before = float(world.dof[0, 0, 0])
    world.step(60)
    assert float(world.dof[0, 0, 0]) - before == pytest.approx(0.5, rel=0.05)
    world.step(120)
    assert float(world.dof[0, 0, 0]) == pytest.approx(1.0, abs=0.01)


def test_a_velocity_drive_goes_at_its_limit(one_robot):
    drive = {"driveMode": VEL, "damping": 1e3, "velocity": 0.5}
    world = one_robot("cart", fixed=True, gravity=REST, dof=drive)
    world.set_targets("velocity", -2.0)
    world.step(30)
    assert float(world.dof[0, 0, 1]) == pytest.approx(-0.5, rel=1e-3)


@pytest.mark.parametrize("axis", [0, 2])
def test_a_root_keeps_its_direction_and_axis(each_engine, one_robot, axis):
    options = {"max_linear_velocity": 3.0, "max_angular_velocity": 5.0}
    world = one_robot("box", gravity=REST, options=options)
    state = world.root.clone()
    state[0, 0, 7:10] = torch.tensor([6.0, 0.0, 8.0])
    state[0, 0, 10 + axis] = -20.0
    world.set_root(state)
    world.step(1)
    assert world.root[0, 0, 7:10].tolist() == pytest.approx([1.8, 0.0, 2.4], rel=1e-5)
    spin = [0.0, 0.0, 0.0]
    spin[axis] = -5.0
    assert world.root[0, 0, 10:13].tolist() == pytest.approx(spin, rel=1e-4, abs=1e-5)
    assert float(world.root[0, 0, 0]) == pytest.approx(1.8 * world.dt, rel=1e-5)


def test_environments_with_assets_of_their_own_have_their_limits(new_world):
    world = new_world(gravity=REST)
    for limit in (3.0, 7.0):
        asset = world.asset("box", max_linear_velocity=limit, max_angular_velocity=2.0 * limit)
        world.add_env()
        world.add_actor(asset)
    world.prepare()
    state = world.root.clone()
    state[:, 0, 7] = 10.0
    state[:, 0, 12] = 20.0
    world.set_root(state)
    world.step(1)
    assert world.root[:, 0, 7].tolist() == pytest.approx([3.0, 7.0], rel=1e-5)
    assert world.root[:, 0, 12].tolist() == pytest.approx([6.0, 14.0], rel=1e-5)


def test_the_links_limit_holds_for_a_hinge(one_robot):
    world = one_robot("arm", fixed=True, gravity=REST, options={"max_angular_velocity": 4.0})
    world.set_dof(torch.tensor([[[0.0, -9.0]]]))
    world.step(1)
    assert float(world.dof[0, 0, 1]) == pytest.approx(-4.0, rel=1e-5)


def test_velocities_within_the_limits_stay_as_they_are(one_robot):
    """Their doubles, of which tensors show floats, too: a long way on an exact course."""
    world = one_robot("box", gravity=(0.0, 0.0, -10.0), dt=0.001)
    world.step(1000)
    # Semi-implicit Euler: h^2 g n (n + 1) / 2.
    assert float(world.root[0, 0, 2]) == pytest.approx(-10.0 * 1e-6 * 1000 * 1001 / 2, rel=1e-6)
