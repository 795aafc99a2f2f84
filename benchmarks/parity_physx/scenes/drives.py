"""How drives move a mass to a target."""

from __future__ import annotations

import cmath
import math

from benchmarks.parity_physx.robots import (
    ARM,
    ARM_LENGTH,
    ARM_MASS,
    CART,
    CART_MASS,
    FINGER,
)
from benchmarks.parity_physx.world import GRAVITY, REST, MakeWorld, Measured, Robot, Setup
from rofunc_isaac.isaacgym import gymapi

POS, VEL = int(gymapi.DOF_MODE_POS), int(gymapi.DOF_MODE_VEL)
TARGET = 0.3

GAINS = {
    "soft (50, 5)": (50.0, 5.0),
    "FrankaCabinet's arm (400, 80)": (400.0, 80.0),
    "stiff (1e4, 100)": (1e4, 100.0),
    "FrankaCabinet's fingers (1e6, 100)": (1e6, 100.0),
    "Quadcopter's (1000, 0)": (1000.0, 0.0),
}


def position_steps(make_world: MakeWorld) -> list[Measured]:
    """A mass of 2 kg aims at 0.3 m from rest."""
    found = []
    for name, (stiffness, damping) in GAINS.items():
        drive = {"driveMode": POS, "stiffness": stiffness, "damping": damping}
        world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST))
        world.set_targets([TARGET], [0.0])
        now = 0
        for frame in (1, 5, 20):
            world.step(frame - now)
            now = frame
            exact = TARGET * step_response(stiffness, damping, CART_MASS, frame / 60)
            found.append(Measured(f"{name}: after {frame} frames", "m", world.dofs()[0, 0], exact))
    return found


def step_response(stiffness: float, damping: float, mass: float, time: float) -> float:
    """Position at `time` of a spring, damper and mass that start at rest at 0 and aim at 1."""
    root = cmath.sqrt(damping**2 - 4 * stiffness * mass)
    fast, slow = (-damping - root) / (2 * mass), (-damping + root) / (2 * mass)
    return (
        1.0 - ((fast * cmath.exp(slow * time) - slow * cmath.exp(fast * time)) / (fast - slow)).real
    )


def velocity_drive(make_world: MakeWorld) -> list[Measured]:
    """A mass of 2 kg aims at 1.5 m/s from rest, with a damping of 6."""
    drive = {"driveMode": VEL, "stiffness": 500.0, "damping": 6.0}
    world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST))
    world.set_targets([0.0], [1.5])
    world.step(15)
    exact = 1.5 * (1.0 - cmath.exp(-6.0 / CART_MASS * 0.25).real)
    return [Measured("velocity after 0.25 s", "m/s", world.dofs()[0, 1], exact)]


def limited_effort(make_world: MakeWorld) -> list[Measured]:
    """Drives that pull as hard as they may."""
    found = []
    for name, (stiffness, damping, effort) in {
        "arm (400, 80), at most 87 N": (400.0, 80.0, 87.0),
        "fingers (1e6, 100), at most 200 N": (1e6, 100.0, 200.0),
    }.items():
        drive = {"driveMode": POS, "stiffness": stiffness, "damping": damping, "effort": effort}
        world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST))
        world.set_targets([TARGET], [0.0])
        now = 0
        for frame in (3, 6, 20):
            world.step(frame - now)
            now = frame
            found.append(Measured(f"{name}: after {frame} frames", "m", world.dofs()[0, 0]))
    return found


def limited_finger(make_world: MakeWorld) -> list[Measured]:
    """AllegroHand's drives of 3 and 0.1, at most 0.5 N m, turn a link of 1e-4 kg m^2 to 0.5 rad."""
    drive = {"driveMode": POS, "stiffness": 3.0, "damping": 0.1, "effort": 0.5}
    world = make_world(Setup([Robot(FINGER, fixed=True, dof=drive)], gravity=REST))
    world.set_targets([0.5], [0.0])
    found = []
    for frame in range(1, 17):
        world.step()
        if frame in (1, 2, 4, 8, 16):
            found.append(Measured(f"after {frame} frames", "rad", world.dofs()[0, 0]))
    return found


def velocity_limit(make_world: MakeWorld) -> list[Measured]:
    """The same where the DOF may do 0.5 m/s, and the target is 1 m away."""
    found = []
    for name, (stiffness, damping) in (("arm", (400.0, 80.0)), ("fingers", (1e6, 100.0))):
        drive = {"driveMode": POS, "stiffness": stiffness, "damping": damping}
        drive.update(velocity=0.5, effort=200.0)
        world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST))
        world.set_targets([1.0], [0.0])
        world.step(60)
        found.append(Measured(f"{name}: after 60 frames", "m", world.dofs()[0, 0], 0.5))
    return found


def held_arm(make_world: MakeWorld) -> list[Measured]:
    """A ball of 2 kg on a rod of 0.5 m, held level against gravity: drives of 400 and 80."""
    drive = {"driveMode": POS, "stiffness": 400.0, "damping": 80.0}
    world = make_world(Setup([Robot(ARM, fixed=True, dof=drive)]))
    world.step(300)
    sag = world.dofs()[0, 0]
    torque = ARM_MASS * GRAVITY * ARM_LENGTH
    exact = torque / 400.0
    for _ in range(5):
        exact = torque * math.cos(exact) / 400.0
    held = world.drive_forces()[0]
    return [
        Measured("it hangs down by", "rad", sag, exact),
        Measured("torque of the drive", "N m", held, -torque * math.cos(exact)),
    ]
