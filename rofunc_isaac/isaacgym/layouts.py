"""Which environments of a scene one compiled model can serve."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, List, Tuple

import numpy as np

from rofunc_isaac.isaacgym._math import Transform
from rofunc_isaac.isaacgym.actor import SceneAsset, SensorMount
from rofunc_isaac.isaacgym.collision import EVERY_GROUP
from rofunc_isaac.isaacgym.model_map import ModelMap
from rofunc_isaac.isaacgym.scene import Env, Scene
from rofunc_isaac.isaacgym.variants import BODY_FIELDS, PLACES

KindOf = Callable[[int, SceneAsset], Hashable]
"""From an actor's position in its environment and its asset to what must be equal."""


def split(scene: Scene) -> List[Scene]:
    """The scene's environments in groups that can share a model, in the order of the first of each.

    The scene itself, where all can.
    """
    if len(_groups(scene, lambda position, asset: id(asset))) == 1:
        return [scene]
    varied = varied_positions(scene)

    def kind(position: int, asset: SceneAsset) -> Hashable:
        return asset.constants.signature if position in varied else None

    groups = _groups(scene, kind)
    return [scene] if len(groups) == 1 else [scene.part(envs) for envs in groups]


def _groups(scene: Scene, kind: KindOf) -> List[List[Env]]:
    groups: Dict[Hashable, List[Env]] = {}
    for env in scene.envs:
        groups.setdefault(_layout(env, kind), []).append(env)
    return list(groups.values())


def _layout(env: Env, kind: KindOf) -> Hashable:
    """What must be equal in environments that share a model.

    Which number a collision group has does not matter, only who shares it.
    """
    groups: Dict[int, int] = {EVERY_GROUP: EVERY_GROUP}
    actors = tuple(
        (
            kind(position, actor.asset),
            groups.setdefault(actor.group, len(groups)),
            tuple(actor.shape_filters()),
            tuple(mount(sensor) for sensor in actor.force_sensors),
            tuple(length.coefficients for length in actor.tendon_lengths),
        )
        for position, actor in enumerate(env.actors)
    )
    return actors, tuple((a.rigid_handle, a.axes, *numbers(a.offset)) for a in env.attractors)


def mount(sensor: SensorMount) -> Hashable:
    properties = sensor.properties
    flags = tuple(getattr(properties, name) for name in properties.fields())
    return sensor.body, numbers(sensor.pose), flags


def numbers(pose: Transform) -> Tuple[float, ...]:
    """Position and quaternion xyzw."""
    p, r = pose.p, pose.r
    return p.x, p.y, p.z, r.x, r.y, r.z, r.w


def varied_positions(scene: Scene) -> List[int]:
    """The positions among an environment's actors at which not all hold the same asset."""
    positions = range(min(len(env.actors) for env in scene.envs))
    return [p for p in positions if len({id(env.actors[p].asset) for env in scene.envs}) > 1]


def model_values(scene: Scene, model_map: ModelMap, field: str) -> np.ndarray:
    """What `field`, one of `OWN_FIELDS`, is by the assets of each environment.

    Args:
        scene: a group of environments, whose model `model_map` describes.

    Returns:
        (envs or 1, bodies or shapes, ...).
    """
    of_bodies = field in BODY_FIELDS
    rows = model_map.bodies if of_bodies else model_map.shape_geom
    shared = getattr(model_map.model, field)[rows][None]
    varied = varied_positions(scene)
    if not varied:
        return shared
    counts = [
        len(actor.body_properties if of_bodies else actor.shape_properties)
        for actor in scene.envs[0].actors
    ]
    first = np.cumsum([0, *counts])
    values = np.repeat(shared, len(scene.envs), axis=0)
    skipped = 1 if field in PLACES else 0
    for row, env in enumerate(scene.envs):
        for position in varied:
            own: Any = env.actors[position].asset.constants.fields[field]
            values[row, first[position] + skipped : first[position + 1]] = own[skipped:]
    return values
