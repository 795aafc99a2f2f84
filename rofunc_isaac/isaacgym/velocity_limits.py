"""Largest velocities of DOFs and of floating roots.

PhysX takes what is beyond a limit off a velocity before each physics step, so that a velocity shown
is beyond it by what one step adds. Here it is done before each frame. Drives are held to the limit
of their DOF by what they aim at (`dof_control.py`), which a change of velocity alone would not do:
a stiff one moves as far as it likes within a step.

`AssetOptions.max_linear_velocity` and `max_angular_velocity` are limits of each link in PhysX. Here
they hold for floating roots and, for each by itself, for slides and hinges.
"""

from __future__ import annotations

from typing import List, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import DOF_ROTATION
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.physics.batch import MAX_VELOCITY, Batch


def dof_velocity_limits(env: Env, properties: np.ndarray) -> np.ndarray:
    """Limit of each DOF's velocity, rad/s or m/s, the shape of `properties`, (envs or 1, dofs).

    Args:
        properties: DofProperties; a `velocity` of 0 is no limit, as URDF files mean it.
    """
    of_links = []
    for actor in env.actors:
        asset = actor.asset.description
        turning, moving = asset.options.max_angular_velocity, asset.options.max_linear_velocity
        of_links += [turning if kind == DOF_ROTATION else moving for kind in asset.dof_types]
    velocity = properties["velocity"]
    own = np.where(velocity > 0.0, velocity, np.inf)
    return np.minimum(own, np.array(of_links, dtype=np.float32))


class VelocityLimits:
    """Takes off what is beyond the limits."""

    def __init__(self, batch: Batch, model_map: ModelMap, env: Env) -> None:
        self._qvel, self._env = batch.view("qvel"), env
        self._dofs = torch.as_tensor(model_map.dof_qvel, device=batch.device)
        self._upper = torch.empty_like(self._qvel)
        self._lower = torch.empty_like(self._qvel)
        self._roots: List[Tuple[torch.Tensor, float]] = []
        for actor, where in zip(env.actors, model_map.actors):
            if where.qvel >= 0:
                options = actor.asset.description.options
                self._add_root(where.qvel, options.max_linear_velocity)
                self._add_root(where.qvel + 3, options.max_angular_velocity)
        self._speed = torch.empty(batch.num_envs, 1, device=batch.device)

    def _add_root(self, first: int, limit: float) -> None:
        if limit < MAX_VELOCITY:  # a world does not get there
            self._roots.append((self._qvel[:, first : first + 3], limit))

    def set_properties(self, properties: np.ndarray) -> None:
        """Take over the limits of `properties`, DofProperties (envs, dofs)."""
        limits = torch.as_tensor(dof_velocity_limits(self._env, properties))
        self._upper.fill_(torch.inf)
        self._upper[:, self._dofs] = limits.to(self._upper)
        torch.neg(self._upper, out=self._lower)

    def apply(self) -> None:
        """Bring the worlds' velocities within the limits; those that are stay as they are."""
        torch.clamp(self._qvel, self._lower, self._upper, out=self._qvel)
        for velocity, limit in self._roots:
            torch.linalg.vector_norm(velocity, dim=1, keepdim=True, out=self._speed)
            torch.div(limit, self._speed, out=self._speed)
            velocity.mul_(self._speed.clamp_(max=1.0))
