"""From states of links back to those of the DOFs between them."""

from __future__ import annotations

from typing import Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym import quaternions

_STEPS = 10
"""Of Gauss and Newton. One joint needs two; three hinges of one body a few more."""
_NEAR = 1e-2
"""m and rad. Links further from what their joints allow leave their DOFs as they are."""


def fit_dofs(
    model: mujoco.MjModel, links: np.ndarray, coms: np.ndarray, dofs: np.ndarray
) -> np.ndarray:
    """DOF states that come nearest to link states, (actors, dofs, 2).

    Args:
        model: of one asset, whose root is body 1.
        links: (actors, links, 13), see `LinkKinematics`.
        coms: centres of mass in the links' frames, (actors, links, 3).
        dofs: the present states, (actors, dofs, 2): kept where links are too far off.
    """
    result = dofs.copy()
    for body in range(2, model.nbody):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if count == 0:
            continue
        joints, parent = np.arange(first, first + count), int(model.body_parentid[body])
        relative = _relative(links, coms, parent - 1, body - 1)
        positions, velocities, near = _fit_body(model, body, joints, relative, dofs[:, joints, 0])
        result[:, joints, 0] = np.where(near[:, None], positions, dofs[:, joints, 0])
        result[:, joints, 1] = np.where(near[:, None], velocities, dofs[:, joints, 1])
    return result


def _relative(
    links: np.ndarray, coms: np.ndarray, parent: int, child: int
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, quaternion and velocity (linear of its origin, angular) of a link in its parent."""
    back = quaternions.inverse(links[:, parent, 3:7])
    arm = links[:, child, 0:3] - links[:, parent, 0:3]
    spin = links[:, [parent, child], 10:13]
    to_com = quaternions.rotate(links[:, [parent, child], 3:7], coms[:, [parent, child]])
    of_origins = links[:, [parent, child], 7:10] - quaternions.cross(spin, to_com)
    linear = of_origins[:, 1] - of_origins[:, 0] - quaternions.cross(spin[:, 0], arm)
    velocity = np.stack([linear, spin[:, 1] - spin[:, 0]], axis=1)
    quat = quaternions.multiply(back, links[:, child, 3:7])
    return (
        quaternions.rotate(back, arm),
        quat,
        quaternions.rotate(back[:, None], velocity).reshape(-1, 6),
    )


def _fit_body(
    model: mujoco.MjModel,
    body: int,
    joints: np.ndarray,
    relative: Tuple[np.ndarray, np.ndarray, np.ndarray],
    start: np.ndarray,
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and velocities of one body's joints, (actors, joints), and where they are near."""
    position, quat, velocity = relative
    values = start
    for _ in range(_STEPS):
        error, inverse = _linearise(model, body, joints, position, quat, values)
        values = values + np.einsum("ajk,ak->aj", inverse, error)
    error, inverse = _linearise(model, body, joints, position, quat, values)
    near = (np.abs(error) < _NEAR).all(axis=1)
    return values, np.einsum("ajk,ak->aj", inverse, velocity), near


def _linearise(
    model: mujoco.MjModel,
    body: int,
    joints: np.ndarray,
    position: np.ndarray,
    quat: np.ndarray,
    values: np.ndarray,
) -> Tuple[np.ndarray, np.ndarray]:
    """What is left to the given pose, (actors, 6), and the pseudo-inverse of the joints' Jacobian.

    The pose follows as in mj_kinematics: each joint turns or shifts what comes after it.
    """
    place = np.broadcast_to(model.body_pos[body], position.shape)
    turn = np.broadcast_to(np.roll(model.body_quat[body], -1), quat.shape)
    anchors, axes = [], []
    for column, joint in enumerate(joints):
        axis = quaternions.rotate(turn, np.broadcast_to(model.jnt_axis[joint], place.shape))
        anchor = place + quaternions.rotate(turn, model.jnt_pos[joint])
        change = values[:, column] - model.qpos0[joint]
        if model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_HINGE):
            own = quaternions.from_axis_angle(model.jnt_axis[joint], change)
            turn = quaternions.multiply(turn, own)
            place = anchor - quaternions.rotate(turn, model.jnt_pos[joint])
        else:
            place = place + axis * change[:, None]
        anchors.append(anchor)
        axes.append(axis)
    columns = []
    for joint, anchor, axis in zip(joints, anchors, axes):
        if model.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_HINGE):
            columns.append(np.concatenate([quaternions.cross(axis, place - anchor), axis], axis=-1))
        else:
            columns.append(np.concatenate([axis, np.zeros_like(axis)], axis=-1))
    missing = quaternions.multiply(quat, quaternions.inverse(turn))
    error = np.concatenate([position - place, quaternions.to_rotation_vector(missing)], axis=-1)
    return error, np.linalg.pinv(np.stack(columns, axis=-1))
