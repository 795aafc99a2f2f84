"""Tensors that the worlds compute only if a program acquired them."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import numpy as np
import torch

from rofunc_isaac.errors import did_you_mean
from rofunc_isaac.isaacgym.actor_dynamics import Jacobian, MassMatrix
from rofunc_isaac.isaacgym.body_states import BodyStates
from rofunc_isaac.isaacgym.contact_forces import ContactForces
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.isaacgym.worlds import WorldProperties
from rofunc_isaac.physics.batch import Batch


class DerivedTensors:
    """Body states, contact forces, and Jacobians and mass matrices by actors' names."""

    def __init__(self, scene: Scene, device: torch.device) -> None:
        self._scene, self._device = scene, device
        self.bodies: Optional[BodyStates] = None
        self.contacts: Optional[ContactForces] = None
        self.jacobians: Dict[str, Jacobian] = {}
        self.mass_matrices: Dict[str, MassMatrix] = {}

    @property
    def need_forward(self) -> bool:
        """Whether one of them is derived from the state at a frame's end."""
        return self.bodies is not None or bool(self.jacobians or self.mass_matrices)

    def add_bodies(self) -> None:
        envs = self._scene.envs
        self.bodies = BodyStates(len(envs), envs[0].num_bodies, self._device)

    def add_contacts(self) -> None:
        envs = self._scene.envs
        self.contacts = ContactForces(len(envs), envs[0].num_bodies, self._device)
        self._scene.reports_contacts = True

    def add_jacobian(self, actor: str) -> None:
        envs, number = self._scene.envs, self._number_of("acquire_jacobian_tensor", actor)
        self.jacobians[actor] = Jacobian(envs[0], number, len(envs), self._device)

    def add_mass_matrix(self, actor: str) -> None:
        envs, number = self._scene.envs, self._number_of("acquire_mass_matrix_tensor", actor)
        self.mass_matrices[actor] = MassMatrix(envs[0], number, len(envs), self._device)

    def _number_of(self, call: str, name: str) -> int:
        """Of the actor called so within its environment."""
        names = [actor.name for actor in self._scene.envs[0].actors]
        if name not in names:
            raise GymError(
                f"{call}: no actor is called {name!r}; the actors are {', '.join(names)}"
                f"{did_you_mean(name, names)}"
            )
        return names.index(name)

    def connect(self, batch: Batch, model_map: ModelMap, properties: WorldProperties) -> None:
        """Attach to the compiled worlds."""
        if self.bodies is not None:
            self.bodies.connect(batch, model_map.bodies)
        if self.contacts is not None:
            self.contacts.connect(batch, model_map.bodies)
        for name, jacobian in self.jacobians.items():
            jacobian.connect(batch, *self._parts_of(model_map, name))
        for name, matrix in self.mass_matrices.items():
            matrix.connect(batch, *self._parts_of(model_map, name))
        self.set_properties(properties)

    def _parts_of(self, model_map: ModelMap, name: str) -> Tuple[List[int], np.ndarray]:
        """MuJoCo's numbers of an actor's bodies and of its DOFs."""
        number = self._number_of("an acquired tensor", name)
        _, dofs = self._ranges(number)
        return model_map.actors[number].bodies, model_map.dof_qvel[dofs]

    def _ranges(self, number: int) -> Tuple[slice, slice]:
        """Where an actor's bodies and its DOFs lie within its environment's."""
        actors = self._scene.envs[0].actors
        bodies = np.cumsum([0] + [len(actor.body_properties) for actor in actors])
        dofs = np.cumsum([0] + [len(actor.dof_properties) for actor in actors])
        return (
            slice(int(bodies[number]), int(bodies[number + 1])),
            slice(int(dofs[number]), int(dofs[number + 1])),
        )

    def set_properties(self, properties: WorldProperties) -> None:
        """Take over what bodies weigh and DOFs have for armature."""
        for name, matrix in self.mass_matrices.items():
            bodies, dofs = self._ranges(self._number_of("an acquired tensor", name))
            armature = properties.dofs["armature"][:, dofs]
            matrix.set_properties(properties.inertials, bodies, armature)

    def tensors(self) -> Dict[str, torch.Tensor]:
        """All of them, by names that stay."""
        tensors = {f"jacobian {name}": each.tensor for name, each in self.jacobians.items()}
        tensors.update({f"mass {name}": each.tensor for name, each in self.mass_matrices.items()})
        if self.bodies is not None:
            tensors["bodies"] = self.bodies.tensor
        if self.contacts is not None:
            tensors["contacts"] = self.contacts.tensor
        return tensors
