"""Calls about the poses and velocities of bodies, as NumPy arrays and records."""

from __future__ import annotations

from typing import Any, List, Sequence, Union

import numpy as np

from rofunc_isaac.isaacgym._constants import DOMAIN_ENV, INVALID_HANDLE, STATE_POS, STATE_VEL
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym._properties import RigidBodyState
from rofunc_isaac.isaacgym._tensor import GymTensor
from rofunc_isaac.isaacgym.actor_states import (
    ActorRef,
    link_states,
    root_state,
    set_link_states,
    set_root_state,
)
from rofunc_isaac.isaacgym.calls.actors import find_part
from rofunc_isaac.isaacgym.calls.assets import index_of
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.locate import locate_body
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation
from rofunc_isaac.isaacgym.structured import numbers_of, structured


class RigidBodyCalls:
    """Mixed into `Gym`.

    Everything is in the environment's frame, with the axes of the world; linear velocities are
    those of centres of mass. Getters give copies of the present state, with what was set since
    the last frame, positions and velocities whatever their flags. What is set takes effect at
    once. With the GPU pipeline, where Isaac Gym refuses these calls, they make the host wait.
    """

    def get_actor_rigid_body_states(self, env: Env, handle: int, flags: int) -> np.ndarray:
        """RigidBodyState, (bodies,)."""
        return structured(link_states([(env, handle)]), RigidBodyState.dtype)

    def get_env_rigid_body_states(self, env: Env, flags: int) -> np.ndarray:
        """RigidBodyState, (bodies,), of the environment's actors in their order."""
        return structured(link_states(actors_of([env])), RigidBodyState.dtype)

    def get_sim_rigid_body_states(self, sim: Simulation, flags: int) -> np.ndarray:
        """RigidBodyState, (bodies,), in the order of the rigid body state tensor."""
        return structured(link_states(actors_of(sim.scene.envs)), RigidBodyState.dtype)

    def set_actor_rigid_body_states(
        self, env: Env, handle: int, states: np.ndarray, flags: int
    ) -> bool:
        """Move an actor: see `set_link_states`. `flags` is STATE_POS, STATE_VEL or STATE_ALL."""
        set_states("set_actor_rigid_body_states", [(env, handle)], states, flags)
        return True

    def set_env_rigid_body_states(self, env: Env, states: np.ndarray, flags: int) -> bool:
        """Move all actors of an environment."""
        set_states("set_env_rigid_body_states", actors_of([env]), states, flags)
        return True

    def set_sim_rigid_body_states(self, sim: Simulation, states: np.ndarray, flags: int) -> bool:
        """Move all actors."""
        set_states("set_sim_rigid_body_states", actors_of(sim.scene.envs), states, flags)
        return True

    def set_rigid_body_state_tensor(self, sim: Simulation, states: GymTensor) -> bool:
        """Move all actors: float32 (bodies, 13), as the rigid body state tensor has them.

        The manual offers this for FleX alone.
        """
        values = states.tensor.detach().cpu().numpy()
        call, refs = "set_rigid_body_state_tensor", actors_of(sim.scene.envs)
        set_states(call, refs, values, STATE_POS | STATE_VEL)
        return True

    def get_rigid_handle(self, env: Env, actor: str, body: str) -> int:
        """The handle of a body by its actor's name and its own, INVALID_HANDLE without such."""
        handle = index_of([each.name for each in env.actors], actor)
        if handle == INVALID_HANDLE:
            return INVALID_HANDLE
        return find_part(env, handle, "body", body, DOMAIN_ENV)

    def get_rigid_name(self, env: Env, body: int) -> str:
        handle, index = locate_body("get_rigid_name", env, body)
        return env.actors[handle].asset.description.body_names[index]

    def get_rigid_transform(self, env: Env, body: int) -> Transform:
        """The pose of the environment's body number `body`."""
        row = state_of("get_rigid_transform", env, body).tolist()
        return Transform(Vec3(*row[0:3]), Quat(*row[3:7]))

    def get_rigid_linear_velocity(self, env: Env, body: int) -> Vec3:
        return Vec3(*state_of("get_rigid_linear_velocity", env, body)[7:10].tolist())

    def get_rigid_angular_velocity(self, env: Env, body: int) -> Vec3:
        return Vec3(*state_of("get_rigid_angular_velocity", env, body)[10:13].tolist())

    def set_rigid_transform(self, env: Env, body: int, pose: Transform) -> None:
        """Move a root with all that hangs on it, or a link as far as its joint allows."""
        p, r = pose.p, pose.r
        values = [p.x, p.y, p.z, r.x, r.y, r.z, r.w]
        set_part_of_state("set_rigid_transform", env, body, slice(0, 7), values)

    def set_rigid_linear_velocity(self, env: Env, body: int, velocity: Vec3) -> None:
        values = [velocity.x, velocity.y, velocity.z]
        set_part_of_state("set_rigid_linear_velocity", env, body, slice(7, 10), values)

    def set_rigid_angular_velocity(self, env: Env, body: int, velocity: Vec3) -> None:
        values = [velocity.x, velocity.y, velocity.z]
        set_part_of_state("set_rigid_angular_velocity", env, body, slice(10, 13), values)

    def get_vec_rigid_transform(
        self, envs: Sequence[Env], body: Union[int, Sequence[int]]
    ) -> np.ndarray:
        """Transform, (envs,): the pose of one body an environment, the same everywhere or not."""
        states = states_of("get_vec_rigid_transform", envs, body)
        return structured(states[:, 0:7], Transform.dtype)

    def get_vec_rigid_linear_velocity(
        self, envs: Sequence[Env], body: Union[int, Sequence[int]]
    ) -> np.ndarray:
        """Vec3, (envs,)."""
        states = states_of("get_vec_rigid_linear_velocity", envs, body)
        return structured(states[:, 7:10], Vec3.dtype)

    def get_vec_rigid_angular_velocity(
        self, envs: Sequence[Env], body: Union[int, Sequence[int]]
    ) -> np.ndarray:
        """Vec3, (envs,)."""
        states = states_of("get_vec_rigid_angular_velocity", envs, body)
        return structured(states[:, 10:13], Vec3.dtype)


def actors_of(envs: Sequence[Env]) -> List[ActorRef]:
    return [(env, handle) for env in envs for handle in range(len(env.actors))]


def set_states(call: str, refs: List[ActorRef], states: Any, flags: int) -> None:
    num_links = sum(len(env.actor(handle).body_properties) for env, handle in refs)
    links = numbers_of(call, states, (num_links, 13))
    set_link_states(refs, links, poses=bool(flags & STATE_POS), rates=bool(flags & STATE_VEL))


def state_of(call: str, env: Env, body: int) -> np.ndarray:
    """(13,), of the environment's body number `body`."""
    handle, index = locate_body(call, env, body)
    return link_states([(env, handle)])[index]


def states_of(call: str, envs: Sequence[Env], body: Union[int, Sequence[int]]) -> np.ndarray:
    """(envs, 13)."""
    bodies = per_env(call, envs, body)
    return np.stack([state_of(call, env, each) for env, each in zip(envs, bodies)])


def per_env(call: str, envs: Sequence[Env], given: Union[int, Sequence[int]]) -> List[int]:
    """A handle for each environment, from one for all or a list of them."""
    handles = np.atleast_1d(np.asarray(given)).tolist()
    if len(handles) == 1:
        return handles * len(envs)
    if len(handles) != len(envs):
        raise GymError(f"{call} was given {len(envs)} environments and {len(handles)} handles")
    return handles


def set_part_of_state(call: str, env: Env, body: int, part: slice, values: List[float]) -> None:
    handle, index = locate_body(call, env, body)
    if index == 0:
        row = root_state(env, handle).copy()
        row[part] = values
        set_root_state(env, handle, row)
        return
    links = link_states([(env, handle)])
    links[index, part] = values
    set_link_states([(env, handle)], links, poses=part.start == 0, rates=part.start > 0)
