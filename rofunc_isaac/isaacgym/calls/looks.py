"""Calls about how bodies look to camera sensors: colours, textures, segmentation, lights."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np

from rofunc_isaac.isaacgym._constants import INVALID_HANDLE, MeshType
from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.looks import Texture, geom_meshes, meshes_of, read_texture
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation

NUM_LIGHTS = 4


class LooksCalls:
    """Mixed into `Gym`. Bodies are counted within their actor."""

    def set_rigid_body_color(
        self, env: Env, handle: int, body: int, mesh: MeshType, color: Vec3
    ) -> None:
        """RGB in [0, 1], of what is seen, of what collides, or of both."""
        looks = env.actor(handle).own_looks()
        for kind in meshes_of(mesh):
            looks.colors[int(body), kind] = Vec3(color.x, color.y, color.z)

    def get_rigid_body_color(self, env: Env, handle: int, body: int, mesh: MeshType) -> Vec3:
        """What was set, else the colour of the body's first shape of that kind in its file."""
        actor = env.actor(handle)
        kinds = meshes_of(mesh)
        for kind in kinds:
            if actor.looks is not None and (body, kind) in actor.looks.colors:
                return deepcopy(actor.looks.colors[body, kind])
        model = actor.asset.kinematics.model
        of_body = model.geom_bodyid == body + 1
        shown = np.zeros(model.ngeom, bool)
        for kind in kinds:
            shown |= geom_meshes(model)[kind] & of_body
        found = np.flatnonzero(shown)
        if not len(found):
            return Vec3()
        material = int(model.geom_matid[found[0]])
        rgba = model.geom_rgba[found[0]] if material < 0 else model.mat_rgba[material]
        return Vec3(*rgba[:3].tolist())

    def set_rigid_body_segmentation_id(
        self, env: Env, handle: int, body: int, segmentation_id: int
    ) -> None:
        env.actor(handle).own_looks().segmentation[int(body)] = int(segmentation_id)

    def get_rigid_body_segmentation_id(self, env: Env, handle: int, body: int) -> int:
        """What was set, else the actor's."""
        actor = env.actor(handle)
        own = {} if actor.looks is None else actor.looks.segmentation
        return own.get(body, actor.segmentation_id)

    def create_texture_from_file(self, sim: Simulation, filename: str) -> int:
        """A handle of the image in the file: PNG, or what Pillow reads where it is installed."""
        return add_texture("create_texture_from_file", sim, read_texture(Path(filename)))

    def create_texture_from_buffer(
        self, sim: Simulation, width: int, height: int, buffer: np.ndarray
    ) -> int:
        """A handle of uint8 pixels, RGBA or RGB, `height` rows of `width`."""
        call = "create_texture_from_buffer"
        pixels = np.asarray(buffer, np.uint8)
        if pixels.size not in (3 * width * height, 4 * width * height):
            raise GymError(
                f"{call} was given {pixels.size} numbers; RGB and RGBA of {width} x {height} "
                f"pixels are {3 * width * height} and {4 * width * height}"
            )
        return add_texture(call, sim, pixels.reshape(height, width, -1)[..., :3].copy())

    def free_texture(self, sim: Simulation, texture: int) -> None:
        """Textures live as long as their simulation."""

    def set_rigid_body_texture(
        self, env: Env, handle: int, body: int, mesh: MeshType, texture: int
    ) -> None:
        """Wrap a body into the texture of a handle; INVALID_HANDLE takes it off again."""
        if texture != INVALID_HANDLE and not 0 <= texture < len(env.scene.textures):
            raise GymError(
                f"set_rigid_body_texture: there is no texture {texture}, "
                f"{len(env.scene.textures)} were created"
            )
        looks = env.actor(handle).own_looks()
        for kind in meshes_of(mesh):
            if texture == INVALID_HANDLE:
                looks.textures.pop((int(body), kind), None)
            else:
                looks.textures[int(body), kind] = int(texture)

    def get_rigid_body_texture(self, env: Env, handle: int, body: int, mesh: MeshType) -> int:
        """The handle that was set, else INVALID_HANDLE."""
        looks = env.actor(handle).looks
        textures = {} if looks is None else looks.textures
        found = [textures[body, kind] for kind in meshes_of(mesh) if (body, kind) in textures]
        return found[0] if found else INVALID_HANDLE

    def reset_actor_materials(self, env: Env, handle: int, mesh: MeshType) -> None:
        """Forget the colours and textures that were set."""
        looks = env.actor(handle).own_looks()
        for kind in meshes_of(mesh):
            looks.colors = {key: v for key, v in looks.colors.items() if key[1] != kind}
            looks.textures = {key: v for key, v in looks.textures.items() if key[1] != kind}

    def set_light_parameters(
        self, sim: Simulation, light: int, intensity: Vec3, ambient: Vec3, direction: Vec3
    ) -> None:
        """One of four lights, RGB in [0, 1]; `direction` points to it.

        Before any is set, one light shines from the camera.
        """
        if not 0 <= light < NUM_LIGHTS:
            raise GymError(f"set_light_parameters: light {light} is not one of {NUM_LIGHTS}")
        sim.scene.lights[light] = deepcopy((intensity, ambient, direction))


def add_texture(call: str, sim: Simulation, texture: Texture) -> int:
    if sim.is_prepared:
        raise GymError(f"{call} comes too late: create textures before prepare_sim")
    sim.scene.textures.append(texture)
    return len(sim.scene.textures) - 1
