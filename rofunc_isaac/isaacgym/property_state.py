"""What was set on actors, as plain tensors that a checkpoint can hold."""

from __future__ import annotations

from typing import Any, Dict, List, Type, Union

import numpy as np
import torch

from rofunc_isaac.isaacgym._math import Mat33, Vec3
from rofunc_isaac.isaacgym._properties import (
    DOF_PROPERTIES,
    RigidBodyProperties,
    RigidShapeProperties,
    TendonProperties,
)
from rofunc_isaac.isaacgym._record import Record
from rofunc_isaac.isaacgym.assets.tables import mat33
from rofunc_isaac.isaacgym.compile import dof_properties
from rofunc_isaac.isaacgym.scene import Scene

Rows = Union[torch.Tensor, List[torch.Tensor]]
"""(envs, how many there are, ...), or where environments have other numbers of them a tensor for
each environment."""

PropertyState = Dict[str, Dict[str, Rows]]
"""`dofs`, `shapes`, `bodies` and `tendons`, by the property's name."""

_RECORDS: Dict[str, Type[Record]] = {
    "shape": RigidShapeProperties,
    "body": RigidBodyProperties,
    "tendon": TendonProperties,
}
_KEYS = {"shape": "shapes", "body": "bodies", "tendon": "tendons"}


def read(scene: Scene) -> PropertyState:
    """The properties of every actor of every environment."""
    dofs = dof_properties(scene)
    state: PropertyState = {
        "dofs": {name: torch.from_numpy(dofs[name].copy()) for name in DOF_PROPERTIES.names or ()}
    }
    for kind, record in _RECORDS.items():
        rows = [
            [part for actor in env.actors for part in getattr(actor, f"{kind}_properties")]
            for env in scene.envs
        ]
        state[_KEYS[kind]] = {
            name: to_rows([[to_plain(getattr(part, name)) for part in row] for row in rows])
            for name in record.fields()
        }
    return state


def write(scene: Scene, state: PropertyState) -> None:
    """Give the actors the properties that `read` found."""
    for env in scene.envs:
        first = 0
        for actor in env.actors:
            properties = np.empty(len(actor.dof_properties), DOF_PROPERTIES)
            for name, values in state["dofs"].items():
                properties[name] = values[env.index][first : first + len(properties)].numpy()
            actor.dof_properties = properties
            first += len(properties)
    for kind, record in _RECORDS.items():
        # A checkpoint of an earlier version says nothing of what could not be set then.
        if _KEYS[kind] in state:
            _write_records(scene, f"{kind}_properties", record, state[_KEYS[kind]])


def _write_records(
    scene: Scene, attribute: str, record: Type[Record], values: Dict[str, Rows]
) -> None:
    by_name = {name: [row.tolist() for row in rows] for name, rows in values.items()}
    for env in scene.envs:
        number = 0
        for actor in env.actors:
            parts: List[Record] = []
            for _ in getattr(actor, attribute):
                parts.append(record())
                for name, rows in by_name.items():
                    setattr(parts[-1], name, from_plain(rows[env.index][number]))
                number += 1
            setattr(actor, attribute, parts)


def to_rows(values: List[List[Any]]) -> Rows:
    if len({len(row) for row in values}) == 1:
        return to_tensor(values)
    return [to_tensor(row) for row in values]


def to_tensor(values: List[Any]) -> torch.Tensor:
    tensor = torch.tensor(values)
    return torch.tensor(values, dtype=torch.float64) if tensor.is_floating_point() else tensor


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
