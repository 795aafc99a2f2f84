"""PhysX beside MuJoCo, on scenes where they should agree; needs the extra `parity`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sapien", reason="SAPIEN is in the extra `parity`, which is not installed")

from benchmarks.parity_physx.on_mujoco import MujocoWorld
from benchmarks.parity_physx.on_physx import PhysxWorld, turn_x_to
from benchmarks.parity_physx.robots import ARM, CHAIN
from benchmarks.parity_physx.scenes import SCENES, free_bodies, passive, sliding
from benchmarks.parity_physx.world import REST, Robot, Setup

AGREE = {
    passive.damper: 0.01,
    passive.armature: 1e-4,
    passive.pendulum: 0.01,
    free_bodies.free_fall: 1e-4,
    free_bodies.damped: 0.01,
    free_bodies.damped_links: 0.01,
    sliding.rolling_ball: 0.01,
}
"""By scene, how far apart the engines may be: a share of the larger number."""


@pytest.mark.parametrize("scene", AGREE, ids=lambda scene: scene.__name__)
def test_engines_agree(scene):
    for physx, mujoco in zip(scene(PhysxWorld), scene(MujocoWorld)):
        assert physx.what == mujoco.what
        assert mujoco.value == pytest.approx(physx.value, rel=AGREE[scene], abs=1e-3), physx.what


def test_every_scene_says_what_it_is():
    for scene in [scene for scenes in SCENES.values() for scene in scenes]:
        assert scene.__doc__, scene.__name__


def test_a_robot_with_two_axes_moves_alike():
    """Its links, frames, inertias and the order of its joints, under steady efforts."""
    states = []
    for make_world in (PhysxWorld, MujocoWorld):
        world = make_world(
            Setup([Robot(CHAIN), Robot(ARM, fixed=True, pos=(3, 0, 0))], gravity=REST)
        )
        world.set_root_velocity(0, (0.1, 0.2, 0.3), (0.4, -0.3, 0.2))
        world.step(20, [0.3, -0.2, 1.0])
        states.append((world.roots(), world.dofs()))
    for physx, mujoco in zip(*states):
        np.testing.assert_allclose(mujoco, physx, atol=0.02)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (1, -2, 3)])
def test_the_x_axis_turns_to_any_other(axis):
    w, *v = turn_x_to(axis)
    x = np.array([1.0, 0.0, 0.0])
    turned = x + 2.0 * np.cross(v, np.cross(v, x) + w * x)
    np.testing.assert_allclose(turned, np.asarray(axis) / np.linalg.norm(axis), atol=1e-6)
