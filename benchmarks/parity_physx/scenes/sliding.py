"""Friction of two different materials."""

from __future__ import annotations

import math

from benchmarks.parity_physx.robots import BALL, BOX, BOX_HALF, BOX_MASS, SPHERE
from benchmarks.parity_physx.world import (
    GRAVITY,
    REST,
    Ground,
    MakeWorld,
    Measured,
    Robot,
    Setup,
)


def sliding_box(make_world: MakeWorld) -> list[Measured]:
    """A box at 3 m/s slows down on the ground: friction 0.8 of the box, 0.4 of the ground."""
    found = []
    for name, direction in (("along x", 0.0), ("at 45 degrees", math.pi / 4)):
        world = make_world(
            Setup([Robot(BOX, pos=(0, 0, BOX_HALF), friction=0.8)], Ground(friction=0.4))
        )
        world.step(60)
        start = world.roots()[0]
        push = (3.0 * math.cos(direction), 3.0 * math.sin(direction), 0.0)
        world.set_root_velocity(0, push, REST)
        lowest, highest = 1.0, 0.0
        for _ in range(12):
            world.step()
            height = float(world.roots()[0, 2] - start[2])
            lowest, highest = min(lowest, height), max(highest, height)
        root = world.roots()[0]
        speed = math.hypot(root[7], root[8])
        exact = 3.0 - 0.6 * GRAVITY * 0.2
        found.append(Measured(f"{name}: speed after 0.2 s", "m/s", speed, exact))
        found.append(Measured(f"{name}: rises by", "mm", 1e3 * highest))
    return found


def incline(make_world: MakeWorld) -> list[Measured]:
    """A box on a slope, friction 0.8 and 0.4: does it hold, and how does it slide."""
    found = []
    for degrees in (28.0, 34.0):
        angle = math.radians(degrees)
        gravity = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
        world = make_world(
            Setup([Robot(BOX, pos=(0, 0, BOX_HALF), friction=0.8)], Ground(friction=0.4), gravity)
        )
        world.step(60)
        pull = GRAVITY * (math.sin(angle) - 0.6 * math.cos(angle))
        found.append(
            Measured(
                f"{degrees:.0f} degrees: way in 1 s", "m", world.roots()[0, 0], max(pull, 0) / 2
            )
        )
    return found


def rolling_ball(make_world: MakeWorld) -> list[Measured]:
    """A ball at 3 m/s, friction 1 on 1, starts to roll: 5/7 of its speed are left."""
    world = make_world(Setup([Robot(SPHERE, pos=(0, 0, BALL))], Ground()))
    world.step(30)
    world.set_root_velocity(0, (3.0, 0.0, 0.0), REST)
    world.step(30)
    now = float(world.roots()[0, 7])
    world.step(60)
    return [
        Measured("speed after 0.5 s", "m/s", now, 15.0 / 7.0),
        Measured("and after 1.5 s", "m/s", world.roots()[0, 7], 15.0 / 7.0),
    ]


def between_actors(make_world: MakeWorld) -> list[Measured]:
    """A box of friction 0.2 slides on a larger one of 1, which stands on the ground."""
    slab = BOX.replace(f'size="{BOX_HALF} {BOX_HALF} {BOX_HALF}"', 'size="2 2 0.1"')
    robots = [
        Robot(slab, fixed=True, pos=(0, 0, 0.1), friction=1.0),
        Robot(BOX, pos=(0, 0, 0.3), friction=0.2),
    ]
    world = make_world(Setup(robots, Ground()))
    world.step(30)
    world.set_root_velocity(1, (3.0, 0.0, 0.0), REST)
    world.step(12)
    exact = 3.0 - 0.6 * GRAVITY * 0.2
    return [Measured("speed after 0.2 s", "m/s", world.roots()[1, 7], exact)]


def spinning_box(make_world: MakeWorld) -> list[Measured]:
    """A box spins flat on the ground at 15 rad/s, friction 0.3."""
    world = make_world(
        Setup([Robot(BOX, pos=(0, 0, BOX_HALF), friction=0.3)], Ground(friction=0.3))
    )
    world.step(30)
    world.set_root_velocity(0, REST, (0.0, 0.0, 15.0))
    world.step(6)
    # Four corners carry a quarter of the weight each.
    torque = 0.3 * BOX_MASS * GRAVITY * math.sqrt(2) * BOX_HALF
    inertia = BOX_MASS * (2 * BOX_HALF) ** 2 / 6
    exact = 15.0 - torque / inertia * 0.1
    return [Measured("angular velocity after 0.1 s", "rad/s", world.roots()[0, 12], exact)]
