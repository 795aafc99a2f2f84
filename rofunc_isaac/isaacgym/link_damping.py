"""What the asset options linear_damping c and angular_damping c', in 1/s, do to links.

PhysX pulls at each link with -c m v and -c' I w: its mass m and the velocity v of its centre of
mass, its inertia I about that and its angular velocity w. For the velocities of all DOFs that is

    D = sum over the links of c m Jv' Jv + c' Jw' I Jw,

a matrix, with the links' Jacobians Jv and Jw. MuJoCo damps each DOF by itself, `dof_damping`,
implicitly. It gets the diagonal of D in the start pose: exact for single bodies, and for a joint
that alone moves.
"""

from __future__ import annotations

import copy
from typing import Dict

import mujoco
import numpy as np

from rofunc_isaac.isaacgym.body_inertials import Inertials
from rofunc_isaac.isaacgym.scene import Env, Scene


def link_damping(model: mujoco.MjModel, env: Env, bodies: np.ndarray) -> np.ndarray:
    """What to add to `dof_damping`, (nv,).

    Args:
        bodies: MuJoCo's numbers of the environment's bodies, (bodies,).
    """
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    damping = np.zeros(model.nv)
    options = [
        actor.asset.description.options for actor in env.actors for _ in actor.body_properties
    ]
    for option, body in zip(options, bodies.tolist()):
        mujoco.mj_jacBodyCom(model, data, linear, angular, body)
        # Along the principal axes of inertia.
        turning = data.ximat[body].reshape(3, 3).T @ angular
        damping += option.linear_damping * model.body_mass[body] * (linear**2).sum(axis=0)
        damping += option.angular_damping * model.body_inertia[body] @ turning**2
    return damping


def root_dofs(free_joints: np.ndarray) -> np.ndarray:
    """The DOFs of the free joints that there are."""
    first = free_joints[free_joints >= 0]
    return (first[:, None] + np.arange(6)).flatten()


def scene_link_damping(
    scene: Scene,
    model: mujoco.MjModel,
    bodies: np.ndarray,
    inertials: Inertials,
    known: Dict[bytes, np.ndarray],
) -> np.ndarray:
    """`link_damping` of every environment, (envs or 1, nv).

    Args:
        known: what the last call found, by the bodies' inertials; updated.
    """
    prototype = scene.envs[0]
    if not _is_damped(prototype):
        return np.zeros((1, model.nv))
    if len(inertials.mass) == 1:
        return link_damping(model, prototype, bodies)[None]
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
            used[key] = link_damping(own, prototype, bodies)
        rows.append(used[key])
    known.clear()
    known.update(used)
    return np.stack(rows)


def _is_damped(env: Env) -> bool:
    options = [actor.asset.description.options for actor in env.actors]
    return any(option.linear_damping or option.angular_damping for option in options)
