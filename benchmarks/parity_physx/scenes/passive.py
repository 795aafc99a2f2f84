"""Springs, dampers, armature and dry friction of joints without a drive."""

from __future__ import annotations

import math

from benchmarks.parity_physx.robots import ARM, ARM_INERTIA, ARM_LENGTH, ARM_MASS, CART, CART_MASS
from benchmarks.parity_physx.world import GRAVITY, REST, MakeWorld, Measured, Robot, Setup
from rofunc_isaac.isaacgym import gymapi

EFFORT = int(gymapi.DOF_MODE_EFFORT)


def damper(make_world: MakeWorld) -> list[Measured]:
    """A mass of 2 kg that rolls out with a damping of 3."""
    world = make_world(
        Setup([Robot(CART, fixed=True, dof={"driveMode": EFFORT, "damping": 3.0})], gravity=REST)
    )
    world.set_dofs([0.0], [2.0])
    world.step(30)
    return [Measured("velocity after 0.5 s", "m/s", world.dofs()[0, 1], 2.0 * math.exp(-0.75))]


def spring(make_world: MakeWorld) -> list[Measured]:
    """A mass of 2 kg on a spring of 50 N/m, after a quarter and a full period."""
    drive = {"driveMode": EFFORT, "stiffness": 50.0}
    period = 2 * math.pi * math.sqrt(CART_MASS / 50.0)
    dt = period / 80
    world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST, dt=dt))
    world.set_dofs([0.4], [0.0])
    found = []
    for frames, name, exact in ((20, "a quarter", 0.0), (60, "a period", 0.4)):
        world.step(frames)
        found.append(Measured(f"position after {name}", "m", world.dofs()[0, 0], exact))
    return found


def drive_modes(make_world: MakeWorld) -> list[Measured]:
    """Stiffness 50 and damping 5 in each mode, targets at 0: where a mass let go at 0.3 m is.

    PhysX has no modes: its drives are given what the modes are taken to mean.
    """
    found = []
    for name, mode in (
        ("NONE", gymapi.DOF_MODE_NONE),
        ("EFFORT", gymapi.DOF_MODE_EFFORT),
        ("POS", gymapi.DOF_MODE_POS),
        ("VEL", gymapi.DOF_MODE_VEL),
    ):
        drive = {"driveMode": int(mode), "stiffness": 50.0, "damping": 5.0}
        world = make_world(Setup([Robot(CART, fixed=True, dof=drive)], gravity=REST))
        world.set_dofs([0.3], [-0.5])
        world.step(20)
        found.append(Measured(f"{name}: after 20 frames", "m", world.dofs()[0, 0]))
    return found


def pendulum(make_world: MakeWorld) -> list[Measured]:
    """A pendulum let go at the horizontal: the time until it is there again, and its energy."""
    world = make_world(Setup([Robot(ARM, fixed=True, dof={"driveMode": EFFORT})], dt=1 / 240))
    angles = []
    energy = 0.0
    for frame in range(480):
        world.step()
        angles.append(float(world.dofs()[0, 0]))
        if frame == 0:
            energy = pendulum_energy(world.dofs()[0])
    # It falls towards 90 degrees, stops at 180 and comes back.
    lowest = next(i for i in range(1, len(angles)) if angles[i] > math.pi / 2)
    again = next(i for i in range(lowest, len(angles)) if angles[i] < math.pi / 2)
    back = pendulum_energy(world.dofs()[0])
    half = 2 * math.sqrt(ARM_INERTIA / (ARM_MASS * GRAVITY * ARM_LENGTH)) * 1.8540746773
    return [
        Measured("half a period", "s", (again - lowest) / 240, half),
        Measured("energy gained in 2 s", "J", back - energy, 0.0),
    ]


def pendulum_energy(dof: list[float]) -> float:
    angle, rate = dof
    return 0.5 * ARM_INERTIA * rate**2 - ARM_MASS * GRAVITY * ARM_LENGTH * math.sin(angle)


def armature(make_world: MakeWorld) -> list[Measured]:
    """10 N on a mass of 2 kg with an armature of 3 kg, for 0.1 s."""
    robot = Robot(CART, fixed=True, dof={"driveMode": EFFORT, "armature": 3.0})
    world = make_world(Setup([robot], gravity=REST))
    world.step(6, effort=[10.0])
    return [Measured("velocity", "m/s", world.dofs()[0, 1], 10.0 / 5.0 * 0.1)]


def dry_friction(make_world: MakeWorld) -> list[Measured]:
    """`friction` 0.1 of a sliding mass of 2 kg: what it takes off the speed, loaded and not."""
    found = []
    for load, gravity in (("nothing", REST), ("its weight", (0.0, 0.0, -GRAVITY))):
        robot = Robot(CART, fixed=True, dof={"driveMode": EFFORT, "friction": 0.1})
        world = make_world(Setup([robot], gravity=gravity))
        world.set_dofs([0.0], [2.0])
        world.step(15)
        loss = 2.0 - float(world.dofs()[0, 1])
        found.append(Measured(f"loaded by {load}: force", "N", CART_MASS * loss / 0.25))
    return found


def limit(make_world: MakeWorld) -> list[Measured]:
    """A mass at 2 m/s runs into the limit at 0.3 m; then 100 N push it there."""
    dof = {"driveMode": EFFORT, "hasLimits": True, "lower": -0.3, "upper": 0.3}
    world = make_world(Setup([Robot(CART, fixed=True, dof=dof)], gravity=REST))
    world.set_dofs([0.0], [2.0])
    farthest = 0.0
    for _ in range(60):
        world.step()
        farthest = max(farthest, float(world.dofs()[0, 0]))
    rebound = float(world.dofs()[0, 1])
    world.set_dofs([0.25], [0.0])
    world.step(60, effort=[100.0])
    return [
        Measured("farthest position", "m", farthest, 0.3),
        Measured("velocity afterwards", "m/s", rebound, 0.0),
        Measured("position under 100 N", "m", world.dofs()[0, 0], 0.3),
    ]


def velocity_limit(make_world: MakeWorld) -> list[Measured]:
    """100 N on a mass of 2 kg whose DOF may do 1.5 m/s; then one that starts at 5 m/s."""
    robot = Robot(CART, fixed=True, dof={"driveMode": EFFORT, "velocity": 1.5})
    found = []
    for name, start, effort in (("pushed", 0.0, 100.0), ("started too fast", 5.0, 0.0)):
        world = make_world(Setup([robot], gravity=REST))
        world.set_dofs([0.0], [start])
        world.step(1, effort=[effort])
        found.append(Measured(f"{name}: velocity after 1 frame", "m/s", world.dofs()[0, 1]))
        world.step(29, effort=[effort])
        found.append(Measured(f"{name}: velocity after 30", "m/s", world.dofs()[0, 1]))
        found.append(Measured(f"{name}: position after 30", "m", world.dofs()[0, 0]))
    return found
