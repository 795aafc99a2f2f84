"""Attractors against the closed forms of a mass on a damped spring, on both engines."""

from __future__ import annotations

import io
import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
MASS, INERTIA = 2.0, 2.0 * 0.2**2 / 6  # of the box


def attracted(new_world, robot="box", envs=1, targets=None, fixed=False, body=0, **properties):
    """Robots with one attractor each. `offset` and `target` are positions; else they are zero."""
    offset = properties.pop("offset", REST)
    world = new_world(**properties.pop("world", {"gravity": REST}))
    asset = world.asset(robot, fixed)
    for index in range(envs):
        env = world.add_env()
        world.add_actor(asset)
        attractor = gymapi.AttractorProperties()
        attractor.rigid_handle, attractor.axes = body, gymapi.AXIS_TRANSLATION
        attractor.offset.p = gymapi.Vec3(*offset)
        attractor.target.p = gymapi.Vec3(*(targets or [REST] * envs)[index])
        for name, value in properties.items():
            setattr(attractor, name, value)
        assert world.gym.create_rigid_body_attractor(env, attractor) == 0
    return world.prepare()


def target(x, y, z, quat=(0.0, 0.0, 0.0, 1.0)):
    return gymapi.Transform(gymapi.Vec3(x, y, z), gymapi.Quat(*quat))


def test_a_spring_is_the_implicit_one(each_engine, new_world):
    """The step's end satisfies m (v' - v) / h = -K (x + h v' - target) - D v', to the last bit or
    so, whatever the stiffness."""
    for stiffness, damping in ((40.0, 3.0), (2e5, 10.0)):
        world = attracted(
            new_world,
            envs=2,
            targets=[(0.5, 0.0, 0.0), (0.0, -0.2, 0.1)],
            stiffness=stiffness,
            damping=damping,
        )
        step, x, v = world.dt, torch.zeros(2, 3), torch.zeros(2, 3)
        aims = torch.tensor([[0.5, 0.0, 0.0], [0.0, -0.2, 0.1]])
        for _ in range(3):
            v = (MASS * v - step * stiffness * (x - aims)) / (
                MASS + step * damping + step**2 * stiffness
            )
            x = x + step * v
            world.step(1)
            torch.testing.assert_close(world.root[:, 0, 0:3], x, atol=1e-5, rtol=1e-3)


def test_a_weight_hangs_below_its_target(new_world):
    world = attracted(new_world, stiffness=400.0, damping=60.0, world={})
    world.step(400)
    assert float(world.root[0, 0, 2]) == pytest.approx(-MASS * 10.0 / 400.0, rel=1e-3)


def test_a_held_point_turns_the_body(new_world):
    """A pendulum: the box hangs from a point 0.5 m above its centre, and swings with its period."""
    world = attracted(
        new_world,
        stiffness=1e7,
        damping=1e4,
        offset=(0.0, 0.0, 0.5),
        targets=[(0.0, 0.0, 0.5)],
        world={"dt": 0.002},
    )
    start = torch.zeros(1, 1, 13)
    angle = 0.02
    start[..., 4], start[..., 6] = math.sin(angle / 2), math.cos(angle / 2)
    start[..., 0], start[..., 2] = -0.5 * math.sin(angle), 0.5 - 0.5 * math.cos(angle)
    world.set_root(start)
    period = 2 * math.pi * math.sqrt((INERTIA + MASS * 0.5**2) / (MASS * 10.0 * 0.5))
    world.step(round(period / 4 / 0.002))
    assert abs(float(world.root[0, 0, 0])) < 2e-4
    world.step(round(period / 4 / 0.002))
    assert float(world.root[0, 0, 0]) == pytest.approx(0.5 * math.sin(angle), rel=0.05)


def test_targets_move(each_engine, new_world):
    world = attracted(new_world, envs=2, stiffness=1e6, damping=1e3)
    world.step(2)
    world.gym.set_attractor_target(world.envs[1], 0, target(0.3, 0.0, 0.0))
    assert world.gym.get_attractor_properties(world.envs[1], 0).target.p.x == pytest.approx(0.3)
    world.step(50)
    expected = torch.tensor([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]])
    torch.testing.assert_close(world.root[:, 0, 0:3], expected, atol=1e-3, rtol=0)


def test_all_axes_hold_the_orientation_too(new_world):
    world = attracted(new_world, axes=gymapi.AXIS_ALL, stiffness=1e5, damping=1e3)
    half = math.sqrt(0.5)
    world.gym.set_attractor_target(world.envs[0], 0, target(0.1, 0.2, 0.3, (0.0, 0.0, half, half)))
    world.step(200)
    expected = torch.tensor([0.1, 0.2, 0.3, 0.0, 0.0, half, half])
    torch.testing.assert_close(world.root[0, 0, 0:7], expected, atol=1e-3, rtol=0)


def test_without_axes_there_is_no_spring(new_world):
    world = attracted(new_world, axes=gymapi.AXIS_NONE, stiffness=1e5, targets=[(1.0, 0.0, 0.0)])
    world.step(3)
    assert torch.equal(world.root[0, 0, 0:3], torch.zeros(3))


def test_gains_can_change(new_world):
    world = attracted(new_world, stiffness=400.0, damping=60.0, world={})
    properties = world.gym.get_attractor_properties(world.envs[0], 0)
    properties.stiffness = 800.0
    world.gym.set_attractor_properties(world.envs[0], 0, properties)
    world.step(400)
    assert float(world.root[0, 0, 2]) == pytest.approx(-MASS * 10.0 / 800.0, rel=1e-3)
    properties.rigid_handle = 1
    with pytest.raises(GymError, match="are fixed"):
        world.gym.set_attractor_properties(world.envs[0], 0, properties)


def test_a_snapshot_holds_targets_and_gains(new_world):
    def build():
        return attracted(new_world, envs=2, stiffness=50.0, damping=5.0)

    world = build()
    world.gym.set_attractor_target(world.envs[1], 0, target(0.3, 0.0, 0.0))
    world.step(3)
    file = io.BytesIO()
    torch.save(world.sim.snapshot(), file)
    file.seek(0)
    other = build()
    other.sim.restore(torch.load(file, weights_only=True))
    for one in (world, other):
        one.gym.set_attractor_target(one.envs[0], 0, target(0.0, 0.1, 0.0))
        one.step(5)
    assert torch.equal(other.root, world.root)
    assert float(other.root[1, 0, 0]) > 0.0


def test_what_cannot_be_attracted(new_world):
    with pytest.raises(GymError, match="AXIS_TRANSLATION"):
        attracted(new_world, axes=gymapi.AXIS_X)
    with pytest.raises(GymError, match="has no body 3, it has 1"):
        attracted(new_world, body=3)
