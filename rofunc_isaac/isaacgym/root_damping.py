"""What the asset options linear_damping and angular_damping, in 1/s, do to floating actors.

PhysX takes the share damping * dt off each link's velocity a step. Here the whole actor, as a rigid
body in its start pose, is damped at the root's free joint: its mass at the root's origin, its
inertia about its centre of mass. A linear damping therefore also turns an actor whose centre of
mass is not at its root's origin.
"""

from __future__ import annotations

import copy
from typing import Dict

import mujoco
import numpy as np

from rofunc_isaac.isaacgym.body_inertials import Inertials
from rofunc_isaac.isaacgym.scene import Env, Scene


def root_damping(model: mujoco.MjModel, env: Env, free_joints: np.ndarray) -> np.ndarray:
    """`dof_damping` of the actors' free joints, (actors, 6).

    Args:
        free_joints: first DOF of each actor's free joint, (actors,); -1 for fixed roots, whose rows
            are zero.
    """
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass_matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass_matrix)
    damping = np.zeros((len(env.actors), 6))
    for row, actor, first in zip(damping, env.actors, free_joints):
        if first < 0:
            continue
        linear, angular = slice(first, first + 3), slice(first + 3, first + 6)
        mass, coupling = mass_matrix[first, first], mass_matrix[linear, angular]
        # The parallel axis theorem backwards: from the root's origin to the centre of mass.
        inertia = mass_matrix[angular, angular] - coupling.T @ coupling / mass
        options = actor.asset.description.options
        row[0:3] = options.linear_damping * mass
        row[3:6] = options.angular_damping * np.diag(inertia)
    return damping


def root_dofs(free_joints: np.ndarray) -> np.ndarray:
    """The DOFs of the free joints that there are."""
    first = free_joints[free_joints >= 0]
    return (first[:, None] + np.arange(6)).flatten()


def scene_root_damping(
    scene: Scene,
    model: mujoco.MjModel,
    bodies: np.ndarray,
    free_joints: np.ndarray,
    inertials: Inertials,
    known: Dict[bytes, np.ndarray],
) -> np.ndarray:
    """`root_damping` of every environment, (envs or 1, actors, 6).

    Args:
        known: what the last call found, by the bodies' inertials; updated.
    """
    prototype = scene.envs[0]
    if len(inertials.mass) == 1 or not _is_damped(prototype):
        return root_damping(model, prototype, free_joints)[None]
    own = copy.copy(model)
    used: Dict[bytes, np.ndarray] = {}
    rows = []
    for env in range(len(scene.envs)):
        values = {name: field[env] for name, field in inertials.model_fields().items()}
        key = b"".join(value.tobytes() for value in values.values())
        if key in known:
            used[key] = known[key]
        elif key not in used:
            for name, value in values.items():
                getattr(own, name)[bodies] = value
            mujoco.mj_setConst(own, mujoco.MjData(own))
            used[key] = root_damping(own, prototype, free_joints)
        rows.append(used[key])
    known.clear()
    known.update(used)
    return np.stack(rows)


def _is_damped(env: Env) -> bool:
    options = [actor.asset.description.options for actor in env.actors]
    return any(option.linear_damping or option.angular_damping for option in options)
