"""How bodies look in images: what programs set beside the asset's own colours."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Tuple, Union

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import (
    MESH_COLLISION,
    MESH_VISUAL,
    MESH_VISUAL_AND_COLLISION,
    MeshType,
)
from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym.errors import GymError

Texture = Union[str, np.ndarray]
"""A PNG file's path, or pixels, uint8 (height, width, 3)."""

Light = Tuple[Vec3, Vec3, Vec3]
"""Intensity and ambience in RGB, and the direction in which the light is."""

BodyMesh = Tuple[int, MeshType]
"""A body's index within its actor, and MESH_VISUAL or MESH_COLLISION."""


@dataclass
class Looks:
    """Of one actor. Segmentation ids are by the body's index."""

    colors: Dict[BodyMesh, Vec3] = field(default_factory=dict)
    textures: Dict[BodyMesh, int] = field(default_factory=dict)
    segmentation: Dict[int, int] = field(default_factory=dict)


def meshes_of(mesh: MeshType) -> List[MeshType]:
    """The single kinds that `mesh` stands for."""
    both = {MESH_VISUAL_AND_COLLISION: [MESH_VISUAL, MESH_COLLISION]}
    kinds = {MESH_VISUAL: [MESH_VISUAL], MESH_COLLISION: [MESH_COLLISION], **both}
    return kinds.get(MeshType(mesh), [])


def geom_meshes(model: mujoco.MjModel) -> Dict[MeshType, np.ndarray]:
    """bool (geoms,): which geoms are seen, and which collide. Many do both."""
    return {
        MESH_VISUAL: np.asarray(model.geom_group < 3),
        MESH_COLLISION: (model.geom_contype != 0) | (model.geom_conaffinity != 0),
    }


def texture_name(handle: int) -> str:
    """Of a texture and its material in the model."""
    return f"texture{handle}"


def read_texture(path: Path) -> Texture:
    """Raises GymError: there is no such file, or nothing here reads its format."""
    if not path.is_file():
        raise GymError(f"create_texture_from_file: there is no file {path}")
    if path.suffix.lower() == ".png":
        return str(path.resolve())
    try:
        pillow = importlib.import_module("PIL.Image")
    except ModuleNotFoundError as error:
        raise GymError(
            f"create_texture_from_file: {path} is no PNG; for other formats pip install pillow"
        ) from error
    with pillow.open(path) as opened:
        return np.asarray(opened.convert("RGB"))


def add_textures(spec: mujoco.MjSpec, textures: List[Texture]) -> None:
    """Add a material for each texture; bodies get them when they are drawn."""
    for handle, texture in enumerate(textures):
        name = texture_name(handle)
        options: Dict[str, Any] = {"name": name, "type": mujoco.mjtTexture.mjTEXTURE_2D}
        if isinstance(texture, str):
            spec.add_texture(file=texture, **options)
        else:
            height, width, channels = texture.shape
            added = spec.add_texture(width=width, height=height, nchannel=channels, **options)
            added.data = texture.tobytes()
        material = spec.add_material(name=name)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
