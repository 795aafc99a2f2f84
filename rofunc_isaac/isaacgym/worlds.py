"""The worlds that a scene was compiled to: a model for each group of environments that need one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List

import mujoco
import numpy as np
import torch

from rofunc_isaac.isaacgym.actor_properties import ActorProperties
from rofunc_isaac.isaacgym.body_inertials import Inertials
from rofunc_isaac.isaacgym.compile import compile_scene, warn_of_restitution
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.layouts import split
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Scene
from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.engine import create_batch
from rofunc_isaac.physics.grouped_batch import GroupedBatch

_STRUCTURE = (
    *("body_parentid", "body_mocapid", "jnt_type", "jnt_bodyid", "dof_bodyid"),
    *("sensor_type", "sensor_objid", "eq_type", "eq_objtype", "actuator_trnid"),
)
"""Model fields that tell one tree of bodies and joints, and what is on it, from another."""


@dataclass
class Group:
    """Environments that share a model: a part of the scene, and its worlds."""

    scene: Scene
    model_map: ModelMap
    batch: Batch

    @property
    def rows(self) -> List[int]:
        """The numbers of its environments."""
        return [env.index for env in self.scene.envs]


@dataclass
class Worlds:
    """All groups of a scene; `batch` joins their worlds in the order of the environments."""

    groups: List[Group]
    batch: Batch

    @property
    def model_map(self) -> ModelMap:
        """Addresses, which are the same in all models, but those of shapes."""
        return self.groups[0].model_map

    def of_models(self, read: Callable[[mujoco.MjModel], np.ndarray]) -> np.ndarray:
        """What `read` finds in each environment's model, (envs or 1, ...)."""
        return merged(self.groups, [read(group.model_map.model)[None] for group in self.groups])


def make_worlds(scene: Scene, sim_device: str, num_threads: int, forward: bool) -> Worlds:
    """Compile the scene and create its worlds; see `create_batch`.

    Raises:
        GymError: environments differ in more than what hangs on their bodies.
    """
    warn_of_restitution(scene)
    parts = split(scene)
    maps = [compile_scene(part) for part in parts]
    check_structures(parts, maps)
    groups = []
    for part, model_map in zip(parts, maps):
        numbers = [env.index for env in part.envs] if len(parts) > 1 else None
        worlds = len(part.envs)
        batch = create_batch(model_map.model, worlds, sim_device, num_threads, forward, numbers)
        groups.append(Group(part, model_map, batch))
    if len(groups) == 1:
        return Worlds(groups, groups[0].batch)
    rows = [torch.tensor(group.rows) for group in groups]
    return Worlds(groups, GroupedBatch([group.batch for group in groups], rows))


def check_structures(parts: List[Scene], maps: List[ModelMap]) -> None:
    """Raises GymError: what has one number in one environment has another in another one."""
    first = maps[0]
    for part, other in zip(parts[1:], maps[1:]):
        same = all(
            np.array_equal(getattr(first.model, field), getattr(other.model, field))
            for field in _STRUCTURE
        )
        if not same or first.actors != other.actors or not same_sensors(first, other):
            raise GymError(
                f"env {part.envs[0].index} and env {parts[0].envs[0].index} have as many actors, "
                "bodies and DOFs, but not the same trees of bodies and joints, or other force "
                "sensors, bodies that collide or attractors; in these environments of one "
                "simulation must agree: put actors of the same kind in the same order"
            )


def same_sensors(first: ModelMap, other: ModelMap) -> bool:
    return all(
        (a.address, a.body, a.properties) == (b.address, b.body, b.properties)
        and np.allclose(a.rotation, b.rotation)
        for a, b in zip(first.sensors, other.sensors)
    )


def merged(groups: List[Group], parts: List[np.ndarray]) -> np.ndarray:
    """What each group has, (its envs or 1, ...), in the order of environments, (envs or 1, ...)."""
    if len(parts) == 1:
        return parts[0]
    count = sum(len(group.rows) for group in groups)
    whole = np.empty((count, *parts[0].shape[1:]), parts[0].dtype)
    for group, part in zip(groups, parts):
        whole[group.rows] = part
    return whole


class WorldProperties:
    """`ActorProperties` of all groups, and what they hold in the order of environments."""

    def __init__(self, worlds: Worlds) -> None:
        self._groups = worlds.groups
        self._parts = [
            ActorProperties(group.batch, group.model_map, group.scene) for group in worlds.groups
        ]
        self._read()

    def update(self) -> None:
        """Take over what was set on the actors since the last call."""
        for part in self._parts:
            part.update()
        self._read()

    def restored(self) -> None:
        """The batch was restored."""
        for part in self._parts:
            part.restored()

    def adopt(self, snapshot: Dict[str, Any]) -> None:
        """Take what stands on the actors for what the batch holds, which came from `snapshot`."""
        snapshots = snapshot["groups"] if len(self._parts) > 1 else [snapshot]
        for part, own in zip(self._parts, snapshots):
            part.adopt(own["parameters"])
        self._read()

    def _read(self) -> None:
        self.dofs = merged(self._groups, [part.dofs for part in self._parts])
        """DofProperties that are in force, (envs, dofs)."""
        self.of_links = merged(self._groups, [part.of_links for part in self._parts])
        """Share of the DOFs' damping that is their links', (envs, dofs)."""
        fields = [vars(part.inertials) for part in self._parts]
        values = {name: merged(self._groups, [own[name] for own in fields]) for name in fields[0]}
        self.inertials = Inertials(**values)
        """What the bodies weigh."""
