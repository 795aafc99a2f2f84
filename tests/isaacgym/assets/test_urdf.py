"""URDF robots against hand-written tables and closed forms."""

from __future__ import annotations

from math import pi

import mujoco
import numpy as np
import pytest

from rofunc_isaac.isaacgym._constants import (
    DOF_MODE_POS,
    DOF_ROTATION,
    DOF_TRANSLATION,
    JOINT_FIXED,
    JOINT_PRISMATIC,
    JOINT_REVOLUTE,
)
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED, AssetError, AssetWarning

CARTPOLE = """
<robot name="cartpole">
  <link name="rail">
    <visual><geometry><box size="0.1 8 0.1"/></geometry>
      <material name="blue"><color rgba="0 0 1 1"/></material></visual>
    <collision><geometry><box size="0.1 8 0.1"/></geometry></collision>
  </link>
  <link name="cart">
    <collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision>
    <inertial><mass value="2"/></inertial>
  </link>
  <link name="pole">
    <visual><geometry><box size="0.1 0.1 1"/></geometry><material name="blue"/></visual>
    <collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision>
    <inertial><origin xyz="0 0 0.5"/><mass value="1"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <axis xyz="0 2 0"/><parent link="rail"/><child link="cart"/>
    <limit lower="-4" upper="4" effort="1000" velocity="100"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="swing" type="continuous">
    <origin xyz="0.12 0 0" rpy="0 0 1.5707963267948966"/>
    <parent link="cart"/><child link="pole"/>
    <limit effort="50" velocity="8"/>
  </joint>
</robot>"""


def test_tables_of_the_cartpole(load):
    asset = load(CARTPOLE, fix_base_link=True, default_dof_drive_mode=DOF_MODE_POS, armature=0.2)

    assert asset.name == "cartpole"
    assert not asset.floating
    assert asset.body_names == ["rail", "cart", "pole"]
    assert asset.body_parent.tolist() == [-1, 0, 1]
    assert asset.joint_names == asset.dof_names == ["slide", "swing"]
    assert asset.joint_types == [JOINT_PRISMATIC, JOINT_REVOLUTE]
    assert asset.dof_types == [DOF_TRANSLATION, DOF_ROTATION]
    assert asset.shape_names == ["rail_collision", "cart_collision", "pole_collision"]
    assert asset.shape_body.tolist() == [0, 1, 2]
    assert asset.actuators == []
    f = np.float32
    expected = [
        (True, -4, 4, DOF_MODE_POS, 100, 1000, 0, 0.5, 0.25, f(0.2)),
        (False, f(-UNLIMITED), f(UNLIMITED), DOF_MODE_POS, 8, 50, 0, 0, 0, f(0.2)),
    ]
    assert asset.dof_properties.tolist() == [tuple(row) for row in expected]


def test_mass_without_inertia_takes_the_scaled_inertia_of_the_shapes(load):
    model = load(CARTPOLE, density=100.0, fix_base_link=True).spec.compile()

    np.testing.assert_allclose(model.body_mass[1:], [100 * 0.1 * 8 * 0.1, 2, 1])
    np.testing.assert_allclose(
        sorted(model.body_inertia[2]),
        sorted(2 / 12 * np.array([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])),
    )
    np.testing.assert_allclose(model.body_ipos[3], [0, 0, 0.5])
    across = (0.1**2 + 1) / 12
    np.testing.assert_allclose(sorted(model.body_inertia[3]), [2 * 0.1**2 / 12, across, across])


def test_frames_and_axes(load):
    model = load(CARTPOLE).spec.compile()

    np.testing.assert_allclose(model.jnt_axis, [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_allclose(model.body_pos[3], [0.12, 0, 0])
    np.testing.assert_allclose(model.body_quat[3], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_visuals_are_coloured_and_weigh_nothing(load):
    spec = load(CARTPOLE).spec
    np.testing.assert_allclose(spec.geom("rail_visual").rgba, [0, 0, 1, 1])
    np.testing.assert_allclose(spec.geom("pole_visual").rgba, [0, 0, 1, 1])
    model = spec.compile()
    visual = model.geom("pole_visual").id
    assert model.geom_contype[visual] == model.geom_conaffinity[visual] == 0


def test_a_fixed_base_does_not_collide_with_its_child(load):
    spec = load(CARTPOLE, fix_base_link=True).spec
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_rpy_is_about_fixed_axes(load):
    text = CARTPOLE.replace('rpy="0 0 1.5707963267948966"', 'rpy="0.3 -0.5 0.7"')
    model = load(text).spec.compile()
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, model.body_quat[3])

    def turn(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        rotation = np.eye(3)
        rotation[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
        return rotation

    np.testing.assert_allclose(
        matrix.reshape(3, 3), turn(2, 0.7) @ turn(1, -0.5) @ turn(0, 0.3), atol=1e-12
    )


def link(name, mass=1.0, extra=""):
    return (
        f'<link name="{name}"><inertial><mass value="{mass}"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"{extra}</link>"
    )


def joint(name, kind, parent, child, extra="", attributes=""):
    return (
        f'<joint name="{name}" type="{kind}" {attributes}><parent link="{parent}"/>'
        f'<child link="{child}"/>{extra}</joint>'
    )


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


TREE = robot(
    link("trunk"),
    link("y"),
    link("x"),
    link("x_tip"),
    joint("b_joint", "revolute", "trunk", "x"),
    joint("a_joint", "revolute", "trunk", "y"),
    joint("tip_joint", "fixed", "x", "x_tip"),
)


def test_siblings_are_sorted_by_joint_name(load):
    asset = load(TREE)
    assert asset.body_names == ["trunk", "y", "x", "x_tip"]
    assert asset.dof_names == ["a_joint", "b_joint"]
    assert asset.joint_names == ["a_joint", "b_joint", "tip_joint"]
    assert asset.joint_types == [JOINT_REVOLUTE, JOINT_REVOLUTE, JOINT_FIXED]


def test_siblings_can_keep_the_order_of_declaration(load):
    asset = load(TREE, sibling_order="declaration")
    assert asset.body_names == ["trunk", "x", "x_tip", "y"]
    assert asset.joint_names == ["b_joint", "tip_joint", "a_joint"]
    with pytest.raises(AssetError, match="'joint_name' or 'declaration'"):
        load(TREE, sibling_order="random")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("", None),
        ('<limit effort="1" velocity="1"/>', None),
        ('<limit lower="-1" upper="2" effort="1" velocity="1"/>', (-1, 2)),
        ('<limit lower="2" upper="-1" effort="1" velocity="1"/>', (-1, 2)),
        ('<limit lower="0.5" upper="0.5" effort="1" velocity="1"/>', (0.5, 0.5)),
        ('<limit upper="0.5" effort="1" velocity="1"/>', (0, 0.5)),
    ],
)
def test_limits_of_revolute_joints(load, limit, expected):
    row = load(robot(link("a"), link("b"), joint("j", "revolute", "a", "b", limit))).dof_properties[
        0
    ]
    if expected is None:
        assert not row["hasLimits"]
    else:
        assert row["hasLimits"]
        np.testing.assert_allclose([row["lower"], row["upper"]], expected, atol=1e-5)


COLLAPSIBLE = robot(
    link("base", 2.0),
    link("arm", 3.0, '<collision><geometry><sphere radius="0.1"/></geometry></collision>'),
    link("tool", 1.0, '<collision><geometry><sphere radius="0.2"/></geometry></collision>'),
    link("sensor", 1.0),
    link("finger", 1.0),
    joint("shoulder", "revolute", "base", "arm"),
    joint("mount", "fixed", "arm", "tool", '<origin xyz="0 0 2" rpy="0 0 1.5707963267948966"/>'),
    joint("glue", "fixed", "tool", "sensor", '<origin xyz="1 0 0"/>', 'dont_collapse="true"'),
    joint("grip", "prismatic", "tool", "finger", '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'),
)


def test_collapse_merges_links_behind_fixed_joints(load):
    asset = load(COLLAPSIBLE, collapse_fixed_joints=True)

    assert asset.body_names == ["base", "arm", "sensor", "finger"]
    assert asset.joint_names == ["shoulder", "glue", "grip"]
    assert asset.body_parent.tolist() == [-1, 0, 1, 1]
    assert asset.shape_body.tolist() == [1, 1]
    model = asset.spec.compile()
    # Two spheres' worth of inertia 0.1, 3 kg at 0 and 1 kg at z = 2: reduced mass 3/4, distance 2.
    np.testing.assert_allclose(model.body_mass[1:], [2, 4, 1, 1])
    np.testing.assert_allclose(model.body_ipos[2], [0, 0, 0.5])
    np.testing.assert_allclose(sorted(model.body_inertia[2]), [0.2, 0.2 + 3, 0.2 + 3])
    np.testing.assert_allclose(model.geom_pos[1], [0, 0, 2])
    # The tool was turned by a quarter about z.
    np.testing.assert_allclose(model.body_pos[4], [0, 1, 2], atol=1e-12)


def test_without_collapse_all_links_are_bodies_and_the_dynamics_agree(load):
    apart, merged = (load(COLLAPSIBLE, collapse_fixed_joints=flag).spec for flag in (False, True))
    masses = []
    for spec in (apart, merged):
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[:] = [0.4, 0.3]
        mujoco.mj_forward(model, data)
        matrix = np.zeros((2, 2))
        mujoco.mj_fullM(model, data, matrix)
        masses.append(matrix)
    assert len(apart.bodies) == len(merged.bodies) + 1
    np.testing.assert_allclose(masses[0], masses[1], atol=1e-12)


SHAPES = """
<robot name="shapes"><link name="{name}">
  <inertial>{inertial}</inertial>
  <collision><geometry><{shape}/></geometry></collision>
</link></robot>"""


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ('box size="1 2 3"', 6),
        ('sphere radius="0.5"', 4 / 3 * pi * 0.5**3),
        ('cylinder radius="0.5" length="2"', pi * 0.5**2 * 2),
        ('capsule radius="0.5" length="2"', pi * 0.5**2 * 2 + 4 / 3 * pi * 0.5**3),
    ],
)
def test_density_of_the_link_or_of_the_options(load, shape, volume):
    stated = load(SHAPES.format(name="a", inertial='<density value="50"/>', shape=shape))
    assert stated.spec.compile().body_mass[1] == pytest.approx(50 * volume)
    default = load(SHAPES.format(name="a", inertial="", shape=shape), density=7.0)
    assert default.spec.compile().body_mass[1] == pytest.approx(7 * volume)


def test_inertia_of_a_cylinder_in_closed_form(load):
    shape = 'cylinder radius="0.5" length="2"'
    model = load(SHAPES.format(name="a", inertial='<mass value="3"/>', shape=shape)).spec.compile()
    across = 3 * (0.5**2 / 4 + 2**2 / 12)
    np.testing.assert_allclose(sorted(model.body_inertia[1]), [3 * 0.5**2 / 2, across, across])


def test_stated_inertia_is_turned_by_its_origin(load):
    inertial = (
        '<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/>'
    )
    shape = 'sphere radius="1"'
    model = load(SHAPES.format(name="a", inertial=inertial, shape=shape)).spec.compile()
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[1])
    axes = axes.reshape(3, 3)
    np.testing.assert_allclose(
        axes @ np.diag(model.body_inertia[1]) @ axes.T,
        [[2, -0.1, 0], [-0.1, 1, 0], [0, 0, 2.5]],
        atol=1e-9,
    )
    np.testing.assert_allclose(model.body_ipos[1], [0.1, 0, 0])


def test_overrides_come_from_the_shapes(load):
    inertial = (
        '<origin xyz="0.1 0 0"/><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    )
    text = SHAPES.format(name="a", inertial=inertial, shape='sphere radius="1"')
    model = load(text, override_com=True, override_inertia=True).spec.compile()
    np.testing.assert_allclose(model.body_ipos[1], 0, atol=1e-12)
    np.testing.assert_allclose(model.body_inertia[1], 2 / 5 * 2)


def test_impossible_inertia_is_repaired(load):
    inertial = '<mass value="2"/><inertia ixx="-0.1" iyy="0.2" izz="0.5" ixy="0" ixz="0" iyz="0"/>'
    text = SHAPES.format(name="a", inertial=inertial, shape='sphere radius="1"')
    with pytest.warns(AssetWarning, match="link 'a': an inertia with principal moments"):
        model = load(text).spec.compile()
    low, middle, high = sorted(model.body_inertia[1])
    assert high == pytest.approx(0.5)
    assert low > 0
    assert low + middle >= high


def test_mimic_is_ignored_with_a_warning(load):
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<mimic joint="k"/>'))
    with pytest.warns(AssetWarning, match="joint 'j': <mimic> is ignored"):
        assert load(text).dof_names == ["j"]


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/t.obj",
        "meshes/t.obj",
        "package://my_robot/meshes/t.obj",
        "package://pkg/meshes/t.obj",
    ],
)
def test_meshes_are_found_by_walking_up(load, tmp_path, reference):
    package = tmp_path / "pkg"
    for folder in ("meshes", "urdf"):
        (package / folder).mkdir(parents=True)
    (package / "meshes" / "t.obj").write_text(TETRAHEDRON)
    text = SHAPES.format(
        name="a",
        inertial='<density value="6"/>',
        shape=f'mesh filename="{reference}" scale="2 1 1"',
    )
    asset = load(text, folder="pkg/urdf")
    assert asset.spec.compile().body_mass[1] == pytest.approx(2.0)


def test_a_link_of_one_mesh_twice_weighs_both(load, tmp_path):
    """In sizes 2 and 4 times that of the tetrahedron, of 1/6 m^3."""
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    meshes = "".join(
        f'<collision><geometry><mesh filename="t.obj" scale="{scale} 1 1"/></geometry></collision>'
        for scale in (2, 2, 4)
    )
    text = f'<link name="a"><inertial><density value="6"/></inertial>{meshes}</link>'
    asset = load(f'<robot name="r">{text}</robot>')
    assert asset.body_properties[0].mass == pytest.approx(2.0 + 2.0 + 4.0)
    assert len(asset.shape_names) == 3


def test_a_mesh_that_should_be_taken_apart_is_told_of(load, tmp_path):
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    mesh = '<collision><geometry><mesh filename="t.obj"/></geometry></collision>'
    with pytest.warns(AssetWarning, match="vhacd_enabled has no effect: the meshes of a collide"):
        load(f'<robot name="r">{link("a", extra=mesh)}</robot>', vhacd_enabled=True)
    load(CARTPOLE, vhacd_enabled=True)


def test_unreadable_visual_meshes_are_left_out(load):
    text = robot(
        link("a", extra='<visual><geometry><mesh filename="skin.dae"/></geometry></visual>')
    )
    with pytest.warns(AssetWarning, match=r"1 visual shapes are left out.*skin\.dae"):
        assert load(text).spec.compile().ngeom == 0


def test_cylinders_can_become_capsules(load):
    text = SHAPES.format(name="a", inertial="", shape='cylinder radius="0.5" length="2"')
    model = load(text, replace_cylinder_with_capsule=True, density=1.0).spec.compile()
    assert model.geom_type[0] == int(mujoco.mjtGeom.mjGEOM_CAPSULE)
    assert model.body_mass[1] == pytest.approx(pi * 0.5**2 * 2 + 4 / 3 * pi * 0.5**3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot>", "not well-formed XML"),
        (robot(), "exactly one link .* found 0: none"),
        (robot(link("a"), link("b")), "found 2: a, b"),
        (robot(link("a"), link("a")), "two links are called 'a'"),
        (robot(link("a"), joint("j", "fixed", "a", "b")), "joint 'j': its child link 'b'"),
        (
            robot(link("a"), link("b"), joint("j", "floating", "a", "b")),
            "joint 'j' is of type 'floating'",
        ),
        (
            robot(link("a"), link("b"), joint("j", "planar", "a", "b")),
            "joint 'j' is of type 'planar'",
        ),
        (
            robot(
                link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")
            ),
            "form a loop",
        ),
        (
            robot(
                link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")
            ),
            "child of two joints",
        ),
        (
            robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<axis xyz="0 0 0"/>')),
            "its axis is zero",
        ),
        (
            robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<axis xyz="0 0"/>')),
            "should hold 3 number",
        ),
        (robot(link("a", "heavy")), "link 'a' inertial: mass: value: 'heavy'|'heavy' is not"),
        (SHAPES.format(name="a", inertial="", shape="cone"), "link 'a' collision: <cone>"),
        (
            SHAPES.format(name="a", inertial="", shape='mesh filename="gone.obj"'),
            r"link 'a' collision: mesh file 'gone\.obj' was not found",
        ),
        (
            SHAPES.format(name="a", inertial="", shape='sphere radius="0"'),
            "<sphere> needs a positive 'radius'",
        ),
    ],
)
def test_errors_name_file_and_element(load, text, message):
    with pytest.raises(AssetError, match=message) as error:
        load(text)
    assert "robot.urdf" in str(error.value)
