"""Calls about joints, by which the oldest programs name what they drive."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from rofunc_isaac.isaacgym import quaternions
from rofunc_isaac.isaacgym._constants import DOMAIN_ENV, INVALID_HANDLE, DofType, JointType
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym._record import to_float
from rofunc_isaac.isaacgym.actor_control import (
    POSITION_TARGET,
    VELOCITY_TARGET,
    control,
    set_control,
)
from rofunc_isaac.isaacgym.actor_states import dof_states, link_states
from rofunc_isaac.isaacgym.calls.actors import find_part
from rofunc_isaac.isaacgym.calls.assets import index_of
from rofunc_isaac.isaacgym.calls.dof_states import frames
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.locate import locate_joint
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation
from rofunc_isaac.isaacgym.structured import structured


class JointCalls:
    """Mixed into `Gym`. Joints count within the environment, fixed ones too: these have no state.

    Units: rad and m, rad/s and m/s.
    """

    def get_env_joint_count(self, env: Env) -> int:
        return sum(len(actor.asset.description.joint_names) for actor in env.actors)

    def get_sim_joint_count(self, sim: Simulation) -> int:
        return sum(self.get_env_joint_count(env) for env in sim.scene.envs)

    def get_joint_type_string(self, type: JointType) -> str:
        """`Revolute`, `Prismatic`, `Fixed`, ..."""
        return JointType(type).name.split("_")[1].capitalize()

    def get_dof_type_string(self, type: DofType) -> str:
        """`Rotation` or `Translation`."""
        return DofType(type).name.split("_")[1].capitalize()

    def get_joint_handle(self, env: Env, actor: str, joint: str) -> int:
        """The handle of a joint by its actor's name and its own, INVALID_HANDLE without such."""
        handle = index_of([each.name for each in env.actors], actor)
        if handle == INVALID_HANDLE:
            return INVALID_HANDLE
        return find_part(env, handle, "joint", joint, DOMAIN_ENV)

    def get_joint_name(self, env: Env, joint: int) -> str:
        handle, index = locate_joint("get_joint_name", env, joint)
        return env.actors[handle].asset.description.joint_names[index]

    def get_joint_position(self, env: Env, joint: int) -> float:
        handle, dof = dof_of("get_joint_position", env, joint)
        return float(dof_states(env, handle)[dof, 0])

    def get_joint_velocity(self, env: Env, joint: int) -> float:
        handle, dof = dof_of("get_joint_velocity", env, joint)
        return float(dof_states(env, handle)[dof, 1])

    def get_joint_target_position(self, env: Env, joint: int) -> float:
        handle, dof = dof_of("get_joint_target_position", env, joint)
        return float(control(env, handle, POSITION_TARGET)[dof])

    def set_joint_target_position(self, env: Env, joint: int, target: float) -> None:
        set_target("set_joint_target_position", env, joint, POSITION_TARGET, target)

    def get_joint_target_velocity(self, env: Env, joint: int) -> float:
        handle, dof = dof_of("get_joint_target_velocity", env, joint)
        return float(control(env, handle, VELOCITY_TARGET)[dof])

    def set_joint_target_velocity(self, env: Env, joint: int, target: float) -> None:
        set_target("set_joint_target_velocity", env, joint, VELOCITY_TARGET, target)

    def get_actor_joint_transforms(self, env: Env, handle: int) -> np.ndarray:
        """Transform, (joints,): where joints are, in the environment's frame.

        The x axis of a joint's frame is its axis. It moves with the child link; a fixed joint's
        frame is its child's.
        """
        return structured(joint_poses(env, handle), Transform.dtype)

    def get_joint_transform(self, env: Env, joint: int) -> Transform:
        """See `get_actor_joint_transforms`."""
        handle, index = locate_joint("get_joint_transform", env, joint)
        row = joint_poses(env, handle)[index].tolist()
        return Transform(Vec3(*row[0:3]), Quat(*row[3:7]))


def dof_of(call: str, env: Env, joint: int) -> Tuple[int, int]:
    """The actor's handle and the index within it of the joint's DOF.

    Raises:
        GymError: there is no such joint, or it is fixed.
    """
    handle, index = locate_joint(call, env, joint)
    asset = env.actors[handle].asset
    _, dof = asset.kinematics.joints()[index]
    if dof < 0:
        name = asset.description.joint_names[index]
        raise GymError(f"{call}: joint {joint} ('{name}') is fixed: it has no state and no target")
    return handle, dof


def set_target(call: str, env: Env, joint: int, kind: str, target: float) -> None:
    handle, dof = dof_of(call, env, joint)
    values = control(env, handle, kind)
    values[dof] = to_float(target)
    set_control(env, handle, kind, values)


def joint_poses(env: Env, handle: int) -> np.ndarray:
    """Positions and quaternions xyzw of an actor's joints, (joints, 7)."""
    links, dof_frames = link_states([(env, handle)]), frames(env, handle)
    joints = env.actor(handle).asset.kinematics.joints()
    poses = np.zeros((len(joints), 7))
    for pose, (link, dof) in zip(poses, joints):
        pose[:] = links[link, 0:7]
        if dof >= 0:
            turn = links[link, 3:7]
            axis = quaternions.rotate(quaternions.inverse(turn), dof_frames[dof, 3:6])
            pose[0:3] = dof_frames[dof, 0:3]
            pose[3:7] = quaternions.multiply(turn, quaternions.from_x_axis_to(axis))
    return poses
