"""Calls that push single bodies."""

from __future__ import annotations

from typing import Optional

import numpy as np

from rofunc_isaac.isaacgym import quaternions
from rofunc_isaac.isaacgym._constants import ENV_SPACE, GLOBAL_SPACE, LOCAL_SPACE, CoordinateSpace
from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym.body_forces import check_space
from rofunc_isaac.isaacgym.calls.rigid_bodies import state_of
from rofunc_isaac.isaacgym.locate import locate_body
from rofunc_isaac.isaacgym.scene import Env


class BodyForceCalls:
    """Mixed into `Gym`. Forces act for one `simulate`, and several calls before it add up."""

    def apply_body_forces(
        self,
        env: Env,
        rigidHandle: int,
        force: Optional[Vec3] = None,
        torque: Optional[Vec3] = None,
        space: CoordinateSpace = ENV_SPACE,
    ) -> None:
        """A force in N on the centre of mass and a torque in N m, in the axes of `space`."""
        call = "apply_body_forces"
        in_space = [vector(force), vector(torque)]
        if check_space(call, space) == LOCAL_SPACE:
            turn = state_of(call, env, rigidHandle)[3:7]
            in_space = [quaternions.rotate(turn, each) for each in in_space]
        push(call, env, rigidHandle, *in_space)

    def apply_body_force(self, env: Env, rigidHandle: int, force: Vec3, pos: Vec3) -> None:
        """`apply_body_force_at_pos` in ENV_SPACE: its name in early versions of Isaac Gym."""
        self.apply_body_force_at_pos(env, rigidHandle, force, pos, ENV_SPACE)

    def apply_body_force_at_pos(
        self,
        env: Env,
        rigidHandle: int,
        force: Vec3,
        pos: Optional[Vec3] = None,
        space: CoordinateSpace = ENV_SPACE,
    ) -> None:
        """A force in N at the position `pos` in m, both in `space`; without one as above.

        A position of LOCAL_SPACE is in the body's frame, of GLOBAL_SPACE in that of
        `get_env_origin`.
        """
        call = "apply_body_force_at_pos"
        if pos is None:
            self.apply_body_forces(env, rigidHandle, force, None, space)
            return
        space, row = check_space(call, space), state_of(call, env, rigidHandle)
        pushed, point = vector(force), vector(pos)
        if space == LOCAL_SPACE:
            pushed = quaternions.rotate(row[3:7], pushed)
            point = row[0:3] + quaternions.rotate(row[3:7], point)
        elif space == GLOBAL_SPACE:
            point = point - vector(env.origin)
        handle, index = locate_body(call, env, rigidHandle)
        com = vector(env.actors[handle].body_properties[index].com)
        arm = point - row[0:3] - quaternions.rotate(row[3:7], com)
        push(call, env, rigidHandle, pushed, np.cross(arm, pushed))


def vector(given: Optional[Vec3]) -> np.ndarray:
    return np.zeros(3) if given is None else np.array([given.x, given.y, given.z])


def push(call: str, env: Env, body: int, force: np.ndarray, torque: np.ndarray) -> None:
    """Act on the environment's body number `body` in the next frame, in the world's axes."""
    locate_body(call, env, body)
    simulation = env.scene.simulation
    simulation.ensure_prepared()
    simulation.worlds(call)
    simulation.forces.add_to_body(env.index, int(body), force, torque)
