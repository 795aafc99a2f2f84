"""Properties that environments have of their own, before prepare_sim and after it."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
MASS = 2.0
EFFORT, POS = int(gymapi.DOF_MODE_EFFORT), int(gymapi.DOF_MODE_POS)


@pytest.fixture
def carts(new_world):
    """Three environments with a cart each; not yet prepared."""
    world = new_world(gravity=REST)
    asset = world.asset("cart", fixed=True)
    for _ in range(3):
        world.add_env()
        world.add_actor(asset)
    return world


def velocities(world):
    return world.dof[:, 0, 1].tolist()


@pytest.mark.parametrize("when", ["before", "after"])
def test_damping_of_one_environment(carts, when):
    change = {"driveMode": EFFORT, "damping": 50.0}
    if when == "before":
        carts.set_dof_properties(1, **change)
    carts.prepare()
    if when == "after":
        carts.step(3)
        carts.set_dof_properties(1, **change)
    carts.set_dof(torch.tensor([0.0, 1.0]).expand(3, 1, 2))
    carts.step(10)
    damped = 1.0 / (1.0 + 0.01 * 50.0 / MASS) ** 10
    assert velocities(carts) == pytest.approx([1.0, damped, 1.0], rel=1e-5)


@pytest.mark.parametrize("when", ["before", "after"])
def test_armature_of_one_environment(carts, when):
    if when == "before":
        carts.set_dof_properties(2, armature=3.0)
    carts.prepare()
    if when == "after":
        carts.step(1)
        carts.set_dof_properties(2, armature=3.0)
    carts.step(1, effort=10.0)
    assert velocities(carts) == pytest.approx([0.05, 0.05, 0.02], rel=1e-5)


@pytest.mark.parametrize("when", ["before", "after"])
def test_stiffness_of_one_environment(carts, when):
    if when == "before":
        carts.set_dof_properties(0, stiffness=100.0)
    carts.prepare()
    if when == "after":
        carts.step(1)
        carts.set_dof_properties(0, stiffness=100.0)
    carts.set_dof(torch.tensor([0.2, 0.0]).expand(3, 1, 2))
    carts.step(1)
    assert velocities(carts) == pytest.approx([-100.0 * 0.2 / MASS * 0.01, 0.0, 0.0], rel=1e-5)


@pytest.mark.parametrize("when", ["before", "after"])
def test_limits_of_one_environment(carts, when):
    limits = {"hasLimits": True, "lower": -0.1, "upper": 0.1}
    if when == "before":
        carts.set_dof_properties(1, **limits)
    carts.prepare()
    if when == "after":
        carts.step(1)
        carts.set_dof_properties(1, **limits)
    carts.set_dof(torch.tensor([0.0, 1.0]).expand(3, 1, 2))
    carts.step(60)
    positions = carts.dof[:, 0, 0].tolist()
    assert positions[0] == positions[2] == pytest.approx(0.6, rel=1e-4)
    assert positions[1] < 0.13


@pytest.mark.parametrize("when", ["before", "after"])
def test_gains_and_effort_limits_of_drives(carts, when):
    drive = {"driveMode": POS, "stiffness": 200.0, "damping": 40.0, "effort": 1e4}
    for env in range(3):
        carts.set_dof_properties(env, **drive)

    def change():
        carts.set_dof_properties(1, **{**drive, "stiffness": 0.0})
        carts.set_dof_properties(2, effort=1.0)

    if when == "before":
        change()
    carts.prepare()
    carts.set_targets("position", 0.0)
    if when == "after":
        carts.step(1)
        change()
    carts.set_targets("position", 1.0)
    carts.step(10)
    fast, none, limited = velocities(carts)
    assert fast > 1.0
    assert none == 0.0
    assert limited == pytest.approx(1.0 / MASS * 0.1, rel=1e-4)
    carts.step(400)
    assert float(carts.dof[0, 0, 0]) == pytest.approx(1.0, abs=1e-3)


def test_a_drive_may_be_switched_off_and_on_again(carts):
    drive = {"driveMode": POS, "stiffness": 200.0, "damping": 40.0}
    for env in range(3):
        carts.set_dof_properties(env, **drive)
    carts.prepare().set_targets("position", 0.5)
    carts.set_dof_properties(1, driveMode=EFFORT, stiffness=0.0, damping=0.0)
    carts.step(100)
    assert float(carts.dof[1, 0, 0]) == 0.0
    carts.set_dof_properties(1, **drive)
    carts.step(300)
    assert carts.dof[:, 0, 0].tolist() == pytest.approx([0.5] * 3, abs=1e-3)


def test_a_drive_may_come_after_prepare_sim(carts):
    carts.prepare().step(1)
    carts.set_dof_properties(1, driveMode=POS, stiffness=200.0, damping=40.0)
    carts.set_targets("position", 0.5)
    carts.step(300)
    assert carts.dof[:, 0, 0].tolist() == pytest.approx([0.0, 0.5, 0.0], abs=1e-3)


def test_the_first_limit_of_a_drive_after_prepare_sim_comes_too_late(carts):
    carts.prepare()
    carts.set_dof_properties(1, driveMode=POS, stiffness=10.0, effort=5.0)
    with pytest.raises(GymError, match="limit it before prepare_sim"):
        carts.step(1)


def slide(new_world, frictions, when="before", ground=1.0, gravity=(3.0, 0.0, -10.0)):
    """Velocity of boxes of the given frictions after 0.5 s on a plane that gravity tilts."""
    world = new_world(ground=ground, gravity=gravity, dt=0.005)
    asset = world.asset("box")
    for _ in frictions:
        world.add_env()
        world.add_actor(asset, (0.0, 0.0, 0.1))

    def set_frictions():
        for env, friction in zip(world.envs, frictions, strict=True):
            shapes = world.gym.get_actor_rigid_shape_properties(env, 0)
            shapes[0].friction = friction
            world.gym.set_actor_rigid_shape_properties(env, 0, shapes)

    if when == "before":
        set_frictions()
    world.prepare()
    if when == "after":
        set_frictions()
    world.step(100)
    return world.root[:, 0, 7]


@pytest.mark.parametrize("when", ["before", "after"])
def test_boxes_slide_below_the_mean_of_both_frictions_and_stick_above(new_world, when):
    # With a ground of 0.4 and a slope of 0.3, a box sticks from 0.2 on: (0.2 + 0.4) / 2 = 0.3.
    frictions = [0.0, 0.1, 0.3, 1.0]
    speed = slide(new_world, frictions, when, ground=0.4)
    for index in (0, 1):
        mean = (frictions[index] + 0.4) / 2
        assert float(speed[index]) == pytest.approx((3.0 - 10.0 * mean) * 0.5, rel=0.1)
    assert float(speed[2:].abs().max()) < 0.05


def test_an_assets_friction_reaches_its_actors(new_world):
    world = new_world(ground=0.0, gravity=(3.0, 0.0, -10.0))
    asset = world.asset("box")
    for friction in (0.1, 2.0):
        shapes = world.gym.get_asset_rigid_shape_properties(asset)
        shapes[0].friction = friction
        world.gym.set_asset_rigid_shape_properties(asset, shapes)
        world.add_env()
        world.add_actor(asset, (0.0, 0.0, 0.1))
    world.prepare().step(50)
    # Each actor keeps what its asset had when it was created.
    assert float(world.root[0, 0, 7]) == pytest.approx((3.0 - 10.0 * 0.05) * 0.5, rel=0.1)
    assert abs(float(world.root[1, 0, 7])) < 0.05


def test_a_filter_cannot_change_any_more_once_tensors_are_laid_out(new_world):
    world = new_world()
    world.add_env()
    world.add_actor(world.asset("box"))
    shapes = world.gym.get_actor_rigid_shape_properties(world.envs[0], 0)
    shapes[0].filter = 3
    world.gym.set_actor_rigid_shape_properties(world.envs[0], 0, shapes)
    world.prepare()
    world.gym.set_actor_rigid_shape_properties(world.envs[0], 0, shapes)
    shapes[0].filter = 4
    with pytest.raises(GymError, match="a shape's filter cannot change"):
        world.gym.set_actor_rigid_shape_properties(world.envs[0], 0, shapes)


def test_properties_of_another_length_are_refused(carts):
    gym, env = carts.gym, carts.envs[0]
    properties = gym.get_actor_dof_properties(env, 0)
    with pytest.raises(GymError, match="given 2 entries, the object has 1"):
        gym.set_actor_dof_properties(env, 0, properties.repeat(2))
    shapes = gym.get_actor_rigid_shape_properties(env, 0)
    with pytest.raises(GymError, match="given 0 entries, the object has 1"):
        gym.set_actor_rigid_shape_properties(env, 0, shapes[1:])


def test_getters_return_copies(carts):
    gym, env = carts.gym, carts.envs[0]
    gym.get_actor_dof_properties(env, 0)["damping"] = 9.0
    gym.get_actor_rigid_shape_properties(env, 0)[0].friction = 9.0
    gym.get_asset_dof_properties(gym.get_actor_asset(env, 0))["damping"] = 9.0
    assert gym.get_actor_dof_properties(env, 0)["damping"][0] == 0.0
    assert gym.get_actor_rigid_shape_properties(env, 0)[0].friction == 1.0
    assert gym.get_asset_dof_properties(gym.get_actor_asset(env, 0))["damping"][0] == 0.0
