"""Contacts of links whose centre of mass lies on their axes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.contact_weights import mend_weights

FLAP = """
<mujoco><worldbody><body name="base"><body name="flap">
  <joint name="hinge" axis="0 1 0"/>
  <inertial pos="0 0 0" mass="0.1" diaginertia="1e-5 1e-5 1e-5"/>
  <geom type="box" size="0.05 0.02 0.005" pos="0.04 0 0"/>
</body></body></worldbody></mujoco>"""


def test_a_link_on_its_axis_weighs_in_contacts_what_it_shows_beside_it():
    model = mujoco.MjModel.from_xml_string(FLAP)
    mend_weights(model)
    size = np.sqrt(0.05**2 + 0.02**2 + 0.005**2)
    _, turning = model.body_invweight0[2]
    assert model.body_invweight0[2, 0] == pytest.approx(0.01 * turning * size**2)
    assert model.body_invweight0[1, 0] == 0.0  # the base, which stands fast


def test_all_others_keep_what_mujoco_found():
    rod = '<geom type="capsule" fromto="-0.3 0 0 0.3 0 0" size="0.01" mass="0.2"/>'
    ball = '<geom type="sphere" size="0.1" pos="0.3 0 0" mass="2"/>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body><freejoint/>{rod}</body>"
        f'<body pos="0 0 1"><joint axis="0 0 1"/>{ball}</body></worldbody></mujoco>'
    )
    before = model.body_invweight0.copy()
    mend_weights(model)
    np.testing.assert_array_equal(model.body_invweight0, before)


@pytest.mark.parametrize("own_armature", [False, True])
def test_flaps_that_touch_along_their_axes_stay_at_peace(each_engine, new_world, own_armature):
    """Two side by side, a tenth of a millimetre in each other: as fingers of a hand.

    Also in worlds with constants of their own, and after a snapshot of them.
    """
    world = new_world(dt=0.005)
    flap = world.asset(FLAP, fixed=True)
    turn = gymapi.Quat.from_axis_angle(gymapi.Vec3(0.3, 0.0, 1.0), 0.02)
    for index in range(2):
        world.add_env()
        for position, rot in ((0.0, None), (0.0399, turn)):
            handle = world.add_actor(flap, pos=(0.0, position, 1.0), rot=rot)
            spring = {"stiffness": 5.0, "damping": 0.02}
            if own_armature:
                spring["armature"] = 1e-4 * (1 + index)
            world.set_dof_properties(index, handle, **spring)
    world.prepare(contacts=True)
    world.set_dof(torch.tensor([[0.0, 0.0], [0.0, -2.0]]).expand(2, 2, 2))
    world.step(2)
    world.sim.restore(world.sim.snapshot())
    fastest, hardest = 0.0, 0.0
    for _ in range(60):
        world.step(1)
        fastest = max(fastest, float(world.dof[..., 1].abs().max()))
        hardest = max(hardest, float(world.contact.norm(dim=-1).max()))
    assert 1.0 < hardest < 1000.0
    assert fastest < 3.0
    turning = 1.0 / (1e-5 + 2e-4) / 3.0  # in env 1, of three axes one
    weight = 0.01 * turning * (0.05**2 + 0.02**2 + 0.005**2)
    if own_armature:
        weights = world.sim.batch.parameter("body_invweight0")[1, :, 0].tolist()
        assert sorted(weights)[-2:] == pytest.approx([weight, weight], rel=1e-4)


def test_a_body_that_only_slides_keeps_its_mass(each_engine, new_world):
    """Also in worlds with constants of their own: 2 kg that move along one of three axes, for which
    MuJoCo's engines take from a third of the inverse mass to all of it."""
    world = new_world()
    cart = world.asset("cart", fixed=True)
    for index in range(2):
        world.add_env()
        handle = world.add_actor(cart)
        world.set_dof_properties(index, handle, armature=0.5 * index)
    world.prepare()
    weights = world.sim.batch.parameter("body_invweight0")[:, 2, 0]
    assert float(weights.min()) > 0.99 / 2.5 / 3
    assert float(weights.max()) < 1.01 / 2
