"""Properties of actors that may differ between environments, as per-world model fields."""

from __future__ import annotations

from typing import Iterable, Set

import numpy as np
import torch

from rofunc_isaac.isaacgym.compile import ModelMap, dof_properties, field_rows, surface_friction
from rofunc_isaac.isaacgym.dof_drives import is_driven, model_fields
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.physics.batch import Batch

_DERIVED_FROM = ("dof_armature",)
"""Fields from which MuJoCo derives constants."""


class ActorProperties:
    """Writes what environments have of their own into the batch.

    A model field is made per-world only once an environment differs from the model in it.

    `dofs` holds the DofProperties that are in force, (envs, dofs).
    """

    def __init__(self, batch: Batch, model_map: ModelMap, scene: Scene) -> None:
        self._batch, self._map, self._scene = batch, model_map, scene
        self._expanded: Set[str] = set()
        self.update()

    def update(self) -> None:
        """Take over what was set on the actors since the last call."""
        self._scene.changed = False
        self.dofs = dof_properties(self._scene)
        if bool(is_driven(self.dofs).any()) and not self._map.has_drives:
            raise GymError(
                "a DOF was given the drive mode POS or VEL after prepare_sim, in a simulation "
                "that had none: set drive modes before prepare_sim"
            )
        derived = False
        timestep = self._map.model.opt.timestep
        for field, values in model_fields(self.dofs, timestep).items():
            written = self._write(field, field_rows(self._map, field), values)
            derived |= written and field in _DERIVED_FROM
        friction = np.stack([self._frictions(env) for env in range(len(self._scene.envs))])
        self._write("geom_friction", self._map.shape_geom, friction)
        if derived:
            self._batch.set_const()

    def adopt(self, fields: Iterable[str]) -> None:
        """Take what stands on the actors for what the batch holds, per world in these `fields`."""
        self._scene.changed = False
        self._expanded.update(fields)
        self.dofs = dof_properties(self._scene)

    def _frictions(self, env: int) -> np.ndarray:
        """The geoms' friction in environment `env`, (shapes, 3)."""
        friction = self._map.model.geom_friction[self._map.shape_geom].copy()
        friction[:, 0] = [
            surface_friction(shape.friction, self._scene.ground)
            for actor in self._scene.envs[env].actors
            for shape in actor.shape_properties
        ]
        return friction

    def _write(self, field: str, rows: np.ndarray, values: np.ndarray) -> bool:
        """Write (envs, rows, ...) `values`, if they are not the model's; whether it did."""
        model_values = getattr(self._map.model, field)[rows]
        if field not in self._expanded:
            if np.allclose(values, model_values, rtol=1e-6, atol=0.0):
                return False
            self._expanded.add(field)
        parameter = self._batch.parameter(field)
        parameter[:, torch.as_tensor(rows, device=parameter.device)] = torch.as_tensor(
            values, dtype=parameter.dtype, device=parameter.device
        )
        return True
