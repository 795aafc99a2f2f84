"""Calls about contacts, one by one and added up."""

from __future__ import annotations

from typing import List, Sequence

import numpy as np

from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym.contact_list import contact_list, net_forces
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation
from rofunc_isaac.isaacgym.structured import structured


class ContactCalls:
    """Mixed into `Gym`.

    Contacts and forces are those of the present state, worked out on the host at each call; the
    net contact force tensor has those of the last physics step. With the GPU pipeline, where
    Isaac Gym refuses these calls, they make the host wait.
    """

    def get_env_rigid_contacts(self, env: Env) -> np.ndarray:
        """RigidContact, (contacts,): see `contact_list`. Bodies count within the environment."""
        world = env.scene.simulation.host_world("get_env_rigid_contacts", env)
        world.load_with_forces(env.index)
        return contact_list(world, env.index)

    def get_rigid_contacts(self, sim: Simulation) -> np.ndarray:
        """RigidContact, (contacts,), of all environments, whose bodies count over all of them."""
        tables = [self.get_env_rigid_contacts(env) for env in sim.scene.envs]
        for env, table in zip(sim.scene.envs, tables):
            for side in ("body0", "body1"):
                # As elsewhere, the first environment says how many bodies there are in each.
                before = env.index * sim.scene.envs[0].num_bodies
                table[side] += np.where(table[side] >= 0, before, 0)
        return np.concatenate(tables)

    def get_env_rigid_contact_forces(self, env: Env) -> np.ndarray:
        """Vec3, (bodies,): the net force of contacts on each body, N, in the world's axes."""
        return structured(forces_on_bodies("get_env_rigid_contact_forces", [env]), Vec3.dtype)

    def get_vec_env_rigid_contact_forces(self, envs: Sequence[Env]) -> np.ndarray:
        """Vec3, (envs * bodies,)."""
        return structured(forces_on_bodies("get_vec_env_rigid_contact_forces", envs), Vec3.dtype)

    def get_rigid_contact_forces(self, sim: Simulation) -> np.ndarray:
        """Vec3, (bodies,), of all environments."""
        return structured(forces_on_bodies("get_rigid_contact_forces", sim.scene.envs), Vec3.dtype)


def forces_on_bodies(call: str, envs: Sequence[Env]) -> np.ndarray:
    """(bodies of all the environments, 3)."""
    found: List[np.ndarray] = []
    for env in envs:
        world = env.scene.simulation.host_world(call, env)
        world.load_with_forces(env.index)
        found.append(net_forces(world))
    return np.concatenate(found)
