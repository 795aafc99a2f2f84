"""Images of a MuJoCo world through OpenGL, without a window."""

from __future__ import annotations

import importlib
import math
import os
import sys
from ctypes.util import find_library
from typing import Any, Dict, List, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._constants import (
    IMAGE_COLOR,
    IMAGE_DEPTH,
    IMAGE_SEGMENTATION,
    ImageType,
)
from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import CameraProperties
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.looks import Light

_LIBRARIES = {
    "egl": "mujoco.egl",
    "osmesa": "mujoco.osmesa",
    "glfw": "mujoco.glfw",
    "cgl": "mujoco.cgl",
}
"""Ways to OpenGL, as MUJOCO_GL names them."""
_SEEN_GROUPS = {False: (0, 1), True: (1, 2)}
"""Geom groups by `use_collision_geometry`: 0 is seen only, 1 is both, 2 collides only."""


def group_geoms(model: mujoco.MjModel, seen: np.ndarray, collides: np.ndarray) -> None:
    """Put every geom into the group that says when cameras show it."""
    model.geom_group[:] = np.select([seen & collides, seen, collides], [1, 0, 2], default=5)


class ImageRenderer:
    """Draws one world at a time. `group_geoms` has been applied to its model.

    Raises:
        GymError: OpenGL can't be had here.
    """

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self._model, self._size = model, (width, height)
        self._gl = open_gl(width, height)
        self._gl.make_current()
        model.vis.global_.offwidth, model.vis.global_.offheight = width, height
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 1000)
        self._option = mujoco.MjvOption()
        self._option.sitegroup[:] = 0
        self._option.tendongroup[:] = 0

    def draw(
        self,
        data: mujoco.MjData,
        pose: Transform,
        properties: CameraProperties,
        kinds: List[ImageType],
        ids: np.ndarray,
        lights: List[Light],
    ) -> Dict[ImageType, np.ndarray]:
        """Images from a camera at `pose`: by type, (height, width, ...).

        Colour is uint8 RGBA, depth float32 in m, negative along the camera's axis and -inf where
        nothing is, segmentation int32.

        Args:
            ids: the segmentation ids of the geoms, (geoms,).
        """
        self._gl.make_current()
        self._resize(properties.width, properties.height)
        for group in range(mujoco.mjNGROUP):
            shown = group in _SEEN_GROUPS[properties.use_collision_geometry]
            self._option.geomgroup[group] = shown
        everything = int(mujoco.mjtCatBit.mjCAT_ALL)
        camera, nothing = mujoco.MjvCamera(), mujoco.MjvPerturb()
        mujoco.mjv_updateScene(
            self._model, data, self._option, nothing, camera, everything, self._scene
        )
        place_camera(self._scene, pose, properties)
        place_lights(self._scene, lights)
        images = {}
        if IMAGE_COLOR in kinds:
            images[IMAGE_COLOR] = self._color(properties)
        if IMAGE_DEPTH in kinds or IMAGE_SEGMENTATION in kinds:
            images[IMAGE_DEPTH], images[IMAGE_SEGMENTATION] = self._depth_and_ids(properties, ids)
        return {kind: images[kind] for kind in kinds}

    def _resize(self, width: int, height: int) -> None:
        if (width, height) != self._size:
            mujoco.mjr_resizeOffscreen(width, height, self._context)
            self._size = (width, height)

    def _read(self, properties: CameraProperties) -> Tuple[np.ndarray, np.ndarray]:
        """Colours and depths of the drawn scene, from the top row down."""
        width, height = properties.width, properties.height
        view = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(view, self._scene, self._context)
        colors = np.empty((height, width, 3), np.uint8)
        depths = np.empty((height, width), np.float32)
        mujoco.mjr_readPixels(colors, depths, view, self._context)
        return colors[::-1], depths[::-1]

    def _color(self, properties: CameraProperties) -> np.ndarray:
        colors, _ = self._read(properties)
        opaque = np.full((*colors.shape[:2], 1), 255, np.uint8)
        return np.concatenate([colors, opaque], axis=-1)

    def _depth_and_ids(
        self, properties: CameraProperties, ids: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray]:
        flags = self._scene.flags
        kept = flags.copy()
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        colors, depths = self._read(properties)
        flags[:] = kept
        # The buffer holds n (f - z) / (z (f - n)): 1 at the near plane, 0 at the far one.
        near, far = properties.near_plane, properties.far_plane
        with np.errstate(divide="ignore"):
            distance = near * far / (depths.astype(np.float64) * (far - near) + near)
        distance[depths == 0.0] = np.inf
        numbers = colors.astype(np.int64) @ np.array([1, 2**8, 2**16])
        return -distance.astype(np.float32), self._ids_of(ids)[numbers]

    def _ids_of(self, ids: np.ndarray) -> np.ndarray:
        """Segmentation ids by the number with which things were drawn; 0 is the background."""
        table = np.zeros(self._scene.ngeom + 1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == int(mujoco.mjtObj.mjOBJ_GEOM):
                table[geom.segid + 1] = ids[geom.objid]
        return table


def place_camera(scene: mujoco.MjvScene, pose: Transform, properties: CameraProperties) -> None:
    forward, up = pose.r.rotate(Vec3(1.0, 0.0, 0.0)), pose.r.rotate(Vec3(0.0, 0.0, 1.0))
    half_width = properties.near_plane * math.tan(0.5 * math.radians(properties.horizontal_fov))
    half_height = half_width * properties.height / properties.width
    for camera in scene.camera:
        camera.pos = [pose.p.x, pose.p.y, pose.p.z]
        camera.forward, camera.up = [forward.x, forward.y, forward.z], [up.x, up.y, up.z]
        camera.frustum_center, camera.frustum_width = 0.0, half_width
        camera.frustum_bottom, camera.frustum_top = -half_height, half_height
        camera.frustum_near, camera.frustum_far = properties.near_plane, properties.far_plane
        camera.orthographic = 0
    for light in scene.lights[: scene.nlight]:
        if light.headlight:
            light.pos, light.dir = scene.camera[0].pos, scene.camera[0].forward


def place_lights(scene: mujoco.MjvScene, lights: List[Light]) -> None:
    """Replace the scene's lights, if there are others; without any it has one at the camera."""
    if lights:
        scene.nlight = len(lights)
    for light, (intensity, ambient, direction) in zip(scene.lights, lights):
        light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        light.headlight, light.castshadow = 0, 0
        light.diffuse = [intensity.x, intensity.y, intensity.z]
        light.ambient = [ambient.x, ambient.y, ambient.z]
        light.specular = [0.3, 0.3, 0.3]
        # It shines from there.
        shine = -direction.normalize()
        light.dir = [shine.x, shine.y, shine.z]


def open_gl(width: int, height: int) -> Any:
    """A context of OpenGL, by the library that MUJOCO_GL names, else by one that is there.

    Raises:
        GymError: it does not work here.
    """
    name = gl_library()
    try:
        return importlib.import_module(_LIBRARIES[name]).GLContext(width, height)
    except Exception as error:  # each library fails in its own way
        raise GymError(
            f"camera sensors need OpenGL, and {name} does not work here ({type(error).__name__}: "
            f"{error}). Install EGL (on Ubuntu: apt install libegl1 libgl1) or OSMesa (libosmesa6) "
            "and choose it with MUJOCO_GL=egl or MUJOCO_GL=osmesa"
        ) from error


def gl_library() -> str:
    """One of `_LIBRARIES`. PyOpenGL takes the first that is imported, so there is no second try."""
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    if chosen in _LIBRARIES:
        return chosen
    if sys.platform != "linux":
        return "cgl" if sys.platform == "darwin" else "glfw"
    return "egl" if find_library("EGL") else "osmesa"
