"""Objects of other sizes than their asset, on both engines."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym.errors import GymError
from tests.isaacgym.conftest import ARM_INERTIA

SCALES = (1.0, 0.5, 1.5)


def scaled_boxes(new_world, robot="box", **world):
    made = new_world(**world)
    asset = made.asset(robot)
    for scale in SCALES:
        env = made.add_env()
        handle = made.add_actor(asset, (0.0, 0.0, 0.1 * scale + 0.01))
        assert made.gym.set_actor_scale(env, handle, scale)
        assert made.gym.get_actor_scale(env, handle) == scale
    return made


def test_scaled_boxes_rest_on_their_own_faces_and_weigh_their_own(each_engine, new_world):
    world = scaled_boxes(new_world, ground=1.0).prepare(contacts=True)
    world.step(150)
    heights = torch.tensor([0.1 * scale for scale in SCALES])
    torch.testing.assert_close(world.root[:, 0, 2], heights, atol=1e-3, rtol=0)
    weights = torch.tensor([20.0 * scale**3 for scale in SCALES])
    torch.testing.assert_close(world.contact[:, 0, 2], weights, atol=1e-2, rtol=1e-3)


def test_the_inertia_follows_with_the_fifth_power(new_world):
    world = scaled_boxes(new_world)
    for env, scale in zip(world.envs, SCALES, strict=True):
        (body,) = world.gym.get_actor_rigid_body_properties(env, 0)
        assert body.mass == pytest.approx(2.0 * scale**3)
        assert body.inertia.z.z == pytest.approx(2.0 * 0.2**2 / 6 * scale**5)


def test_a_scale_is_of_the_asset_not_of_the_last_scale(new_world):
    world = scaled_boxes(new_world)
    world.gym.set_actor_scale(world.envs[1], 0, 2.0)
    (body,) = world.gym.get_actor_rigid_body_properties(world.envs[1], 0)
    assert body.mass == pytest.approx(2.0 * 8.0)
    world.gym.set_actor_scale(world.envs[1], 0, torch.tensor([3.0]))
    assert world.gym.get_actor_scale(world.envs[1], 0) == 3.0


def test_a_moved_shape_moves_with_the_scale(new_world):
    """The brick's centre, 0.2 m above its origin and 0.3 m from its foot, rests accordingly."""
    world = scaled_boxes(new_world, "brick", ground=1.0)
    (body,) = world.gym.get_actor_rigid_body_properties(world.envs[2], 0)
    assert body.com.z == pytest.approx(0.2 * 1.5)
    world.prepare().step(200)
    heights = torch.tensor([(0.3 - 0.2) * scale for scale in SCALES])
    torch.testing.assert_close(world.root[:, 0, 2], heights, atol=2e-3, rtol=0)


def test_an_enlarged_box_still_meets_a_body_of_several_shapes(each_engine, new_world):
    """Two feet stand where the box's asset would not reach."""
    bench = """
<mujoco><worldbody><body name="bench">
  <geom type="box" size="0.05 0.05 0.5" pos="0.3 0 0"/>
  <geom type="box" size="0.05 0.05 0.5" pos="-0.3 0 0"/>
</body></worldbody></mujoco>"""
    world = new_world()
    world.add_env()
    handle = world.add_actor(world.asset("box"), (0.0, 0.0, 0.5 + 0.4))
    world.gym.set_actor_scale(world.envs[0], handle, 4.0)
    world.add_actor(world.asset(bench, fixed=True))
    world.prepare(contacts=True).step(100)
    assert float(world.root[0, 0, 2]) == pytest.approx(0.9, abs=5e-3)
    assert float(world.contact[0, 0, 2]) == pytest.approx(20.0 * 4.0**3, rel=1e-2)


def test_what_cannot_be_scaled(new_world):
    world = scaled_boxes(new_world)
    with pytest.raises(GymError, match="a scale is positive"):
        world.gym.set_actor_scale(world.envs[0], 0, 0.0)
    world.prepare()
    with pytest.raises(GymError, match="set_actor_scale comes too late"):
        world.gym.set_actor_scale(world.envs[0], 0, 2.0)


def test_a_larger_arm_swings_more_slowly(each_engine, new_world):
    """A pendulum's period goes with the root of its size: after half a period of 2 pi
    sqrt(inertia / (m g l)) it stands on the other side."""
    world = new_world(dt=0.002, gravity=(10.0, 0.0, 0.0))
    asset = world.asset("arm", fixed=True)
    scales = (1.0, 2.25)
    for scale in scales:
        env = world.add_env()
        world.gym.set_actor_scale(env, world.add_actor(asset), scale)
    world.prepare(bodies=True)
    start = torch.zeros_like(world.dof)
    start[..., 0] = 0.05
    world.set_dof(start)
    period = 2 * math.pi * math.sqrt(ARM_INERTIA / (2.0 * 10.0 * 0.5))
    for scale in scales:
        half = round(period * math.sqrt(scale) / 2 / world.dt)
        world.set_dof(start)
        world.step(half)
        index = scales.index(scale)
        assert float(world.dof[index, 0, 0]) == pytest.approx(-0.05, abs=2e-4)
        # The link's centre of mass moves in a circle of 0.5 m times the scale.
        angle, speed = world.dof[index, 0].tolist()
        assert world.body[index, 1, 8] == pytest.approx(
            0.5 * scale * speed * math.cos(angle), abs=1e-5
        )


CUBE = """
<mujoco><asset><mesh name="cube" vertex="-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1
                                         -1 -1 1  1 -1 1  -1 1 1  1 1 1" scale="0.1 0.1 0.1"/>
</asset>
<worldbody><body name="box"><geom type="mesh" mesh="cube" mass="2"/></body></worldbody></mujoco>"""


def test_a_mesh_rests_on_its_scaled_faces(each_engine, new_world):
    world = scaled_boxes(new_world, CUBE, ground=1.0).prepare(contacts=True)
    world.step(150)
    heights = torch.tensor([0.1 * scale for scale in SCALES])
    torch.testing.assert_close(world.root[:, 0, 2], heights, atol=1e-3, rtol=0)
    weights = torch.tensor([20.0 * scale**3 for scale in SCALES])
    torch.testing.assert_close(world.contact[:, 0, 2], weights, atol=1e-2, rtol=1e-3)


def test_several_bodies_take_sizes_of_whole_per_cents(new_world):
    world = new_world()
    asset = world.asset("walker")
    for scale in (1.004, 0.996, 1.006):
        env = world.add_env()
        handle = world.add_actor(asset)
        world.gym.set_actor_scale(env, handle, scale)
        assert world.gym.get_actor_scale(env, handle) == scale
    world.prepare(bodies=True).step(1)
    apart = world.body[:, 1, 1] - world.body[:, 0, 1]
    assert apart.tolist() == pytest.approx([0.3, 0.3, 0.303], abs=1e-4)
    masses = [world.gym.get_actor_rigid_body_properties(env, 0)[0].mass for env in world.envs]
    assert masses == pytest.approx([5.0 * scale**3 for scale in (1.004, 0.996, 1.006)])
