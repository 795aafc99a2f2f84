"""Small robots that the scenes share, as MJCF."""

from __future__ import annotations

CART_MASS = 2.0
CART = f"""
<mujoco><worldbody><body name="rail"><body name="cart">
  <joint name="slide" type="slide" axis="1 0 0"/>
  <geom type="sphere" size="0.05" mass="{CART_MASS}"/>
</body></body></worldbody></mujoco>"""
"""A mass on a horizontal rail."""

ARM_MASS, ARM_LENGTH, BALL = 2.0, 0.5, 0.1
ARM_INERTIA = ARM_MASS * (ARM_LENGTH**2 + 0.4 * BALL**2)
ARM = f"""
<mujoco><worldbody><body name="base"><body name="link">
  <joint name="hinge" axis="0 1 0"/>
  <geom type="sphere" size="{BALL}" pos="{ARM_LENGTH} 0 0" mass="{ARM_MASS}"/>
</body></body></worldbody></mujoco>"""
"""A ball on a massless rod, that turns about the horizontal y axis."""

FINGER = """
<mujoco><worldbody><body name="palm"><body name="finger">
  <joint name="hinge" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="0.05" diaginertia="1e-4 1e-4 1e-4"/>
  <geom type="sphere" size="0.01"/>
</body></body></worldbody></mujoco>"""
"""A link as light as those of AllegroHand."""

BOX_MASS, BOX_HALF = 2.0, 0.1
BOX = f"""
<mujoco><worldbody><body name="box">
  <geom type="box" size="{BOX_HALF} {BOX_HALF} {BOX_HALF}" mass="{BOX_MASS}"/>
</body></worldbody></mujoco>"""

SPHERE = f"""
<mujoco><worldbody><body name="ball">
  <geom type="sphere" size="{BALL}" mass="{ARM_MASS}"/>
</body></worldbody></mujoco>"""

CHAIN = """
<mujoco><worldbody><body name="base">
  <geom type="box" size="0.2 0.1 0.05" mass="4"/>
  <body name="upper" pos="0.2 0 0"><joint name="shoulder" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04" mass="1"/>
    <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="0.5"/>
</body></body></body></worldbody></mujoco>"""
"""A base with two links that turn about different axes."""
