"""Properties of actors that may differ between environments, as per-world model fields."""

from __future__ import annotations

from typing import Dict, Iterable, Set, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym.body_inertials import (
    Known,
    check_frames,
    loaded_inertials,
    scene_inertials,
)
from rofunc_isaac.isaacgym.compile import dof_properties, surface_friction
from rofunc_isaac.isaacgym.contact_weights import mend_world_weights, set_constants
from rofunc_isaac.isaacgym.dof_drives import is_limited, is_passive, model_fields
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.layouts import model_values
from rofunc_isaac.isaacgym.link_damping import root_dofs, scene_link_damping
from rofunc_isaac.isaacgym.model_map import ModelMap, field_rows
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.isaacgym.tendons import model_fields as tendon_fields
from rofunc_isaac.isaacgym.variants import BODY_FIELDS, PLACES, SHAPE_FIELDS
from rofunc_isaac.physics.batch import Batch

_DERIVED_FROM = ("dof_armature", *BODY_FIELDS, "geom_pos", "geom_quat")
"""Fields from which MuJoCo derives constants."""


class ActorProperties:
    """Writes what environments of one model have of their own into their batch.

    A model field is made per-world only once an environment differs from the model in it.

    `dofs` holds the DofProperties that are in force, (envs, dofs), and `inertials` what the bodies
    weigh.
    """

    def __init__(self, batch: Batch, model_map: ModelMap, scene: Scene) -> None:
        self._batch, self._map, self._scene = batch, model_map, scene
        self._expanded: Set[str] = set()
        self._known_inertials: Known = {}
        self._known_damping: Dict[bytes, np.ndarray] = {}
        self._as_loaded = loaded_inertials(scene, model_map)
        self._had_limits = bool(is_limited(dof_properties(scene)).any())
        self._take_over(self._write_places_and_sizes())

    def update(self) -> None:
        """Take over what was set on the actors since the last call."""
        self._take_over(set())

    def _take_over(self, written: Set[str]) -> None:
        """The same; `written` are the fields that have changed already."""
        self._read()
        limited = bool(is_limited(self.dofs).any())
        if limited and self._map.drives_in_armature and not self._had_limits:
            raise GymError(
                "a drive (mode POS or VEL) was given a limit of effort after prepare_sim, in a "
                "simulation that had no such drive: limit it before prepare_sim"
            )
        check_frames(self._map.model, self._map.bodies, self.inertials)
        timestep = self._map.model.opt.timestep
        inertia, in_armature = self._map.joint_inertia, self._map.drives_in_armature
        fields = model_fields(self.dofs, inertia, timestep, in_armature)
        damping = self._link_damping()
        fields["dof_damping"] = fields["dof_damping"] + damping[:, self._map.dof_qvel]
        for field, values in fields.items():
            if self._write(field, field_rows(self._map, field), values):
                written.add(field)
        for field, values in self.inertials.model_fields().items():
            if self._write(field, self._map.bodies, values):
                written.add(field)
        roots = root_dofs(self._map.free_joints)
        self._write("dof_damping", roots, damping[:, roots])
        tendons = self._map.tendons
        for field, values in tendon_fields(self._scene, self._map.model, tendons).items():
            self._write(field, tendons, values)
        self._write("geom_friction", self._map.shape_geom, self._frictions())
        if written.intersection(_DERIVED_FROM):
            set_constants(self._batch)

    def restored(self) -> None:
        """The batch was restored, and with it MuJoCo's own constants."""
        if "body_invweight0" in self._batch.parameters:
            mend_world_weights(self._batch)

    def adopt(self, fields: Iterable[str]) -> None:
        """Take what stands on the actors for what the batch holds, per world in these `fields`."""
        self._expanded.update(fields)
        self._read()

    def _read(self) -> None:
        self.dofs = dof_properties(self._scene)
        self.inertials = scene_inertials(self._scene, self._as_loaded, self._known_inertials)

    @property
    def of_links(self) -> np.ndarray:
        """Which share of each DOF's damping is that of its links, (envs, dofs)."""
        own = np.where(is_passive(self.dofs), self.dofs["damping"], 0.0)
        damping = self._link_damping()[:, self._map.dof_qvel]
        return damping / np.maximum(damping + own, 1e-12)

    def _link_damping(self) -> np.ndarray:
        model, bodies = self._map.model, self._map.bodies
        return scene_link_damping(self._scene, model, bodies, self.inertials, self._known_damping)

    def _write_places_and_sizes(self) -> Set[str]:
        """What the actors' assets and scales make of bodies and shapes, once and for all."""
        of_shapes = [
            [actor.shape_scale for actor in env.actors for _ in actor.shape_properties]
            for env in self._scene.envs
        ]
        any_scaled = any(set(row) - {1.0} for row in of_shapes)
        scales = np.array(of_shapes) if any_scaled else np.ones((1, 1))
        written = set()
        for field in (*PLACES, *SHAPE_FIELDS):
            values = model_values(self._scene, self._map, field)
            if field in ("geom_size", "geom_pos", "geom_rbound", "geom_aabb"):
                values = values * scales.reshape(*scales.shape, *[1] * (values.ndim - 2))
            rows = self._map.bodies if field in PLACES else self._map.shape_geom
            if self._write(field, rows, values):
                written.add(field)
        return written

    def _frictions(self) -> np.ndarray:
        """The geoms' friction, (envs, shapes, 3)."""
        of_model = self._map.model.geom_friction[self._map.shape_geom]
        frictions = np.repeat(of_model[None], len(self._scene.envs), axis=0)
        ground = self._scene.ground_friction()
        known: Dict[Tuple[int, ...], np.ndarray] = {}
        for row, env in enumerate(self._scene.envs):
            # Actors share one list until it is set, and often after.
            key = tuple(id(actor.shape_properties) for actor in env.actors)
            if key not in known:
                shapes = [shape for actor in env.actors for shape in actor.shape_properties]
                values = [surface_friction(shape.friction, ground) for shape in shapes]
                known[key] = np.array(values)
            frictions[row, :, 0] = known[key]
        return frictions

    def _write(self, field: str, rows: np.ndarray, values: np.ndarray) -> bool:
        """Write (envs or 1, rows, ...) `values`, if they are not the model's; whether it did."""
        model_values = getattr(self._map.model, field)[rows]
        if field not in self._expanded:
            if np.allclose(values, model_values, rtol=1e-6, atol=0.0):
                return False
            self._expanded.add(field)
        parameter = self._batch.parameter(field)
        given = torch.as_tensor(values, dtype=parameter.dtype, device=parameter.device)
        given = given.reshape(len(values), len(rows), *parameter.shape[2:])
        parameter[:, torch.as_tensor(rows, device=parameter.device)] = given
        return True
