"""Draws environments as programs made them look."""

from __future__ import annotations

from typing import Dict, List, Optional

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import MESH_COLLISION, MESH_VISUAL, ImageType, MeshType
from rofunc_isaac.isaacgym._math import Transform
from rofunc_isaac.isaacgym._params import CameraProperties
from rofunc_isaac.isaacgym.image_renderer import ImageRenderer, group_geoms
from rofunc_isaac.isaacgym.looks import Looks, geom_meshes, texture_name
from rofunc_isaac.isaacgym.scene import Env

_NO_MATERIAL = -1


class Painter:
    """Of the environments that share a model, which it changes as to looks alone.

    Args:
        model: a copy of its own.
        places: the environment's numbers of its bodies, by MuJoCo's.
    """

    def __init__(self, model: mujoco.MjModel, places: Dict[int, int]) -> None:
        self._model = model
        self._meshes = geom_meshes(model)
        group_geoms(model, self._meshes[MESH_VISUAL], self._meshes[MESH_COLLISION])
        self._places = np.array([places.get(int(body), -1) for body in model.geom_bodyid])
        self._rgba, self._materials = model.geom_rgba.copy(), model.geom_matid.copy()
        self._renderer: Optional[ImageRenderer] = None

    def draw(
        self,
        data: mujoco.MjData,
        env: Env,
        pose: Transform,
        properties: CameraProperties,
        kinds: List[ImageType],
    ) -> Dict[ImageType, np.ndarray]:
        """Images of `env`, whose poses `data` holds: see `ImageRenderer.draw`."""
        if self._renderer is None:
            self._renderer = ImageRenderer(self._model, properties.width, properties.height)
        self._dress(env)
        lights = list(env.scene.lights.values())
        return self._renderer.draw(data, pose, properties, kinds, self._ids(env), lights)

    def _dress(self, env: Env) -> None:
        """Give geoms the colours and textures that stand on the environment's actors."""
        self._model.geom_rgba[:], self._model.geom_matid[:] = self._rgba, self._materials
        first = 0
        for actor in env.actors:
            if actor.looks is not None:
                # What is seen and collides takes its visual colour.
                for mesh in (MESH_COLLISION, MESH_VISUAL):
                    self._dress_actor(actor.looks, mesh, first)
            first += len(actor.body_properties)

    def _dress_actor(self, looks: Looks, mesh: MeshType, first: int) -> None:
        """The same of one actor's geoms of one kind; `first` is its first body's place."""
        rgba, materials = self._model.geom_rgba, self._model.geom_matid
        for (body, kind), color in looks.colors.items():
            if kind == mesh:
                geoms = (self._places == first + body) & self._meshes[mesh]
                rgba[geoms], materials[geoms] = [color.x, color.y, color.z, 1.0], _NO_MATERIAL
        for (body, kind), texture in looks.textures.items():
            if kind == mesh:
                geoms = (self._places == first + body) & self._meshes[mesh]
                materials[geoms] = self._model.material(texture_name(texture)).id

    def _ids(self, env: Env) -> np.ndarray:
        """Segmentation ids of the geoms, (geoms,); of terrains 0."""
        of_bodies: List[int] = []
        for actor in env.actors:
            own = {} if actor.looks is None else actor.looks.segmentation
            bodies = range(len(actor.body_properties))
            of_bodies += [own.get(body, actor.segmentation_id) for body in bodies]
        ids = np.array([*of_bodies, 0], np.int32)[self._places]
        if env.scene.ground is not None:
            ids[self._model.geom("ground").id] = env.scene.ground.segmentation_id
        return ids
