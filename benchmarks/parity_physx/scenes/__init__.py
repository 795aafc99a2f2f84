"""All scenes, by the heading they stand under in the table."""

from __future__ import annotations

from benchmarks.parity_physx.scenes import contacts, drives, free_bodies, passive, sliding, walkers
from benchmarks.parity_physx.world import Scene

SCENES: dict[str, list[Scene]] = {
    "Drives": [
        drives.position_steps,
        drives.velocity_drive,
        drives.limited_effort,
        drives.limited_finger,
        drives.velocity_limit,
        drives.held_arm,
    ],
    "Joints": [
        passive.damper,
        passive.spring,
        passive.drive_modes,
        passive.pendulum,
        passive.armature,
        passive.dry_friction,
        passive.limit,
        passive.velocity_limit,
    ],
    "Free bodies": [
        free_bodies.free_fall,
        free_bodies.off_centre_spin,
        free_bodies.tumbling,
        free_bodies.damped,
        free_bodies.damped_links,
        free_bodies.fastest,
    ],
    "Contacts": [
        contacts.dropped_box,
        contacts.stack,
        contacts.bounce,
        contacts.penetrating,
        contacts.resting_distance,
    ],
    "Friction": [
        sliding.sliding_box,
        sliding.incline,
        sliding.rolling_ball,
        sliding.between_actors,
        sliding.spinning_box,
    ],
    "Legged robots": [
        walkers.ant_without_limits,
        walkers.ant_in_the_air,
        walkers.ant_on_the_ground,
        walkers.standing,
        walkers.stepping,
    ],
}
