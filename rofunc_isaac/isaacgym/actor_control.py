"""Targets and efforts of single actors' DOFs, in the worlds or before there are any."""

from __future__ import annotations

import numpy as np
import torch

from rofunc_isaac.isaacgym.actor_states import first_dof
from rofunc_isaac.isaacgym.scene import Env

POSITION_TARGET, VELOCITY_TARGET, EFFORT = "position_target", "velocity_target", "effort"
"""The kinds of control: names in `DofControl` and in `StartState`."""


def control(env: Env, handle: int, kind: str) -> np.ndarray:
    """float32 (dofs,); a copy."""
    actor, simulation = env.actor(handle), env.scene.simulation
    if simulation.is_prepared:
        first = first_dof(env, handle)
        values = getattr(simulation.control, kind)
        row = values[env.index, first : first + len(actor.dof_properties)]
        return row.cpu().numpy().copy()
    start = actor.start_state()
    return getattr(start, kind).astype(np.float32)


def set_control(env: Env, handle: int, kind: str, values: np.ndarray) -> None:
    """Set the actor's control to `values`, (dofs,)."""
    actor, simulation = env.actor(handle), env.scene.simulation
    if simulation.is_prepared:
        first, tensor = first_dof(env, handle), getattr(simulation.control, kind)
        given = torch.as_tensor(values, dtype=tensor.dtype, device=tensor.device)
        tensor[env.index, first : first + len(actor.dof_properties)] = given
    else:
        getattr(actor.start_state(), kind)[:] = values
