"""What was set on actors, as plain tensors that a checkpoint can hold."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._math import Mat33, Vec3
from rofunc_isaac.isaacgym._properties import (
    DOF_PROPERTIES,
    RigidBodyProperties,
    RigidShapeProperties,
)
from rofunc_isaac.isaacgym.assets.tables import mat33
from rofunc_isaac.isaacgym.body_inertials import differs_from_asset
from rofunc_isaac.isaacgym.compile import dof_properties
from rofunc_isaac.isaacgym.scene import Actor, Scene

PropertyState = Dict[str, Dict[str, torch.Tensor]]
"""`dofs`, `shapes` and `bodies`: by the property's name, (envs, dofs), (envs, shapes) and (envs,
bodies, ...)."""


def read(scene: Scene) -> PropertyState:
    """The properties of every actor of every environment; bodies where they are not the asset's."""
    dofs = dof_properties(scene)
    shapes = [[s for actor in env.actors for s in actor.shape_properties] for env in scene.envs]
    state = {
        "dofs": {name: torch.from_numpy(dofs[name].copy()) for name in DOF_PROPERTIES.names or ()},
        "shapes": {
            name: torch.tensor([[getattr(shape, name) for shape in row] for row in shapes])
            for name in RigidShapeProperties.fields()
        },
    }
    if any(differs_from_asset(env) for env in scene.envs):
        bodies = [[b for actor in env.actors for b in actor.body_properties] for env in scene.envs]
        state["bodies"] = {
            name: torch.tensor([[to_plain(getattr(body, name)) for body in row] for row in bodies])
            for name in RigidBodyProperties.fields()
        }
    return state


def write(scene: Scene, state: PropertyState) -> None:
    """Give the actors the properties that `read` found."""
    dofs = state["dofs"]
    shapes = {name: values.tolist() for name, values in state["shapes"].items()}
    bodies = {name: values.tolist() for name, values in state.get("bodies", {}).items()}
    for env, actor, first_dof, first_body, first_shape in _places(scene):
        properties = np.empty(len(actor.dof_properties), DOF_PROPERTIES)
        for name, values in dofs.items():
            properties[name] = values[env, first_dof : first_dof + len(properties)].numpy()
        actor.dof_properties = properties
        actor.shape_properties = [RigidShapeProperties() for _ in actor.shape_properties]
        for number, shape in enumerate(actor.shape_properties, start=first_shape):
            for name, rows in shapes.items():
                setattr(shape, name, rows[env][number])
        actor.body_properties = actor.asset.description.body_properties
        if bodies:
            actor.body_properties = [RigidBodyProperties() for _ in actor.body_properties]
        for number, body in enumerate(actor.body_properties, start=first_body):
            for name, rows in bodies.items():
                setattr(body, name, from_plain(rows[env][number]))


def to_plain(value: Any) -> Any:
    """A vector or matrix of the interface as lists of numbers; numbers as they are."""
    if isinstance(value, Mat33):
        return [to_plain(row) for row in (value.x, value.y, value.z)]
    return [value.x, value.y, value.z] if isinstance(value, Vec3) else value


def from_plain(value: Any) -> Any:
    """What `to_plain` was given."""
    if not isinstance(value, list):
        return value
    return mat33(np.array(value)) if isinstance(value[0], list) else Vec3(*value)


def _places(scene: Scene) -> Iterator[Tuple[int, Actor, int, int, int]]:
    """Every actor with its environment's index, and where its DOFs, bodies and shapes begin."""
    for env in scene.envs:
        dof = body = shape = 0
        for actor in env.actors:
            yield env.index, actor, dof, body, shape
            dof += len(actor.dof_properties)
            body += len(actor.body_properties)
            shape += len(actor.shape_properties)
