"""Links that MuJoCo would take for immovable in contacts.

MuJoCo scales how hard a contact is with the inverse mass that its bodies show at their centres of
mass (`body_invweight0`). A link whose centre of mass lies on the axes that it turns about, as many
robot files have it, shows none. Its contacts are harder by twelve orders of magnitude then, forces
lose all their digits, and worlds break down, as those of hands did whose fingers touched.

MuJoCo Warp gives it the inverse inertia for an inverse mass instead, which is far too soft. Such a
link gets what it shows a tenth of its size off the axis.
"""

from __future__ import annotations

import mujoco
import numpy as np
import torch

from rofunc_isaac.physics.batch import Batch

_IMMOVABLE = 1e-5
"""Share of what a link would show at its size off its axes; those that show less are mended."""


def mend_weights(model: mujoco.MjModel) -> None:
    """Mend the model, whose constants are set."""
    weights, sizes = model.body_invweight0, body_sizes(model)
    full = weights[:, 1] * sizes**2
    weights[:, 0] = np.where(weights[:, 0] < _IMMOVABLE * full, 0.01 * full, weights[:, 0])


def set_constants(batch: Batch) -> None:
    """`Batch.set_const`, and mend what each world then has for itself."""
    batch.parameter("body_invweight0")  # asked for later, some engines have it as doubles
    batch.set_const()
    mend_world_weights(batch)


def mend_world_weights(batch: Batch) -> None:
    """Mend the worlds, which have constants of their own."""
    weights = batch.parameter("body_invweight0")
    sizes = torch.as_tensor(body_sizes(batch.model), dtype=weights.dtype, device=weights.device)
    moving, turning = weights[..., 0], weights[..., 1]
    full = turning * sizes**2
    # Where nothing turns a body, it is the other way round: its inverse mass stands for both.
    turns = torch.as_tensor(can_turn(batch.model), device=weights.device)
    is_mistaken = (moving < _IMMOVABLE * full) | ((moving == turning) & turns)
    weights[..., 0] = torch.where(is_mistaken, 0.01 * full, moving)


def body_sizes(model: mujoco.MjModel) -> np.ndarray:
    """Radius of each body's largest geom, m, (bodies,)."""
    sizes = np.zeros(model.nbody)
    np.maximum.at(sizes, model.geom_bodyid, model.geom_rbound)
    return sizes


def can_turn(model: mujoco.MjModel) -> np.ndarray:
    """bool (bodies,): which bodies some joint can turn."""
    turns = np.zeros(model.nbody, dtype=bool)
    turns[model.jnt_bodyid[model.jnt_type != int(mujoco.mjtJoint.mjJNT_SLIDE)]] = True
    for body in range(1, model.nbody):  # parents come first
        turns[body] |= turns[model.body_parentid[body]]
    return turns
