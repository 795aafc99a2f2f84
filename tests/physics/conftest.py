import mujoco
import pytest

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
