"""Calls about the states, targets and efforts of DOFs, as NumPy arrays and numbers."""

from __future__ import annotations

from typing import Sequence, Union

import numpy as np

from rofunc_isaac.isaacgym._constants import STATE_POS, STATE_VEL
from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym._properties import DofFrame, DofState
from rofunc_isaac.isaacgym._record import to_float
from rofunc_isaac.isaacgym.actor_control import (
    EFFORT,
    POSITION_TARGET,
    VELOCITY_TARGET,
    control,
    set_control,
)
from rofunc_isaac.isaacgym.actor_states import dof_rows, dof_states, root_state, set_dof_states
from rofunc_isaac.isaacgym.calls.rigid_bodies import per_env
from rofunc_isaac.isaacgym.locate import locate_dof
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.structured import numbers_of, structured


class DofStateCalls:
    """Mixed into `Gym`.

    Units: rad and m, rad/s and m/s, N m and N. Handles of DOFs count within the environment. What
    is set takes effect at once, getters give copies of the present state, also before prepare_sim.
    With the GPU pipeline, where Isaac Gym refuses these calls, they make the host wait.
    """

    def get_actor_dof_states(self, env: Env, handle: int, flags: int) -> np.ndarray:
        """DofState, (dofs,): positions and velocities, whatever `flags`."""
        return structured(dof_states(env, handle), DofState.dtype)

    def set_actor_dof_states(self, env: Env, handle: int, states: np.ndarray, flags: int) -> bool:
        """Set DofState, (dofs,). `flags` is STATE_POS, STATE_VEL or STATE_ALL."""
        values = dof_states(env, handle).copy()
        given = numbers_of("set_actor_dof_states", states, values.shape)
        for column, flag in enumerate((STATE_POS, STATE_VEL)):
            if flags & flag:
                values[:, column] = given[:, column]
        set_dof_states(env, handle, values)
        return True

    def get_vec_actor_dof_states(
        self, envs: Sequence[Env], handle: Union[int, Sequence[int]], flags: int
    ) -> np.ndarray:
        """DofState, (envs, dofs), of one actor an environment."""
        handles = per_env("get_vec_actor_dof_states", envs, handle)
        states = np.stack([dof_states(env, each) for env, each in zip(envs, handles)])
        return structured(states, DofState.dtype)

    def get_dof_position(self, env: Env, dof: int) -> float:
        handle, index = locate_dof("get_dof_position", env, dof)
        return float(dof_states(env, handle)[index, 0])

    def get_dof_velocity(self, env: Env, dof: int) -> float:
        handle, index = locate_dof("get_dof_velocity", env, dof)
        return float(dof_states(env, handle)[index, 1])

    def get_actor_dof_position_targets(self, env: Env, handle: int) -> np.ndarray:
        """float32 (dofs,)."""
        return control(env, handle, POSITION_TARGET)

    def set_actor_dof_position_targets(self, env: Env, handle: int, targets: np.ndarray) -> bool:
        """Position targets, (dofs,), until they are set again."""
        set_all("set_actor_dof_position_targets", env, handle, POSITION_TARGET, targets)
        return True

    def get_actor_dof_velocity_targets(self, env: Env, handle: int) -> np.ndarray:
        """float32 (dofs,)."""
        return control(env, handle, VELOCITY_TARGET)

    def set_actor_dof_velocity_targets(self, env: Env, handle: int, targets: np.ndarray) -> bool:
        """Velocity targets, (dofs,), until they are set again."""
        set_all("set_actor_dof_velocity_targets", env, handle, VELOCITY_TARGET, targets)
        return True

    def get_dof_target_position(self, env: Env, dof: int) -> float:
        return get_one("get_dof_target_position", env, dof, POSITION_TARGET)

    def set_dof_target_position(self, env: Env, dof: int, target: float) -> None:
        set_one("set_dof_target_position", env, dof, POSITION_TARGET, target)

    def get_dof_target_velocity(self, env: Env, dof: int) -> float:
        return get_one("get_dof_target_velocity", env, dof, VELOCITY_TARGET)

    def set_dof_target_velocity(self, env: Env, dof: int, target: float) -> None:
        set_one("set_dof_target_velocity", env, dof, VELOCITY_TARGET, target)

    def apply_actor_dof_efforts(self, env: Env, handle: int, efforts: np.ndarray) -> bool:
        """Efforts, (dofs,), for the next frame; several calls before it add up."""
        present = control(env, handle, EFFORT)
        added = numbers_of("apply_actor_dof_efforts", efforts, present.shape)
        set_control(env, handle, EFFORT, present + added)
        return True

    def apply_dof_effort(self, env: Env, dof: int, effort: float) -> None:
        """An effort for the next frame; several calls before it add up."""
        handle, index = locate_dof("apply_dof_effort", env, dof)
        values = control(env, handle, EFFORT)
        values[index] += to_float(effort)
        set_control(env, handle, EFFORT, values)

    def get_actor_dof_forces(self, env: Env, handle: int) -> np.ndarray:
        """float32 (dofs,), of the last frame; see `DofForces`, which has to be enabled."""
        simulation = env.scene.simulation
        simulation.worlds("get_actor_dof_forces")
        forces = simulation.host.get("dof forces", simulation.dof_forces.read)
        return forces[dof_rows(env, handle)].copy()

    def get_actor_dof_frames(self, env: Env, handle: int) -> np.ndarray:
        """DofFrame, (dofs,): origin and axis of every DOF, in the environment's frame."""
        return structured(frames(env, handle), DofFrame.dtype)

    def get_dof_frame(self, env: Env, dof: int) -> DofFrame:
        handle, index = locate_dof("get_dof_frame", env, dof)
        row = frames(env, handle)[index].tolist()
        return DofFrame(Vec3(*row[0:3]), Vec3(*row[3:6]))


def set_all(call: str, env: Env, handle: int, kind: str, values: np.ndarray) -> None:
    shape = (len(env.actor(handle).dof_properties),)
    set_control(env, handle, kind, numbers_of(call, values, shape))


def get_one(call: str, env: Env, dof: int, kind: str) -> float:
    handle, index = locate_dof(call, env, dof)
    return float(control(env, handle, kind)[index])


def set_one(call: str, env: Env, dof: int, kind: str, value: float) -> None:
    handle, index = locate_dof(call, env, dof)
    values = control(env, handle, kind)
    values[index] = to_float(value)
    set_control(env, handle, kind, values)


def frames(env: Env, handle: int) -> np.ndarray:
    """Origins and axes, (dofs, 6)."""
    kinematics = env.actor(handle).asset.kinematics
    root, dofs = root_state(env, handle), dof_states(env, handle)
    return np.concatenate(kinematics.joint_frames(root, dofs), axis=-1)
