"""Calls that build the scene, and calls about its environments and actors."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Dict, List

import numpy as np

from rofunc_isaac.isaacgym._constants import (
    DOMAIN_ACTOR,
    DOMAIN_ENV,
    DOMAIN_SIM,
    INVALID_HANDLE,
    IndexDomain,
    MeshType,
)
from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import PlaneParams
from rofunc_isaac.isaacgym._properties import DOF_PROPERTIES, RigidShapeProperties
from rofunc_isaac.isaacgym.calls.assets import check_length, index_of
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Actor, Env, SceneAsset
from rofunc_isaac.isaacgym.simulation import Simulation


class SceneCalls:
    """Mixed into `Gym`. An actor handle is the actor's index within its environment."""

    def add_ground(self, sim: Simulation, params: PlaneParams) -> None:
        sim.scene.check_open("add_ground")
        sim.scene.ground = params

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
        Segmentation needs cameras, which this version does not have.
        """
        return env.scene.add_actor(env, asset, pose, name, int(group), int(filter))

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
        return sum(len(actor.asset.force_sensors) for env in sim.scene.envs for actor in env.actors)

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

    def get_actor_dof_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).asset.description.dof_names)

    def get_actor_dof_names(self, env: Env, handle: int) -> List[str]:
        return list(env.actor(handle).asset.description.dof_names)

    def get_actor_dof_dict(self, env: Env, handle: int) -> Dict[str, int]:
        return {name: index for index, name in enumerate(self.get_actor_dof_names(env, handle))}

    def get_actor_rigid_body_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).asset.description.body_names)

    def get_actor_rigid_body_names(self, env: Env, handle: int) -> List[str]:
        return list(env.actor(handle).asset.description.body_names)

    def get_actor_rigid_body_dict(self, env: Env, handle: int) -> Dict[str, int]:
        names = self.get_actor_rigid_body_names(env, handle)
        return {name: index for index, name in enumerate(names)}

    def find_actor_rigid_body_handle(self, env: Env, handle: int, name: str) -> int:
        """Index of a body within its environment, over all actors there."""
        index = index_of(self.get_actor_rigid_body_names(env, handle), name)
        if index == INVALID_HANDLE:
            return INVALID_HANDLE
        before = env.actors[:handle]
        return index + sum(len(actor.asset.description.body_names) for actor in before)

    def get_actor_dof_properties(self, env: Env, handle: int) -> np.ndarray:
        """DofProperties, (dofs,); a copy."""
        return env.actor(handle).dof_properties.copy()

    def set_actor_dof_properties(self, env: Env, handle: int, props: np.ndarray) -> bool:
        """Set DofProperties, (dofs,); they take effect at prepare_sim or the next simulate."""
        actor = env.actor(handle)
        check_length("set_actor_dof_properties", props, len(actor.dof_properties))
        actor.dof_properties = np.array(props, dtype=DOF_PROPERTIES)
        env.scene.changed = True
        return True

    def get_actor_rigid_shape_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).shape_properties)

    def get_actor_rigid_shape_properties(self, env: Env, handle: int) -> List[RigidShapeProperties]:
        return [deepcopy(shape) for shape in env.actor(handle).shape_properties]

    def set_actor_rigid_shape_properties(
        self, env: Env, handle: int, props: List[RigidShapeProperties]
    ) -> bool:
        """Set the shapes' friction, for one environment; and before prepare_sim their filters."""
        actor = env.actor(handle)
        check_length("set_actor_rigid_shape_properties", props, len(actor.shape_properties))
        check_filters_stand(env, actor, props)
        actor.shape_properties = [deepcopy(shape) for shape in props]
        env.scene.changed = True
        return True

    def enable_actor_dof_force_sensors(self, env: Env, handle: int) -> bool:
        env.scene.check_open("enable_actor_dof_force_sensors")
        env.actor(handle).dof_forces_enabled = True
        return True

    def set_rigid_body_color(
        self, env: Env, handle: int, body: int, mesh: MeshType, color: Vec3
    ) -> None:
        """Colours are seen in a viewer only, and this version has none: accepted, not kept."""


def check_filters_stand(env: Env, actor: Actor, props: List[Any]) -> None:
    if not env.scene.frozen:
        return
    for old, new in zip(actor.shape_properties, props):
        if old.filter != new.filter:
            raise GymError(
                "set_actor_rigid_shape_properties: a shape's filter cannot change once a tensor "
                "was acquired or prepare_sim was called"
            )
