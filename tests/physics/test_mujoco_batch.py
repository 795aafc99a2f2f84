"""The CPU engine against MuJoCo itself and against closed forms."""

import mujoco
import numpy as np
import pytest

from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.mujoco_batch import MujocoBatch, without_islands


def test_wrong_names_are_refused(box):
    batch = MujocoBatch(box, num_envs=1)
    with pytest.raises(PhysicsError, match="qpso"):
        batch.view("qpso")
    with pytest.raises(PhysicsError, match="body_mas"):
        batch.parameter("body_mas")
    batch.step()
    with pytest.raises(PhysicsError, match="xquat.*after the first step"):
        batch.view("xquat")


def test_an_error_inside_mujoco_still_names_the_world(box):
    """Keeping warnings quiet must not disable mjbatch's own trap for errors."""
    batch = MujocoBatch(box, num_envs=3)
    batch.parameter("integrator")[1] = 99
    with pytest.raises(RuntimeError, match=r"\b1\b.*integrator"):
        batch.step(3)
    assert np.isfinite(batch.view("qpos").numpy()).all()


TWO_BOXES = """
<mujoco><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  <body pos="1 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
</worldbody></mujoco>"""
ISLAND = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)


def test_a_model_of_one_part_is_not_searched_for_several(box):
    found = without_islands(box)
    assert found.opt.disableflags & ISLAND
    assert not box.opt.disableflags & ISLAND
    two = mujoco.MjModel.from_xml_string(TWO_BOXES)
    assert without_islands(two) is two
    # A box that falls, tilted, onto its edge, moves as MuJoCo moves it by itself: to the last bit.
    states = []
    for model in (box, found):
        data = mujoco.MjData(model)
        data.qpos[3:7] = [0.9, 0.3, 0.2, 0.1]
        mujoco.mj_step(model, data, 300)
        assert data.ncon > 0
        states.append(np.concatenate([data.qpos, data.qvel]))
    assert (states[0] == states[1]).all()
