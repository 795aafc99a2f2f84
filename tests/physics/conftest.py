from collections.abc import Callable, Sequence

import mujoco
import pytest
import torch

from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.grouped_batch import GroupedBatch
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


def interleaved(batches: Sequence[Batch]) -> GroupedBatch:
    """The batches' worlds in turn: the first of each, the second of each, ..."""
    turns = [(turn, group) for group, batch in enumerate(batches) for turn in range(batch.num_envs)]
    order = sorted(turns)
    rows = [
        torch.tensor([row for row, (_, owner) in enumerate(order) if owner == group])
        for group in range(len(batches))
    ]
    return GroupedBatch(batches, rows)


@pytest.fixture(params=["mujoco", "mujoco_warp"])
def make_plain_batch(request: pytest.FixtureRequest) -> Callable[..., Batch]:
    """`make_plain_batch(model, num_envs, forward=False)` on each engine, MuJoCo Warp on Warp's
    CPU."""

    def make(model: mujoco.MjModel, num_envs: int, forward: bool = False) -> Batch:
        if request.param == "mujoco":
            return MujocoBatch(model, num_envs, num_threads=1, forward=forward)
        return WarpBatch(model, num_envs, torch.device("cpu"), forward)

    return make


@pytest.fixture(params=["plain", "grouped"])
def make_batch(
    request: pytest.FixtureRequest, make_plain_batch: Callable[..., Batch]
) -> Callable[..., Batch]:
    """`make_plain_batch`, and the same worlds in two groups."""

    def make(model: mujoco.MjModel, num_envs: int, forward: bool = False) -> Batch:
        if request.param == "plain":
            return make_plain_batch(model, num_envs, forward)
        sizes = [size for size in ((num_envs + 1) // 2, num_envs // 2) if size]
        return interleaved([make_plain_batch(model, size, forward) for size in sizes])

    return make
