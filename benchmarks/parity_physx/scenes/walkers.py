"""Legged robots under recorded actions, for as long as contacts do not drive engines apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.parity_physx.world import (
    REST,
    Ground,
    MakeWorld,
    Measured,
    Robot,
    Setup,
    World,
)
from rofunc_isaac.isaacgym import gymapi

ASSETS = Path(__file__).parents[3] / "tasks" / "assets"
EFFORT, POS = int(gymapi.DOF_MODE_EFFORT), int(gymapi.DOF_MODE_POS)

LEG = """
  <body name="{name}_hip" pos="{x} {y} 0"><joint name="{name}_haa" axis="1 0 0"/>
    <geom type="sphere" size="0.06" mass="2"/>
    <body name="{name}_thigh" pos="0 {out} 0"><joint name="{name}_hfe" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.28" size="0.03" mass="2.5"/>
      <body name="{name}_shank" pos="0 0 -0.28"><joint name="{name}_kfe" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.025" mass="0.5"/>
  </body></body></body>"""

QUADRUPED = (
    '<mujoco><worldbody><body name="base"><geom type="box" size="0.27 0.12 0.1" mass="25"/>'
    + "".join(
        LEG.format(name=name, x=x, y=y, out=0.1 * np.sign(y))
        for name, x, y in (
            ("lf", 0.3, 0.12),
            ("lh", -0.3, 0.12),
            ("rf", 0.3, -0.12),
            ("rh", -0.3, -0.12),
        )
    )
    + "</body></worldbody></mujoco>"
)
"""45 kg on four legs with three joints each, about as large as ANYmal."""

STANCE = np.tile([0.0, 0.4, -0.8], 4)
STANDING = 0.28 * np.cos(0.4) + 0.3 * np.cos(0.4) + 0.025
"""Height of its base in that stance."""


ANKLES = np.tile([0.0, 0.8], 4) * [1, 1, 1, -1, 1, -1, 1, 1]
"""A pose of the ant's joints within their ranges."""


def ant_without_limits(make_world: MakeWorld) -> list[Measured]:
    """tasks/assets/ant.xml floats under random torques of up to 5 N m, without joint limits."""
    robot = Robot(ant_model(), dof={"driveMode": EFFORT, "hasLimits": False})
    world = make_world(Setup([robot], gravity=REST))
    return watched(world, (5, 20, 40), torques(world, 5.0))


def ant_in_the_air(make_world: MakeWorld) -> list[Measured]:
    """The same with its joint limits and torques of up to 15 N m."""
    world = make_world(Setup([Robot(ant_model(), dof={"driveMode": EFFORT})], gravity=REST))
    return watched(world, (5, 20, 40), torques(world, 15.0))


def ant_on_the_ground(make_world: MakeWorld) -> list[Measured]:
    """It falls from 0.6 m and moves on the ground, with torques of up to 5 N m."""
    robot = Robot(ant_model(), pos=(0.0, 0.0, 0.6), dof={"driveMode": EFFORT})
    world = make_world(Setup([robot], Ground()))
    return watched(world, (5, 20, 40), torques(world, 5.0))


def ant_model() -> str:
    return (ASSETS / "ant.xml").read_text()


def torques(world: World, largest: float) -> Callable[[int], None]:
    """Random ones, new in each frame, from `ANKLES` on."""
    world.set_dofs(ANKLES, np.zeros(8))
    actions = np.random.default_rng(0).uniform(-largest, largest, (60, 8))
    return lambda frame: world.step(1, actions[frame])


def standing(make_world: MakeWorld) -> list[Measured]:
    """A robot of ANYmal's size is let go over the ground: drives of 85 and 2, frames of 0.02 s."""
    found = []
    for iterations in (4, 16, 64):
        world = quadruped(make_world, iterations)
        world.set_targets(STANCE, np.zeros(12))
        world.step(10)
        sunk = 1e3 * (STANDING - float(world.roots()[0, 2]))
        what = f"it sinks in by, PhysX with {iterations} iterations"
        found.append(Measured(what, "mm", sunk))
    return found


def stepping(make_world: MakeWorld) -> list[Measured]:
    """The same robot steps on the spot."""
    world = quadruped(make_world, 4)

    def step(frame: int) -> None:
        swing = np.sin(2 * np.pi * 1.5 * 0.02 * frame + np.repeat([0, np.pi, np.pi, 0], 3))
        world.set_targets(STANCE + np.tile([0.0, 0.15, -0.3], 4) * swing, np.zeros(12))
        world.step(1)

    return watched(world, (5, 20, 40), step)


def quadruped(make_world: MakeWorld, position_iterations: int) -> World:
    """With its feet on the ground."""
    drive = {"driveMode": POS, "stiffness": 85.0, "damping": 2.0, "effort": 80.0}
    robot = Robot(QUADRUPED, pos=(0.0, 0.0, STANDING), dof=drive)
    iterations = position_iterations
    world = make_world(Setup([robot], Ground(), dt=0.02, position_iterations=iterations))
    world.set_dofs(STANCE, np.zeros(12))
    return world


def watched(world: World, frames: tuple[int, ...], step: Callable[[int], None]) -> list[Measured]:
    """Where the root is, and how the joints move, after some of the frames."""
    found = []
    for frame in range(max(frames)):
        step(frame)
        if frame + 1 in frames:
            root, dofs = world.roots()[0], world.dofs()
            after = f"after {frame + 1} frames"
            found += [
                Measured(f"{after}: height", "m", root[2]),
                Measured(f"{after}: tilt", "rad", tilt(root[3:7])),
                Measured(f"{after}: mean angle", "rad", float(np.abs(dofs[:, 0]).mean())),
                Measured(f"{after}: mean speed", "rad/s", float(np.abs(dofs[:, 1]).mean())),
            ]
    return found


def tilt(quat: np.ndarray) -> float:
    """Angle between the z axis of `quat`, xyzw, and the world's."""
    x, y, _, _ = quat
    return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))
