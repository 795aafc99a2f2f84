"""Assets put into one model several times, as a scene does."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

ROBOTS = {
    "mjcf": """
<mujoco model="arm"><compiler angle="degree" inertiafromgeom="true"/>
  <default><geom density="50"/><joint damping="0.5"/></default>
  <worldbody><body name="root" pos="5 5 5">
    <freejoint/>
    <inertial pos="0 0 0" mass="99" diaginertia="1 1 1"/>
    <geom type="box" size="0.1 0.1 0.1"/>
    <body name="link" pos="0 0 0.3" euler="0 90 0">
      <joint name="hinge" axis="0 1 0" range="-30 60" stiffness="4"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
      <body name="tip" pos="0.3 0 0"><joint name="reach" type="slide"/><geom size="0.03"/></body>
    </body></body></worldbody>
  <contact><exclude body1="root" body2="tip"/></contact>
  <tendon><fixed name="t"><joint joint="hinge" coef="1"/>
    <joint joint="reach" coef="2"/></fixed></tendon>
  <equality><joint joint1="hinge" joint2="reach"/></equality>
  <actuator><motor joint="reach"/></actuator>
</mujoco>""",
    "urdf": """
<robot name="arm">
  <link name="root"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="link"><inertial><mass value="2"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="tip"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="root"/><child link="link"/>
    <origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="1" effort="1" velocity="1"/></joint>
  <joint name="reach" type="prismatic"><parent link="link"/><child link="tip"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>""",
}
QUARTER_TURN = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]


def scene_of(asset, degree=False):
    """Two copies, the first free and the second held, with an actuator for each DOF."""
    scene = mujoco.MjSpec()
    scene.compiler.degree = degree
    scene.copy_during_attach = True
    for i, floating in enumerate((True, False)):
        prefix = f"{i}/"
        frame = scene.worldbody.add_frame(pos=[2 * i, 1, 3], quat=QUARTER_TURN)
        root = frame.attach_body(asset.spec.body(asset.body_names[0]), prefix, "")
        if floating:
            root.add_freejoint(name=f"{prefix}free")
        else:
            root.mocap = True
        for dof in asset.dof_names:
            scene.add_actuator(
                name=prefix + dof, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=prefix + dof
            )
    return scene.compile()


@pytest.mark.parametrize("kind", ROBOTS)
@pytest.mark.parametrize("degree", [False, True])
def test_two_copies_keep_everything(load, kind, degree):
    asset = load(ROBOTS[kind])
    alone = asset.spec.compile()
    scene = scene_of(asset, degree)

    bodies = len(asset.body_names)
    names = [scene.body(i).name for i in range(1, scene.nbody)]
    assert names == [f"{i}/{name}" for i in range(2) for name in asset.body_names]
    for i in range(2):
        rows = slice(1 + i * bodies, 1 + (i + 1) * bodies)
        np.testing.assert_array_equal(scene.body_mass[rows], alone.body_mass[1:])
        np.testing.assert_array_equal(scene.body_inertia[rows], alone.body_inertia[1:])
        np.testing.assert_array_equal(scene.body_ipos[rows], alone.body_ipos[1:])
        ids = [scene.joint(f"{i}/{name}").id for name in asset.dof_names]
        np.testing.assert_allclose(scene.jnt_range[ids], alone.jnt_range)
        np.testing.assert_allclose(scene.jnt_stiffness[ids], alone.jnt_stiffness)
        root = scene.body(f"{i}/{asset.body_names[0]}")
        np.testing.assert_allclose(root.pos, [2 * i, 1, 3])
        np.testing.assert_allclose(root.quat, QUARTER_TURN)
    assert scene.nq == 7 + 2 * len(asset.dof_names)
    assert (scene.nmocap, scene.nu) == (1, 4)
    assert scene.ntendon == 2 * alone.ntendon
    assert scene.neq == 2 * alone.neq
    assert scene.nexclude == 2 * alone.nexclude
    assert scene.ngeom == 2 * alone.ngeom


@pytest.mark.parametrize("kind", ROBOTS)
def test_attaching_leaves_the_asset_as_it_was(load, kind):
    asset = load(ROBOTS[kind])
    before = asset.spec.to_xml()
    scene_of(asset)
    assert asset.spec.to_xml() == before
    scene_of(asset)


@pytest.mark.parametrize("kind", ROBOTS)
def test_the_copies_can_be_simulated(load, kind):
    model = scene_of(load(ROBOTS[kind]))
    data = mujoco.MjData(model)
    data.mocap_pos[0] = [9, 9, 9]
    mujoco.mj_step(model, data, nstep=10)
    assert np.isfinite(data.qpos).all()
    np.testing.assert_allclose(data.body("1/root").xpos, [9, 9, 9])
    assert data.body("0/root").xpos[2] < 3
