"""MJCF robots against hand-written tables and closed forms."""

from __future__ import annotations

from math import pi, radians

import mujoco
import numpy as np
import pytest

from rofunc_isaac.isaacgym._constants import (
    DOF_MODE_EFFORT,
    DOF_MODE_NONE,
    DOF_MODE_POS,
    DOF_MODE_VEL,
    DOF_ROTATION,
    DOF_TRANSLATION,
    JOINT_FIXED,
    JOINT_PRISMATIC,
    JOINT_REVOLUTE,
    TENDON_FIXED,
)
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED, AssetError, AssetWarning

# Four legs as in the well-known ant: a scene around it; the actuators' order is not the DOFs'.
QUADRUPED = """
<mujoco model="quadruped">
  <compiler angle="degree" inertiafromgeom="true" coordinate="local"/>
  <option timestep="0.01"/>
  <size nconmax="50" njmax="200" nstack="10000"/>
  <custom><numeric name="init_qpos" data="0 0 1"/></custom>
  <visual><map zfar="30"/></visual>
  <default>
    <joint armature="0.01" damping="0.1" limited="true"/>
    <geom density="5" friction="1.5 0.1 0.05"/>
  </default>
  <asset>
    <texture name="sky" type="skybox" builtin="flat" width="8" height="8"/>
    <texture name="checks" type="2d" file="nowhere.png"/>
    <material name="body" texture="checks" rgba="0.8 0.6 0.4 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" material="grid"/>
    <light pos="0 0 5"/>
    <body name="torso" pos="0 0 0.75" euler="0 0 30">
      <camera name="eye"/>
      <freejoint name="root"/>
      <geom name="torso" size="0.25" material="body"/>
      <body name="leg_b" pos="0.2 0.2 0">
        <joint name="hip_1" axis="0 0 1" range="-40 40"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.05" material="undefined"/>
        <body name="foot_b" pos="0.3 0 0">
          <joint name="ankle_1" axis="0 1 0" range="30 100"/>
          <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/>
        </body>
      </body>
      <body name="leg_a" pos="-0.2 0.2 0">
        <joint name="hip_2" axis="0 0 1" range="-40 40"/>
        <geom type="capsule" fromto="0 0 0 -0.3 0 0" size="0.05"/>
      </body>
    </body>
  </worldbody>
  <contact>
    <exclude body1="leg_a" body2="leg_b"/>
    <pair geom1="floor" geom2="torso"/>
  </contact>
  <sensor><gyro site="nowhere"/></sensor>
  <actuator>
    <motor name="m2" joint="hip_2" gear="15" ctrlrange="-1 1" ctrllimited="true"/>
    <motor joint="hip_1" gear="20"/>
    <motor joint="ankle_1" gear="25"/>
  </actuator>
  <keyframe><key qpos="0 0 1 1 0 0 0 0 0 0"/></keyframe>
</mujoco>"""


def test_only_the_robot_is_left_in_document_order(load):
    asset = load(QUADRUPED)

    assert asset.name == "quadruped"
    assert asset.body_names == ["torso", "leg_b", "foot_b", "leg_a"]
    assert asset.body_parent.tolist() == [-1, 0, 1, 0]
    assert asset.dof_names == ["hip_1", "ankle_1", "hip_2"]
    assert asset.joint_names == asset.dof_names
    assert asset.dof_types == [DOF_ROTATION] * 3
    assert asset.shape_names == ["torso", "leg_b_geom", "foot_b_geom", "leg_a_geom"]
    assert asset.shape_body.tolist() == [0, 1, 2, 3]
    model = asset.spec.compile()
    assert (model.nbody, model.ngeom, model.njnt) == (5, 4, 3)
    assert (model.nu, model.nsensor, model.nkey, model.nlight, model.ncam, model.npair) == (0,) * 6
    assert model.body_pos[1].tolist() == [0, 0, 0]
    assert model.body_quat[1].tolist() == [1, 0, 0, 0]


def test_dof_table_is_in_radians_and_si(load):
    table = load(QUADRUPED).dof_properties

    assert table["hasLimits"].all()
    np.testing.assert_allclose(table["lower"], np.radians([-40, 30, -40]), rtol=1e-6)
    np.testing.assert_allclose(table["upper"], np.radians([40, 100, 40]), rtol=1e-6)
    np.testing.assert_allclose(table["damping"], 0.1, rtol=1e-6)
    np.testing.assert_allclose(table["armature"], 0.01, rtol=1e-6)
    assert table["stiffness"].tolist() == [0, 0, 0]
    assert table["driveMode"].tolist() == [DOF_MODE_EFFORT] * 3
    assert table["effort"].tolist() == [np.float32(UNLIMITED)] * 3
    assert table["velocity"].tolist() == [np.float32(UNLIMITED)] * 3


def test_actuators_keep_the_order_of_the_file(load):
    actuators = load(QUADRUPED).actuators

    assert [a.joint for a in actuators] == ["hip_2", "hip_1", "ankle_1"]
    assert [a.name for a in actuators] == ["m2", "hip_1", "ankle_1"]
    assert [a.properties.motor_effort for a in actuators] == [15, 20, 25]
    first = actuators[0].properties
    assert (first.type, first.control_limited, first.force_limited) == ("motor", True, False)
    assert (first.lower_control_limit, first.upper_control_limit) == (-1, 1)
    assert not actuators[1].properties.control_limited


def test_masses_and_inertias_in_closed_form(load):
    model = load(QUADRUPED).spec.compile()

    sphere = 5 * 4 / 3 * pi * 0.25**3
    assert model.body_mass[1] == pytest.approx(sphere)
    np.testing.assert_allclose(model.body_inertia[1], 2 / 5 * sphere * 0.25**2)
    radius, length = 0.05, 0.3
    cylinder = 5 * pi * radius**2 * length
    caps = 5 * 4 / 3 * pi * radius**3
    assert model.body_mass[2] == pytest.approx(cylinder + caps)
    along = cylinder * radius**2 / 2 + caps * 2 / 5 * radius**2
    # A half sphere's centre of mass lies 3/8 of the radius from its flat side.
    across = cylinder * (radius**2 / 4 + length**2 / 12) + caps * (
        2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * length * radius
    )
    np.testing.assert_allclose(sorted(model.body_inertia[2]), [along, across, across])
    np.testing.assert_allclose(model.body_ipos[2], [0.15, 0, 0], atol=1e-12)


def test_friction_fills_the_shape_records(load):
    for shape in load(QUADRUPED, thickness=0.01).shape_properties:
        assert shape.friction == pytest.approx(1.5)
        assert shape.torsion_friction == pytest.approx(0.1)
        assert shape.rolling_friction == pytest.approx(0.05)
        assert shape.thickness == pytest.approx(0.01)


@pytest.mark.parametrize("fixed", [False, True])
def test_only_fix_base_link_decides_whether_the_root_moves(load, fixed):
    assert load(QUADRUPED, fix_base_link=fixed).floating is not fixed


CHAIN = """
<mujoco model="chain">
  <compiler angle="radian"/>
  <default>
    <default class="arm"><joint stiffness="5" damping="2" frictionloss="0.3"/></default>
  </default>
  <worldbody>
    <body name="base" childclass="arm">
      <geom name="box" type="box" size="0.1 0.2 0.3"/>
      <body name="head" pos="0 0 1"><geom size="0.1" mass="2"/></body>
      <body name="thigh" pos="0 0 -1">
        <joint name="x" axis="1 0 0" range="-1 0.5"/>
        <joint name="z" axis="0 0 1"/>
        <joint name="slide" type="slide" axis="0 1 0" range="-0.2 0.3"/>
        <geom type="cylinder" size="0.1 0.4" density="200"/>
        <geom name="shell" size="0.1" contype="0" conaffinity="0" mass="0"/>
        <body name="shin" pos="0 0 -1">
          <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
          <joint name="knee" axis="0 1 0" damping="0"/>
          <geom size="0.1" pos="0.5 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="pull" limited="true" range="-0.5 1" stiffness="7" damping="3">
      <joint joint="x" coef="1"/><joint joint="knee" coef="-0.5"/>
    </fixed>
    <fixed><joint joint="z" coef="1"/></fixed>
  </tendon>
  <equality><joint joint1="x" joint2="z"/></equality>
  <actuator>
    <position joint="knee" kp="40" kv="4" forcerange="-9 9"/>
    <velocity joint="slide" kv="6"/>
    <general joint="x" gainprm="30" biastype="affine" biasprm="0 -30 -3"/>
    <motor tendon="pull" gear="2"/>
  </actuator>
</mujoco>"""


def test_several_joints_in_a_body_and_bodies_without_any(load):
    asset = load(CHAIN)

    assert asset.body_names == ["base", "head", "thigh", "shin"]
    assert asset.dof_names == ["x", "z", "slide", "knee"]
    assert asset.dof_types == [DOF_ROTATION, DOF_ROTATION, DOF_TRANSLATION, DOF_ROTATION]
    assert asset.joint_names == ["head", "x", "z", "slide", "knee"]
    assert asset.joint_types == [
        JOINT_FIXED,
        JOINT_REVOLUTE,
        JOINT_REVOLUTE,
        JOINT_PRISMATIC,
        JOINT_REVOLUTE,
    ]


def test_limits_follow_autolimits(load):
    table = load(CHAIN).dof_properties

    assert table["hasLimits"].tolist() == [True, False, True, False]
    np.testing.assert_allclose(table["lower"][[0, 2]], [-1, -0.2])
    np.testing.assert_allclose(table["upper"][[0, 2]], [0.5, 0.3])
    assert table["lower"][1] == np.float32(-UNLIMITED)
    assert table["upper"][1] == np.float32(UNLIMITED)


def test_actuators_decide_the_drives(load):
    asset = load(CHAIN, default_dof_drive_mode=DOF_MODE_NONE)
    table = asset.dof_properties

    assert table["driveMode"].tolist() == [DOF_MODE_POS, DOF_MODE_NONE, DOF_MODE_VEL, DOF_MODE_POS]
    np.testing.assert_allclose(table["stiffness"], [30, 5, 5, 40])
    np.testing.assert_allclose(table["damping"], [2 + 3, 2, 2 + 6, 4])
    np.testing.assert_allclose(table["friction"], 0.3)
    assert table["effort"][3] == 9
    assert table["effort"][0] == np.float32(UNLIMITED)
    assert [a.properties.type for a in asset.actuators] == [
        "position",
        "velocity",
        "position",
        "motor",
    ]
    assert asset.actuators[0].properties.kp == 40
    assert asset.actuators[0].properties.motor_effort == 9
    assert asset.actuators[3].joint == ""


def test_default_drive_mode_serves_dofs_without_actuator(load):
    table = load(CHAIN, default_dof_drive_mode=DOF_MODE_VEL).dof_properties
    assert table["driveMode"][1] == DOF_MODE_VEL


def test_stated_masses_win_over_the_density_option(load):
    model = load(CHAIN, density=500.0).spec.compile()

    box = 500 * 0.2 * 0.4 * 0.6
    cylinder = 200 * pi * 0.1**2 * 0.8
    np.testing.assert_allclose(model.body_mass[1:], [box, 2, cylinder, 3])
    np.testing.assert_allclose(
        sorted(model.body_inertia[1]),
        sorted(box / 12 * np.array([0.4**2 + 0.6**2, 0.2**2 + 0.6**2, 0.2**2 + 0.4**2])),
    )
    across = cylinder * (0.1**2 / 4 + 0.8**2 / 12)
    np.testing.assert_allclose(
        sorted(model.body_inertia[3]), sorted([cylinder * 0.1**2 / 2, across, across])
    )


def test_overrides_take_com_and_inertia_from_geoms_scaled_to_the_mass(load):
    shin = 4
    stated = load(CHAIN).spec.compile()
    com_only = load(CHAIN, override_com=True).spec.compile()
    both = load(CHAIN, override_com=True, override_inertia=True).spec.compile()

    for model in (stated, com_only, both):
        assert model.body_mass[shin] == pytest.approx(3)
    np.testing.assert_allclose(stated.body_ipos[shin], 0)
    np.testing.assert_allclose(com_only.body_ipos[shin], [0.5, 0, 0])
    np.testing.assert_allclose(com_only.body_inertia[shin], 1)
    np.testing.assert_allclose(both.body_inertia[shin], 2 / 5 * 3 * 0.1**2)


def test_visual_geoms_are_no_shapes(load):
    asset = load(CHAIN)
    assert "shell" not in asset.shape_names
    assert asset.spec.geom("shell") is not None


def test_tendons_and_equalities_stay(load):
    asset = load(CHAIN, tendon_limit_stiffness=30.0)

    assert [t.name for t in asset.tendons] == ["pull", "tendon"]
    pull = asset.tendons[0]
    assert (pull.joints, pull.coefs) == (["x", "knee"], [1, -0.5])
    properties = pull.properties
    assert (properties.type, properties.num_joints) == (TENDON_FIXED, 2)
    assert properties.is_fixed_limited
    assert (properties.fixed_lower_limit, properties.fixed_upper_limit) == (-0.5, 1)
    assert (properties.stiffness, properties.damping) == (7, 3)
    assert properties.limit_stiffness == 30
    assert not asset.tendons[1].properties.is_fixed_limited
    assert asset.spec.compile().neq == 1


def test_armature_goes_to_dofs_or_to_inertias(load):
    joint = load(CHAIN, armature=0.5)
    np.testing.assert_allclose(joint.dof_properties["armature"], 0.5)
    np.testing.assert_allclose(joint.spec.compile().body_inertia[4], 1)

    link = load(CHAIN, armature=0.5, use_physx_armature=False)
    np.testing.assert_allclose(link.dof_properties["armature"], 0)
    np.testing.assert_allclose(link.spec.compile().body_inertia[4], 1.5)


def test_link_armature_is_not_lost_to_inertia_from_geoms(load):
    plain = load(QUADRUPED).spec.compile()
    model = load(QUADRUPED, armature=0.5, use_physx_armature=False).spec.compile()
    np.testing.assert_allclose(model.body_inertia[1:], plain.body_inertia[1:] + 0.5)


@pytest.mark.parametrize(
    "inertia",
    ['euler="0 0 90" diaginertia="1 2 2.5"', 'fullinertia="2 1 2.5 0 0 0"'],
)
def test_turned_and_full_inertias_keep_their_meaning(load, inertia):
    model = load(
        f'<mujoco><worldbody><body name="a"><inertial pos="0.1 0 0" mass="3" {inertia}/></body>'
        "</worldbody></mujoco>"
    ).spec.compile()
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[1])
    axes = axes.reshape(3, 3)
    in_body = axes @ np.diag(model.body_inertia[1]) @ axes.T
    np.testing.assert_allclose(in_body, np.diag([2, 1, 2.5]), atol=1e-12)
    np.testing.assert_allclose(model.body_ipos[1], [0.1, 0, 0])


def test_the_base_does_not_collide_with_its_children(load):
    spec = load(QUADRUPED, fix_base_link=True).spec
    pairs = {frozenset((e.bodyname1, e.bodyname2)) for e in spec.excludes}
    assert pairs == {
        frozenset(("torso", "leg_b")),
        frozenset(("torso", "leg_a")),
        frozenset(("leg_a", "leg_b")),
    }


def test_stated_armature_wins(load):
    np.testing.assert_allclose(load(QUADRUPED, armature=0.5).dof_properties["armature"], 0.01)


def test_gravity_can_be_disabled(load):
    np.testing.assert_array_equal(
        load(CHAIN, disable_gravity=True).spec.compile().body_gravcomp[1:], 1
    )
    np.testing.assert_array_equal(load(CHAIN).spec.compile().body_gravcomp, 0)


def test_cylinders_can_become_capsules(load):
    def kinds(asset):
        return [int(t) for t in asset.spec.compile().geom_type]

    capsule, cylinder = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_CYLINDER)
    assert cylinder in kinds(load(CHAIN))
    replaced = kinds(load(CHAIN, replace_cylinder_with_capsule=True))
    assert cylinder not in replaced
    assert capsule in replaced


def test_includes_are_resolved_from_the_main_folder_and_from_their_own(load, tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "limb.xml").write_text(
        '<mujoco><body name="limb"><joint name="j" range="0 90"/><geom size="0.1"/>'
        '<include file="tip.xml"/></body></mujoco>'
    )
    (parts / "tip.xml").write_text('<mujoco><body name="tip"><geom size="0.1"/></body></mujoco>')
    (tmp_path / "settings.xml").write_text('<mujoco><compiler angle="degree"/></mujoco>')
    asset = load(
        '<mujoco model="m"><include file="settings.xml"/><worldbody><body name="root">'
        '<geom size="0.1"/><include file="parts/limb.xml"/><body name="last">'
        '<geom size="0.1"/></body></body></worldbody></mujoco>'
    )
    assert asset.body_names == ["root", "limb", "tip", "last"]
    assert asset.dof_properties["upper"][0] == pytest.approx(radians(90))


def test_repeated_names_are_numbered(load):
    with pytest.warns(AssetWarning, match="second joint is called 'spin'"):
        asset = load(
            '<mujoco><worldbody><body name="a"><geom size="0.1"/>'
            '<body name="b"><joint name="spin"/><geom size="0.1"/></body>'
            '<body name="c"><joint name="spin"/><geom size="0.1"/></body>'
            "</body></worldbody></mujoco>"
        )
    assert asset.dof_names == ["spin", "spin_1"]


def test_joints_of_the_root_are_ignored_with_their_actuators(load):
    with pytest.warns(AssetWarning, match="joint 'roll' of the root body 'hull' is ignored"):
        asset = load(
            '<mujoco><worldbody><body name="hull"><joint name="roll" limited="true" range="0 0"/>'
            '<geom size="0.1"/><body name="rotor"><joint name="spin"/><geom size="0.1"/></body>'
            '</body></worldbody><actuator><motor joint="roll"/><motor joint="spin" gear="3"/>'
            "</actuator></mujoco>"
        )
    assert asset.dof_names == ["spin"]
    assert [a.joint for a in asset.actuators] == ["spin"]


def test_empty_and_inverted_ranges_are_mended(load):
    asset = load(
        '<mujoco><compiler angle="radian"/><worldbody><body name="a"><geom size="0.1"/><body>'
        '<joint name="locked" limited="true" range="0.2 0.2"/>'
        '<joint name="inverted" axis="0 1 0" range="1 -1"/><geom size="0.1"/></body>'
        "</body></worldbody></mujoco>"
    )
    table = asset.dof_properties
    assert table["hasLimits"].all()
    np.testing.assert_allclose(table["lower"], [0.2, -1], atol=1e-4)
    np.testing.assert_allclose(table["upper"], [0.2, 1], atol=1e-4)


def test_massless_moving_body_gets_a_mass(load):
    with pytest.warns(AssetWarning, match="body 'b' moves but has no mass"):
        asset = load(
            '<mujoco><worldbody><body name="a"><geom size="0.1"/><body name="b"><joint/>'
            '<geom size="0.1" mass="0"/></body></body></worldbody></mujoco>'
        )
    assert asset.spec.compile().body_mass[2] == pytest.approx(1e-3)


def test_meshes_are_found_by_meshdir_and_unreadable_visuals_left_out(load, tmp_path):
    (tmp_path / "stl").mkdir()
    (tmp_path / "stl" / "tetra.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    text = (
        '<mujoco><compiler meshdir="stl"/><asset><mesh file="tetra.obj"/>'
        '<mesh name="look" file="look.glb"/></asset><worldbody><body name="a">'
        '<geom name="hull" type="mesh" mesh="tetra" density="6"/>'
        '<geom name="skin" type="mesh" mesh="look" {}/></body></worldbody></mujoco>'
    )
    with pytest.warns(AssetWarning, match="visual geom 'skin' is left out"):
        asset = load(text.format('contype="0" conaffinity="0"'))
    assert asset.shape_names == ["hull"]
    assert asset.spec.compile().body_mass[1] == pytest.approx(1.0)
    with pytest.raises(AssetError, match=r"mesh 'look' of geom 'skin'.*look\.glb"):
        load(text.format(""))


def test_bodies_of_a_frame_count_as_root(load):
    asset = load(
        '<mujoco><worldbody><frame pos="1 2 3"><body name="a"><geom size="0.1"/></body></frame>'
        "</worldbody></mujoco>"
    )
    assert asset.body_names == ["a"]
    assert asset.spec.compile().body_pos[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><worldbody>", "not well-formed XML"),
        ("<model/>", "begins with <mujoco>"),
        ("<mujoco><worldbody/></mujoco>", "exactly one root body, found 0: none"),
        (
            '<mujoco><worldbody><body name="a"/><body name="b"/></worldbody></mujoco>',
            "found 2: a, b",
        ),
        (
            '<mujoco><worldbody><body><geom size="1"/><body><joint name="b" type="ball"/>'
            '<geom size="1"/></body></body></worldbody></mujoco>',
            "joint 'b' is a ball joint",
        ),
        ('<mujoco><include file="gone.xml"/></mujoco>', "gone.xml"),
        ('<mujoco><include file="robot.xml"/></mujoco>', "includes itself"),
        ('<mujoco><compiler coordinate="global"/></mujoco>', "local coordinates"),
        (
            '<mujoco><worldbody><body><geom size="1" sise="2"/></body></worldbody></mujoco>',
            "sise",
        ),
        (
            '<mujoco><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
            "mesh",
        ),
    ],
)
def test_errors_name_file_and_element(load, text, message):
    with pytest.raises(AssetError, match=message) as error:
        load(text)
    assert "robot.xml" in str(error.value)
