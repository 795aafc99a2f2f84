"""The CPU engine against MuJoCo itself and against closed forms."""

import numpy as np
import pytest

from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.mujoco_batch import MujocoBatch


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
