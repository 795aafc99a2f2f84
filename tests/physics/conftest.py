from collections.abc import Callable

import mujoco
import pytest
import torch

from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.mujoco_batch import MujocoBatch
from rofunc_isaac.physics.warp_batch import WarpBatch

PENDULUM = """
<mujoco>
  <option timestep="0.005" integrator="RK4"/>
  <worldbody>
    <body name="arm" pos="0 0 2">
      <joint name="hinge" type="hinge" axis="0 1 0"/>
      <geom type="sphere" size="0.02" pos="0 0 -1" mass="1.5" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""

BOX_ON_FLOOR = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="box" pos="0 0 0.3">
      <freejoint/>
      <geom name="box" type="box" size="0.1 0.1 0.1" density="500"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def pendulum() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(PENDULUM)


@pytest.fixture
def box() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(BOX_ON_FLOOR)


@pytest.fixture(params=["mujoco", "mujoco_warp"])
def make_batch(request: pytest.FixtureRequest) -> Callable[..., Batch]:
    """`make_batch(model, num_envs, forward=False)` on each engine, MuJoCo Warp on Warp's CPU."""

    def make(model: mujoco.MjModel, num_envs: int, forward: bool = False) -> Batch:
        if request.param == "mujoco":
            return MujocoBatch(model, num_envs, num_threads=1, forward=forward)
        return WarpBatch(model, num_envs, torch.device("cpu"), forward)

    return make
