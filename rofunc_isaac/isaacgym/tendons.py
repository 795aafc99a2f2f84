"""What a tendon's properties mean to MuJoCo."""

from __future__ import annotations

from typing import Dict, List

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._properties import TendonProperties
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.isaacgym.soft_springs import constraint_parameters


def model_fields(scene: Scene, model: mujoco.MjModel, tendons: np.ndarray) -> Dict[str, np.ndarray]:
    """The MuJoCo model fields of what stands on the scene's actors, (envs or 1, tendons, ...).

    A limit is a spring of `limit_stiffness` and the tendon's damping beyond the range.

    Args:
        tendons: MuJoCo's numbers of an environment's tendons, (tendons,).

    Raises:
        GymError: environments differ in which tendons are limited.
    """
    envs = scene.envs if any_differs(scene) else scene.envs[:1]
    chosen = [[tendon for a in env.actors for tendon in a.tendon_properties] for env in envs]
    offset = np.array(
        [[length.offset for a in env.actors for length in a.tendon_lengths] for env in envs]
    )
    limited = _array(chosen, "is_fixed_limited")
    if (limited != limited[0]).any():
        raise GymError("environments differ in which tendons are limited; limit the same in all")
    stiffness, damping = _array(chosen, "stiffness"), _array(chosen, "damping")
    rest = _array(chosen, "fixed_spring_rest_length")
    # A file may give a range in which the spring is slack; the interface knows its beginning.
    slack = np.diff(model.tendon_lengthspring[tendons], axis=1)[:, 0]
    slack = np.where(np.isclose(rest, model.tendon_lengthspring[tendons, 0]), slack, 0.0)
    solref, solimp = constraint_parameters(
        _array(chosen, "limit_stiffness"),
        damping,
        model.tendon_invweight0[tendons],
        model.opt.timestep,
    )
    lower, upper = _array(chosen, "fixed_lower_limit"), _array(chosen, "fixed_upper_limit")
    # MuJoCo's length has no offset: so much shorter are those that it is compared with.
    rest, lower, upper = rest - offset, lower - offset, upper - offset
    return {
        "tendon_stiffness": stiffness,
        "tendon_damping": damping,
        "tendon_range": np.stack([lower, upper], axis=-1),
        "tendon_lengthspring": np.stack([rest, rest + slack], axis=-1),
        "tendon_solref_lim": solref,
        "tendon_solimp_lim": solimp,
    }


def any_differs(scene: Scene) -> bool:
    """Whether an environment's tendons are not those of the first, by identity of their records."""
    first = scene.envs[0].actors
    return any(
        actor.tendon_properties is not of_first.tendon_properties
        or actor.tendon_lengths != of_first.tendon_lengths
        for env in scene.envs
        for actor, of_first in zip(env.actors, first)
    )


def _array(chosen: List[List[TendonProperties]], name: str) -> np.ndarray:
    return np.array([[float(getattr(tendon, name)) for tendon in row] for row in chosen])
