"""Largest velocities of DOFs and of floating roots.

PhysX takes what is beyond a limit off a velocity before each physics step, so that a velocity shown
is beyond it by what one step adds. Here it is done before each frame. Drives are held to the limit
of their DOF by what they aim at (`dof_control.py`), which a change of velocity alone would not do:
a stiff one moves as far as it likes within a step.

`AssetOptions.max_linear_velocity` and `max_angular_velocity` are limits of each link in PhysX. Here
they hold for floating roots and, for each by itself, for slides and hinges.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import DOF_ROTATION
from rofunc_isaac.isaacgym.actor import Actor
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Env, Scene
from rofunc_isaac.physics.batch import MAX_VELOCITY, Batch


class VelocityLimits:
    """Takes off what is beyond the limits."""

    def __init__(self, batch: Batch, model_map: ModelMap, scene: Scene) -> None:
        self._qvel = batch.view("qvel")
        self._dofs = torch.as_tensor(model_map.dof_qvel, device=batch.device)
        self._of_links = by_env(scene, dof_limits)
        self._upper, self._lower = torch.empty_like(self._qvel), torch.empty_like(self._qvel)
        self._speed = torch.empty(batch.num_envs, 1, device=batch.device)
        self._roots: List[Tuple[torch.Tensor, torch.Tensor]] = []
        limits = torch.as_tensor(by_env(scene, root_limits), device=batch.device)
        for actor, place in enumerate(model_map.actors):
            for part in range(2 if place.qvel >= 0 else 0):
                limit = limits[:, 2 * actor + part, None]
                if bool((limit < MAX_VELOCITY).any()):  # a world does not get there
                    first = place.qvel + 3 * part
                    self._roots.append((self._qvel[:, first : first + 3], limit))

    def set_properties(self, properties: np.ndarray) -> None:
        """Take over the limits of `properties`, DofProperties (envs, dofs).

        A `velocity` of 0 is no limit, as URDF files mean it.
        """
        velocity = properties["velocity"]
        limits = np.minimum(np.where(velocity > 0.0, velocity, np.inf), self._of_links)
        self._upper.fill_(torch.inf)
        self._upper[:, self._dofs] = torch.as_tensor(limits).to(self._upper)
        torch.neg(self._upper, out=self._lower)

    def apply(self) -> None:
        """Bring the worlds' velocities within the limits; those that are stay as they are."""
        torch.clamp(self._qvel, self._lower, self._upper, out=self._qvel)
        for velocity, limit in self._roots:
            torch.linalg.vector_norm(velocity, dim=1, keepdim=True, out=self._speed)
            torch.div(limit, self._speed, out=self._speed)
            velocity.mul_(self._speed.clamp_(max=1.0))


def dof_limits(actor: Actor) -> List[float]:
    """What the asset's options limit each DOF to, rad/s or m/s."""
    asset, (linear, angular) = actor.asset.description, root_limits(actor)
    return [angular if kind == DOF_ROTATION else linear for kind in asset.dof_types]


def root_limits(actor: Actor) -> List[float]:
    """Of its linear and its angular velocity, m/s and rad/s."""
    options = actor.asset.description.options
    return [options.max_linear_velocity, options.max_angular_velocity]


def by_env(scene: Scene, limits_of: Callable[[Actor], List[float]]) -> np.ndarray:
    """The limits of all actors of each environment, float32 (envs, limits)."""
    known: Dict[int, List[float]] = {}

    def row(env: Env) -> List[float]:
        limits: List[float] = []
        for actor in env.actors:
            key = id(actor.asset)
            if key not in known:
                known[key] = limits_of(actor)
            limits += known[key]
        return limits

    return np.array([row(env) for env in scene.envs], dtype=np.float32)
