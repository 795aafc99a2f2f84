"""Choices that a program's environment makes for it."""

from __future__ import annotations

import math

import pytest
import torch

from rofunc_isaac.isaacgym.conventions import CHOICES, VARIABLE, Conventions, conventions
from rofunc_isaac.isaacgym.errors import GymError

TREE = """
<robot name="tree"><link name="base"/>
<link name="left"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="b" type="revolute"><parent link="base"/><child link="left"/>
  <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
<joint name="a" type="revolute"><parent link="base"/><child link="right"/>
  <limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>"""


def test_the_first_choice_is_the_default(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert conventions() == Conventions(**{name: first for name, (first, *_) in CHOICES.items()})


def test_several_may_be_chosen(monkeypatch):
    monkeypatch.setenv(VARIABLE, " friction_cone=elliptic  passive_joints=none ")
    assert conventions() == Conventions(passive_joints="none", friction_cone="elliptic")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("friction_cones=elliptic", "did you mean friction_cone"),
        ("friction_cone=round", "pyramidal, elliptic"),
        ("friction_cone", "pyramidal, elliptic"),
    ],
)
def test_what_cannot_be_chosen_is_told(monkeypatch, words, told):
    monkeypatch.setenv(VARIABLE, words)
    with pytest.raises(GymError, match=told):
        conventions()


@pytest.mark.parametrize(("order", "names"), [("joint_name", "ab"), ("declaration", "ba")])
def test_siblings_of_a_urdf(monkeypatch, new_world, order, names):
    monkeypatch.setenv(VARIABLE, f"urdf_sibling_order={order}")
    world = new_world()
    asset = world.asset(TREE, fixed=True)
    assert world.gym.get_asset_dof_names(asset) == list(names)


def test_passive_joints(monkeypatch, one_robot):
    monkeypatch.setenv(VARIABLE, "passive_joints=none")
    dof = {"stiffness": 40.0, "damping": 5.0}
    world = one_robot("cart", fixed=True, gravity=(0.0, 0.0, 0.0), dof=dof)
    world.set_dof(torch.tensor([[[0.5, 2.0]]]))
    world.step(10)
    assert world.dof[0, 0].tolist() == pytest.approx([0.5 + 20.0 * world.dt, 2.0], rel=1e-6)


@pytest.mark.parametrize(
    ("cone", "axis_share", "diagonal_share"),
    [("pyramidal", 1.0, 1.0 / math.sqrt(2.0)), ("elliptic", 1.0, 1.0)],
)
def test_friction_by_direction(
    each_engine, monkeypatch, new_world, cone, axis_share, diagonal_share
):
    """On a slope of 30 degrees, tan = 0.577: friction 0.6 holds, 0.42 does not."""
    monkeypatch.setenv(VARIABLE, f"friction_cone={cone}")
    for degrees, share in ((0, axis_share), (45, diagonal_share)):
        slope, turn = math.radians(30.0), math.radians(degrees)
        down = 10.0 * math.sin(slope)
        gravity = (down * math.cos(turn), down * math.sin(turn), -10.0 * math.cos(slope))
        world = new_world(ground=0.6, gravity=gravity, dt=0.004)
        asset = world.asset("box")
        shapes = world.gym.get_asset_rigid_shape_properties(asset)
        shapes[0].friction = 0.6
        world.gym.set_asset_rigid_shape_properties(asset, shapes)
        world.add_env()
        world.add_actor(asset, pos=(0.0, 0.0, 0.1))
        world.prepare()
        world.step(125)
        pull = 10.0 * (math.sin(slope) - share * 0.6 * math.cos(slope))
        way = float(world.root[0, 0, :2].norm())
        assert way == pytest.approx(0.5 * max(pull, 0.0) * 0.5**2, abs=0.015), degrees
