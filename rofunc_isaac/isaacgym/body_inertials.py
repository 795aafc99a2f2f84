"""Masses, centres of mass and inertias of bodies, as MuJoCo has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._properties import RigidBodyProperties
from rofunc_isaac.isaacgym.assets.rotations import rotation_of
from rofunc_isaac.isaacgym.assets.tables import matrix_of
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.layouts import model_values
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Env, Scene

DIAGONAL = 1e-6
"""An inertia whose other entries are below this share of the largest counts as diagonal."""


@dataclass
class Inertials:
    """Of `bodies` bodies in `envs` environments, or in 1 that stands for all.

    Args:
        mass: kg, (envs, bodies).
        com: m, in the body's frame, (envs, bodies, 3).
        quat: wxyz, of the principal axes in the body's frame, (envs, bodies, 4).
        moments: kg m^2, about the principal axes, (envs, bodies, 3).
    """

    mass: np.ndarray
    com: np.ndarray
    quat: np.ndarray
    moments: np.ndarray

    def model_fields(self) -> Dict[str, np.ndarray]:
        """By the name of MuJoCo's model field."""
        return {
            "body_mass": self.mass,
            "body_ipos": self.com,
            "body_iquat": self.quat,
            "body_inertia": self.moments,
        }


Known = Dict[Tuple[int, int, int], Tuple[List[RigidBodyProperties], Dict[str, np.ndarray]]]
"""What is known of properties from earlier: by actor, by the identity of the list (kept, and never
changed but replaced) and by that of the asset."""


def loaded_inertials(scene: Scene, model_map: ModelMap) -> Inertials:
    """What the scene's assets say."""
    mass, com, quat, moments = (
        model_values(scene, model_map, field)
        for field in ("body_mass", "body_ipos", "body_iquat", "body_inertia")
    )
    return Inertials(mass, com, quat, moments)


def scene_inertials(scene: Scene, as_loaded: Inertials, known: Known) -> Inertials:
    """What stands on the scene's actors.

    Args:
        as_loaded: what their assets say.
        known: of the last call; updated.

    Raises:
        GymError: an inertia that no rigid body has.
    """
    if not any(differs_from_asset(env) for env in scene.envs):
        return as_loaded
    fields = {
        name: np.broadcast_to(values, (len(scene.envs), *values.shape[1:])).copy()
        for name, values in vars(as_loaded).items()
    }
    quats = fields["quat"].copy()
    used: Known = {}
    for row, env in enumerate(scene.envs):
        first = 0
        for position, actor in enumerate(env.actors):
            after = first + len(actor.body_properties)
            # Actors share one list until it is set, and often after.
            own = actor.body_properties
            key = (position, id(own), id(actor.asset))
            if actor.has_own_bodies:
                if key not in used:
                    axes, where = quats[row, first:after], f"env {env.index} {actor.name}"
                    used[key] = known[key] if key in known else (own, _arrays(own, axes, where))
                for name, values in used[key][1].items():
                    fields[name][row, first:after] = values
            first = after
    known.clear()
    known.update(used)
    return Inertials(**fields)


def differs_from_asset(env: Env) -> bool:
    return any(actor.has_own_bodies for actor in env.actors)


def check_frames(model: mujoco.MjModel, bodies: np.ndarray, inertials: Inertials) -> None:
    """Raises GymError: an inertial frame moved that the model was compiled not to move."""
    pinned = model.body_simple[bodies] > 0
    for values, compiled in (
        (inertials.com, model.body_ipos[bodies]),
        (inertials.quat, model.body_iquat[bodies]),
    ):
        moved = ~np.isclose(values, compiled, rtol=0.0, atol=1e-9).all(axis=(0, 2))
        if (moved & pinned).any():
            raise GymError(
                "the centre of mass or the axes of inertia of a body were set after prepare_sim, "
                "of an actor none of whose body properties were set before: set them once before "
                "prepare_sim"
            )


def _arrays(
    properties: List[RigidBodyProperties], axes: np.ndarray, where: str
) -> Dict[str, np.ndarray]:
    """`axes` are the principal axes that the bodies had, which stay where they still are."""
    quat, moments = axes.copy(), np.zeros((len(properties), 3))
    for index, body in enumerate(properties):
        inertia = matrix_of(body.inertia)
        turned = rotation_of(quat[index]).T @ inertia @ rotation_of(quat[index])
        off_diagonal = np.abs(turned - np.diag(np.diag(turned))).max()
        if off_diagonal <= DIAGONAL * np.abs(turned).max():
            moments[index] = np.diag(turned)
        else:
            moments[index], vectors = np.linalg.eigh(0.5 * (inertia + inertia.T))
            vectors[:, 2] *= np.sign(np.linalg.det(vectors))
            mujoco.mju_mat2Quat(quat[index], vectors.flatten())
        if body.mass < 0.0 or moments[index].min() < 0.0:
            raise GymError(
                f"{where}: body {index} has mass {body.mass} kg and principal moments "
                f"{moments[index]} kg m^2; none of them can be negative"
            )
    mass = np.array([body.mass for body in properties])
    com = np.array([[body.com.x, body.com.y, body.com.z] for body in properties])
    return {"mass": mass, "com": com, "quat": quat, "moments": moments}
