"""Boxes and balls on the ground and on each other."""

from __future__ import annotations

import math

from benchmarks.parity_physx.robots import BALL, BOX, BOX_HALF, BOX_MASS, SPHERE
from benchmarks.parity_physx.world import (
    GRAVITY,
    Ground,
    MakeWorld,
    Measured,
    Robot,
    Setup,
)

WEIGHT = BOX_MASS * GRAVITY


def dropped_box(make_world: MakeWorld) -> list[Measured]:
    """A box falls 0.4 m flat onto the ground."""
    world = make_world(Setup([Robot(BOX, pos=(0.0, 0.0, 0.5))], Ground()))
    lowest, highest = 1.0, 0.0
    for frame in range(120):
        world.step()
        height = float(world.roots()[0, 2])
        lowest = min(lowest, height)
        if frame > 20:
            highest = max(highest, height)
    return [
        Measured("deepest penetration", "mm", 1e3 * (BOX_HALF - lowest)),
        Measured("rebound", "mm", 1e3 * (highest - BOX_HALF)),
        Measured("penetration at rest", "mm", 1e3 * (BOX_HALF - float(world.roots()[0, 2]))),
        Measured("contact force at rest", "N", world.contacts()[0, 2], WEIGHT),
    ]


def stack(make_world: MakeWorld) -> list[Measured]:
    """Three boxes of 2 kg set down on each other."""
    robots = [Robot(BOX, pos=(0.0, 0.0, BOX_HALF * (1 + 2 * i))) for i in range(3)]
    world = make_world(Setup(robots, Ground()))
    world.step(120)
    roots, contacts = world.roots(), world.contacts()
    top = 5 * BOX_HALF - float(roots[2, 2])
    return [
        Measured("the top one sank by", "mm", 1e3 * top),
        Measured("it moved sideways by", "mm", 1e3 * math.hypot(roots[2, 0], roots[2, 1]), 0.0),
        Measured("net force on the lowest", "N", contacts[0, 2], WEIGHT),
        Measured("net force on the top one", "N", contacts[2, 2], WEIGHT),
    ]


def bounce(make_world: MakeWorld) -> list[Measured]:
    """A ball falls 0.5 m: how high it rises again, by the mean of the restitutions."""
    found = []
    for own, ground in ((0.0, 0.0), (0.5, 0.5), (0.8, 0.8), (0.8, 0.0)):
        robot = Robot(SPHERE, pos=(0.0, 0.0, BALL + 0.5), restitution=own)
        world = make_world(Setup([robot], Ground(restitution=ground)))
        heights = []
        for _ in range(90):
            world.step()
            heights.append(float(world.roots()[0, 2]) - BALL)
        fallen = heights.index(min(heights[:30]))
        exact = 0.5 * (0.5 * (own + ground)) ** 2
        found.append(Measured(f"{own} on {ground}: rises to", "m", max(heights[fallen:]), exact))
    return found


def penetrating(make_world: MakeWorld) -> list[Measured]:
    """A box starts 5 cm deep in the ground."""
    world = make_world(Setup([Robot(BOX, pos=(0.0, 0.0, BOX_HALF - 0.05))], Ground()))
    fastest, heights = 0.0, []
    for _ in range(60):
        world.step()
        fastest = max(fastest, float(world.roots()[0, 9]))
        heights.append(float(world.roots()[0, 2]) - BOX_HALF)
    return [
        Measured("fastest upwards", "m/s", fastest),
        Measured("highest", "mm", 1e3 * max(heights)),
        Measured("depth after 2 frames", "mm", -1e3 * heights[1]),
    ]


def resting_distance(make_world: MakeWorld) -> list[Measured]:
    """From how far above the ground a falling ball feels it (contact_offset 0.02)."""
    world = make_world(Setup([Robot(SPHERE, pos=(0.0, 0.0, BALL + 0.3))], Ground()))
    for _ in range(60):
        world.step()
        if world.contacts()[0, 2] > 0.0:
            break
    gap = 1e3 * (float(world.roots()[0, 2]) - BALL)
    return [Measured("gap after the first frame with a contact force", "mm", gap)]
