"""Calls that build the scene, and calls about its environments and actors."""

from __future__ import annotations

from copy import deepcopy
from typing import List

import numpy as np

from rofunc_isaac.isaacgym._constants import (
    DOMAIN_ACTOR,
    DOMAIN_ENV,
    DOMAIN_SIM,
    INVALID_HANDLE,
    IndexDomain,
)
from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import HeightFieldParams, PlaneParams, TriangleMeshParams
from rofunc_isaac.isaacgym.actor import SceneAsset
from rofunc_isaac.isaacgym.calls.assets import index_of
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation
from rofunc_isaac.isaacgym.terrain import from_samples, from_triangles


class SceneCalls:
    """Mixed into `Gym`. An actor handle is the actor's index within its environment."""

    def add_ground(self, sim: Simulation, params: PlaneParams) -> None:
        sim.scene.check_open("add_ground")
        sim.scene.ground = params

    def add_heightfield(
        self, sim: Simulation, samples: np.ndarray, params: HeightFieldParams
    ) -> None:
        """Ground of int16 `samples`, `params.vertical_scale` m a unit; see `from_samples`."""
        sim.scene.check_open("add_heightfield")
        sim.scene.terrains.append(from_samples(np.asarray(samples), deepcopy(params)))

    def add_triangle_mesh(
        self,
        sim: Simulation,
        vertices: np.ndarray,
        triangles: np.ndarray,
        params: TriangleMeshParams,
    ) -> None:
        """Ground of triangles: float32 coordinates, uint32 vertices; see `from_triangles`."""
        sim.scene.check_open("add_triangle_mesh")
        sim.scene.terrains.append(from_triangles(vertices, triangles, deepcopy(params)))

    def create_env(self, sim: Simulation, lower: Vec3, upper: Vec3, num_per_row: int) -> Env:
        """A new environment. The bounds place it in a viewer; its physics has its own origin."""
        return sim.scene.add_env(lower, upper, num_per_row)

    def create_actor(
        self,
        env: Env,
        asset: SceneAsset,
        pose: Transform,
        name: str = "",
        group: int = -1,
        filter: int = -1,
        segmentationId: int = 0,
    ) -> int:
        """Put `asset` into `env` at `pose`, in the environment's frame; returns its handle.

        Shapes collide within one `group`, if their filters share no bit; group -1 meets every
        group, filter -1 leaves each shape its own. Every shape collides with the ground.
        `segmentationId` is what camera sensors see of it.
        """
        return env.scene.add_actor(
            env, asset, pose, name, int(group), int(filter), int(segmentationId)
        )

    def get_env(self, sim: Simulation, index: int) -> Env:
        return sim.scene.envs[index]

    def get_env_count(self, sim: Simulation) -> int:
        return len(sim.scene.envs)

    def get_env_origin(self, env: Env) -> Vec3:
        return deepcopy(env.origin)

    def get_env_dof_count(self, env: Env) -> int:
        return sum(len(actor.asset.description.dof_names) for actor in env.actors)

    def get_env_rigid_body_count(self, env: Env) -> int:
        return sum(len(actor.asset.description.body_names) for actor in env.actors)

    def get_sim_actor_count(self, sim: Simulation) -> int:
        return sim.scene.num_actors

    def get_sim_dof_count(self, sim: Simulation) -> int:
        return sum(self.get_env_dof_count(env) for env in sim.scene.envs)

    def get_sim_rigid_body_count(self, sim: Simulation) -> int:
        return sum(self.get_env_rigid_body_count(env) for env in sim.scene.envs)

    def get_sim_force_sensor_count(self, sim: Simulation) -> int:
        return sum(len(actor.force_sensors) for env in sim.scene.envs for actor in env.actors)

    def get_sim_tetrahedra_count(self, sim: Simulation) -> int:
        """None: there are no soft bodies."""
        return 0

    def get_sim_triangle_count(self, sim: Simulation) -> int:
        """None: there are no soft bodies."""
        return 0

    def get_actor_count(self, env: Env) -> int:
        return len(env.actors)

    def get_actor_handle(self, env: Env, index: int) -> int:
        return index if 0 <= index < len(env.actors) else INVALID_HANDLE

    def find_actor_handle(self, env: Env, name: str) -> int:
        return index_of([actor.name for actor in env.actors], name)

    def get_actor_name(self, env: Env, handle: int) -> str:
        return env.actor(handle).name

    def get_actor_asset(self, env: Env, handle: int) -> SceneAsset:
        return env.actor(handle).asset

    def get_actor_index(self, env: Env, handle: int, domain: IndexDomain) -> int:
        """The actor's index in the environment or, for DOMAIN_SIM, in the root state tensor."""
        env.actor(handle)
        if domain == DOMAIN_SIM:
            # Rows of the tensors are grouped by environment. While this one is still being filled,
            # the first says how many actors it will hold.
            return env.index * len(env.scene.envs[0].actors) + handle
        if domain in (DOMAIN_ENV, DOMAIN_ACTOR):
            return handle
        raise GymError(f"get_actor_index: unknown domain {domain}")

    def find_actor_index(self, env: Env, name: str, domain: IndexDomain) -> int:
        """`get_actor_index` of the actor called `name`, INVALID_HANDLE if there is none."""
        handle = self.find_actor_handle(env, name)
        return handle if handle == INVALID_HANDLE else self.get_actor_index(env, handle, domain)

    def create_aggregate(self, env: Env, actors: List[int]) -> bool:
        """See `begin_aggregate`."""
        return True

    def begin_aggregate(
        self, env: Env, max_bodies: int, max_shapes: int, self_collisions: bool
    ) -> bool:
        """Aggregates spare PhysX work and change no physics. MuJoCo has no use for them."""
        return True

    def end_aggregate(self, env: Env) -> bool:
        """See `begin_aggregate`."""
        return True
