"""Calls about the parts of actors: their names, numbers and indices."""

from __future__ import annotations

from typing import Dict, List

from rofunc_isaac.isaacgym._constants import (
    DOMAIN_ACTOR,
    DOMAIN_ENV,
    DOMAIN_SIM,
    INVALID_HANDLE,
    IndexDomain,
)
from rofunc_isaac.isaacgym._properties import ActuatorProperties, IndexRange
from rofunc_isaac.isaacgym.calls.assets import actuator_properties, index_of, shape_indices
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env


class ActorCalls:
    """Mixed into `Gym`.

    An actor's handle is its index within its environment; handles of DOFs, joints and bodies are
    theirs, over all actors there. An index counts within its domain: the actor, the environment or
    the whole simulation, where it is the row in the tensors.
    """

    def get_actor_dof_count(self, env: Env, handle: int) -> int:
        return len(part_names(env, handle, "dof"))

    def get_actor_dof_names(self, env: Env, handle: int) -> List[str]:
        return list(part_names(env, handle, "dof"))

    def get_actor_dof_dict(self, env: Env, handle: int) -> Dict[str, int]:
        return numbered(part_names(env, handle, "dof"))

    def get_actor_dof_handle(self, env: Env, handle: int, index: int) -> int:
        return part_index(env, handle, "dof", index, DOMAIN_ENV)

    def get_actor_dof_index(self, env: Env, handle: int, index: int, domain: IndexDomain) -> int:
        return part_index(env, handle, "dof", index, domain)

    def find_actor_dof_handle(self, env: Env, handle: int, name: str) -> int:
        return find_part(env, handle, "dof", name, DOMAIN_ENV)

    def find_actor_dof_index(self, env: Env, handle: int, name: str, domain: IndexDomain) -> int:
        return find_part(env, handle, "dof", name, domain)

    def get_actor_joint_count(self, env: Env, handle: int) -> int:
        return len(part_names(env, handle, "joint"))

    def get_actor_joint_names(self, env: Env, handle: int) -> List[str]:
        return list(part_names(env, handle, "joint"))

    def get_actor_joint_dict(self, env: Env, handle: int) -> Dict[str, int]:
        """Fixed joints included: a joint's number is that of its child link, less one."""
        return numbered(part_names(env, handle, "joint"))

    def get_actor_joint_handle(self, env: Env, handle: int, index: int) -> int:
        return part_index(env, handle, "joint", index, DOMAIN_ENV)

    def get_actor_joint_index(self, env: Env, handle: int, index: int, domain: IndexDomain) -> int:
        return part_index(env, handle, "joint", index, domain)

    def find_actor_joint_handle(self, env: Env, handle: int, name: str) -> int:
        return find_part(env, handle, "joint", name, DOMAIN_ENV)

    def find_actor_joint_index(self, env: Env, handle: int, name: str, domain: IndexDomain) -> int:
        return find_part(env, handle, "joint", name, domain)

    def get_actor_rigid_body_count(self, env: Env, handle: int) -> int:
        return len(part_names(env, handle, "body"))

    def get_actor_rigid_body_names(self, env: Env, handle: int) -> List[str]:
        return list(part_names(env, handle, "body"))

    def get_actor_rigid_body_dict(self, env: Env, handle: int) -> Dict[str, int]:
        return numbered(part_names(env, handle, "body"))

    def get_actor_rigid_body_handle(self, env: Env, handle: int, index: int) -> int:
        return part_index(env, handle, "body", index, DOMAIN_ENV)

    def get_actor_rigid_body_index(
        self, env: Env, handle: int, index: int, domain: IndexDomain
    ) -> int:
        return part_index(env, handle, "body", index, domain)

    def find_actor_rigid_body_handle(self, env: Env, handle: int, name: str) -> int:
        return find_part(env, handle, "body", name, DOMAIN_ENV)

    def find_actor_rigid_body_index(
        self, env: Env, handle: int, name: str, domain: IndexDomain
    ) -> int:
        return find_part(env, handle, "body", name, domain)

    def get_actor_root_rigid_body_handle(self, env: Env, handle: int) -> int:
        return part_index(env, handle, "body", 0, DOMAIN_ENV)

    def get_actor_rigid_body_shape_indices(self, env: Env, handle: int) -> List[IndexRange]:
        """Which of the actor's shapes belong to each of its bodies."""
        return shape_indices(env.actor(handle).asset.description)

    def get_actor_soft_body_count(self, env: Env, handle: int) -> int:
        """None: there is no FleX."""
        return 0

    def get_actor_actuator_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).asset.description.actuators)

    def get_actor_actuator_name(self, env: Env, handle: int, index: int) -> str:
        return env.actor(handle).asset.description.actuators[index].name

    def get_actor_actuator_joint_name(self, env: Env, handle: int, index: int) -> str:
        return env.actor(handle).asset.description.actuators[index].joint

    def get_actor_actuator_properties(self, env: Env, handle: int) -> List[ActuatorProperties]:
        return actuator_properties(env.actor(handle).asset.description)

    def find_actor_actuator_index(self, env: Env, handle: int, name: str) -> int:
        actuators = env.actor(handle).asset.description.actuators
        return index_of([actuator.name for actuator in actuators], name)

    def get_actor_tendon_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).asset.description.tendons)

    def get_actor_tendon_name(self, env: Env, handle: int, index: int) -> str:
        return env.actor(handle).asset.description.tendons[index].name

    def find_actor_tendon_index(self, env: Env, handle: int, name: str) -> int:
        tendons = env.actor(handle).asset.description.tendons
        return index_of([tendon.name for tendon in tendons], name)


def numbered(names: List[str]) -> Dict[str, int]:
    return {name: index for index, name in enumerate(names)}


def part_names(env: Env, handle: int, kind: str) -> List[str]:
    """Names of the actor's parts of `kind`: dof, joint or body."""
    return getattr(env.actor(handle).asset.description, f"{kind}_names")


def find_part(env: Env, handle: int, kind: str, name: str, domain: IndexDomain) -> int:
    """The part's index in `domain`, INVALID_HANDLE for a name that is not there."""
    index = index_of(part_names(env, handle, kind), name)
    return index if index == INVALID_HANDLE else part_index(env, handle, kind, index, domain)


def part_index(env: Env, handle: int, kind: str, index: int, domain: IndexDomain) -> int:
    """Of the actor's part number `index`; INVALID_HANDLE where it has none."""
    if not 0 <= index < len(part_names(env, handle, kind)):
        return INVALID_HANDLE
    if domain == DOMAIN_ACTOR:
        return index
    within_env = index + sum(len(part_names(env, before, kind)) for before in range(handle))
    if domain == DOMAIN_ENV:
        return within_env
    if domain == DOMAIN_SIM:
        # As in `get_actor_index`, the first environment says how many there are in each.
        first = env.scene.envs[0]
        per_env = sum(len(part_names(first, actor, kind)) for actor in range(len(first.actors)))
        return env.index * per_env + within_env
    raise GymError(f"unknown index domain {domain}; use DOMAIN_ACTOR, DOMAIN_ENV or DOMAIN_SIM")
