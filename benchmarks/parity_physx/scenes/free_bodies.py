"""Bodies in the air: gravity, damping, largest velocities, and who turns about what."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.parity_physx.robots import BOX, CHAIN
from benchmarks.parity_physx.world import GRAVITY, REST, MakeWorld, Measured, Robot, Setup

BRICK = """
<mujoco><worldbody><body name="brick">
  <geom type="box" size="0.1 0.2 0.3" pos="0.3 -0.1 0.2" mass="3"/>
</body></worldbody></mujoco>"""


def free_fall(make_world: MakeWorld) -> list[Measured]:
    """A box falls for half a second."""
    world = make_world(Setup([Robot(BOX)]))
    world.step(30)
    root = world.roots()[0]
    return [
        Measured("height", "m", root[2], -0.5 * GRAVITY * 0.25),
        Measured("velocity", "m/s", root[9], -GRAVITY * 0.5),
    ]


def off_centre_spin(make_world: MakeWorld) -> list[Measured]:
    """A brick whose centre of mass is off its origin is set spinning at 2 rad/s about z.

    Its centre of mass was told to rest, so where it stays shows of which point the linear velocity
    of a root state is.
    """
    world = make_world(Setup([Robot(BRICK)], gravity=REST))
    world.set_root_velocity(0, REST, (0.0, 0.0, 2.0))
    world.step(60)
    root = world.roots()[0]
    # The origin circles round the resting centre of mass.
    x = 0.3 - (0.3 * math.cos(2.0) + 0.1 * math.sin(2.0))
    return [
        Measured("x of the origin after 1 s", "m", root[0], x),
        Measured("linear velocity shown", "m/s", float(np.linalg.norm(root[7:10])), 0.0),
    ]


def tumbling(make_world: MakeWorld) -> list[Measured]:
    """A brick spins about its middle axis with a small error: gyroscopic forces turn it over."""
    world = make_world(Setup([Robot(BRICK)], gravity=REST, dt=1 / 240))
    world.set_root_velocity(0, REST, (0.5, 10.0, 0.5))
    for frame in range(960):
        world.step()
        x, _, z, _ = world.roots()[0, 3:7]
        # Where its own y axis points, along the world's.
        if 1.0 - 2.0 * (x * x + z * z) < 0.0:
            return [Measured("upside down after", "s", (frame + 1) / 240)]
    return [Measured("upside down after", "s", math.inf)]


def damped(make_world: MakeWorld) -> list[Measured]:
    """linear_damping 1 and angular_damping 0.5 on a box, for half a second."""
    options = {"linear_damping": 1.0, "angular_damping": 0.5}
    world = make_world(Setup([Robot(BOX, options=options)], gravity=REST))
    world.set_root_velocity(0, (2.0, 0.0, 0.0), (0.0, 0.0, 4.0))
    world.step(30)
    root = world.roots()[0]
    return [
        Measured("linear velocity", "m/s", root[7], 2.0 * math.exp(-0.5)),
        Measured("angular velocity", "rad/s", root[12], 4.0 * math.exp(-0.25)),
    ]


def damped_links(make_world: MakeWorld) -> list[Measured]:
    """angular_damping 2 on a floating base with two links, which turn against each other."""
    world = make_world(Setup([Robot(CHAIN, options={"angular_damping": 2.0})], gravity=REST))
    world.set_dofs([0.0, 0.0], [0.0, 5.0])
    world.set_root_velocity(0, REST, REST)
    world.step(30)
    found = [Measured("elbow's velocity after 0.5 s", "rad/s", world.dofs()[1, 1])]
    fixed = make_world(
        Setup([Robot(CHAIN, fixed=True, options={"angular_damping": 2.0})], gravity=REST)
    )
    fixed.set_dofs([0.0, 0.0], [0.0, 5.0])
    fixed.step(30)
    found.append(Measured("the same with a fixed base", "rad/s", fixed.dofs()[1, 1]))
    return found


def fastest(make_world: MakeWorld) -> list[Measured]:
    """A box that may do 3 m/s and 5 rad/s starts faster, and one falls."""
    options = {"max_linear_velocity": 3.0, "max_angular_velocity": 5.0}
    world = make_world(Setup([Robot(BOX, options=options)], gravity=REST))
    world.set_root_velocity(0, (6.0, 0.0, 0.0), (0.0, 0.0, 10.0))
    world.step(1)
    root = world.roots()[0]
    falling = make_world(Setup([Robot(BOX, options=options)]))
    falling.step(60)
    return [
        Measured("linear velocity after a frame", "m/s", root[7]),
        Measured("angular velocity after a frame", "rad/s", root[12]),
        Measured("way in that frame", "m", root[0]),
        Measured("velocity after falling for 1 s", "m/s", falling.roots()[0, 9]),
    ]
