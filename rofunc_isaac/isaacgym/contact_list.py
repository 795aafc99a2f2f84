"""All contacts of one environment, one by one."""

from __future__ import annotations

from typing import Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._properties import RIGID_CONTACT
from rofunc_isaac.isaacgym.host_world import HostWorld

_SHARED = -1
"""The ground's body and environment."""


def contact_list(world: HostWorld, env: int) -> np.ndarray:
    """RIGID_CONTACT, (contacts,), of the environment `env`, which `world` holds with its forces.

    `body0` is the lower of the two bodies, the ground always `body1`.
    """
    data, contacts, bodies = world.data, world.data.contact, world.places
    chosen = np.flatnonzero(contacts.exclude == 0)
    table = np.zeros(len(chosen), RIGID_CONTACT)
    for row, index in zip(table, chosen.tolist()):
        first, second = (int(world.model.geom_bodyid[geom]) for geom in contacts.geom[index])
        normal = contacts.frame[index, 0:3]
        if bodies.get(first, _SHARED) == _SHARED:
            first, second, normal = second, first, -normal
        forces = np.zeros(6)
        mujoco.mj_contactForce(world.model, data, index, forces)
        row["body0"], row["body1"] = bodies.get(first, _SHARED), bodies.get(second, _SHARED)
        row["env0"] = env
        row["env1"] = _SHARED if row["body1"] == _SHARED else env
        overlap = -contacts.dist[index]
        # MuJoCo's point lies in the middle between the two surfaces.
        for side, body, sign in ((0, first, 0.5), (1, second, -0.5)):
            point = contacts.pos[index] + sign * overlap * normal
            row[f"localPos{side}"] = in_body(data, body, point)
        row["initialOverlap"], row["normal"] = overlap, tuple(normal)
        row["lambda"], row["lambdaFriction"] = forces[0], tuple(np.abs(forces[1:3]))
        friction = contacts.friction[index]
        row["friction"], row["torsionFriction"] = friction[0], friction[2]
        row["rollingFriction"] = friction[3]
    return table


def in_body(data: mujoco.MjData, body: int, point: np.ndarray) -> Tuple[float, ...]:
    """A point of the world in a body's frame; the world's own is body 0."""
    return tuple(data.xmat[body].reshape(3, 3).T @ (point - data.xpos[body]))


def net_forces(world: HostWorld) -> np.ndarray:
    """What all contacts exert on each of the environment's bodies, N, (bodies, 3)."""
    model, data, contacts = world.model, world.data, world.data.contact
    net = np.zeros((len(world.places), 3))
    for index in range(data.ncon):
        forces = np.zeros(6)
        mujoco.mj_contactForce(model, data, index, forces)
        # The frame's rows are the normal, from the first geom to the second, and two tangents.
        force = contacts.frame[index].reshape(3, 3).T @ forces[0:3]
        for geom, sign in zip(contacts.geom[index].tolist(), (-1.0, 1.0)):
            place = world.places.get(int(model.geom_bodyid[geom]))
            if place is not None:
                net[place] += sign * force
    return net
