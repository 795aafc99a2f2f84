"""What was set on actors, as plain tensors that a checkpoint can hold."""

from __future__ import annotations

from typing import Dict, Iterator, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._properties import DOF_PROPERTIES, RigidShapeProperties
from rofunc_isaac.isaacgym.compile import dof_properties
from rofunc_isaac.isaacgym.scene import Actor, Scene

PropertyState = Dict[str, Dict[str, torch.Tensor]]
"""`dofs` and `shapes`: by the property's name, (envs, dofs) and (envs, shapes)."""


def read(scene: Scene) -> PropertyState:
    """The properties of every actor of every environment."""
    dofs = dof_properties(scene)
    shapes = [[s for actor in env.actors for s in actor.shape_properties] for env in scene.envs]
    return {
        "dofs": {name: torch.from_numpy(dofs[name].copy()) for name in DOF_PROPERTIES.names or ()},
        "shapes": {
            name: torch.tensor([[getattr(shape, name) for shape in row] for row in shapes])
            for name in RigidShapeProperties.fields()
        },
    }


def write(scene: Scene, state: PropertyState) -> None:
    """Give the actors the properties that `read` found."""
    dofs, shapes = state["dofs"], {name: v.tolist() for name, v in state["shapes"].items()}
    for env, actor, first_dof, first_shape in _places(scene):
        properties = np.empty(len(actor.dof_properties), DOF_PROPERTIES)
        for name, values in dofs.items():
            properties[name] = values[env, first_dof : first_dof + len(properties)].numpy()
        actor.dof_properties = properties
        actor.shape_properties = [RigidShapeProperties() for _ in actor.shape_properties]
        for number, shape in enumerate(actor.shape_properties, start=first_shape):
            for name, rows in shapes.items():
                setattr(shape, name, rows[env][number])


def _places(scene: Scene) -> Iterator[Tuple[int, Actor, int, int]]:
    """Every actor with its environment's index, and where its DOFs and its shapes begin there."""
    for env in scene.envs:
        dof = shape = 0
        for actor in env.actors:
            yield env.index, actor, dof, shape
            dof += len(actor.dof_properties)
            shape += len(actor.shape_properties)
