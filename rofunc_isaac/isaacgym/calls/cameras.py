"""Calls about camera sensors and their images."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np

from rofunc_isaac.isaacgym._constants import UP_AXIS_Y, CameraFollowMode, ImageType
from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._params import CameraProperties
from rofunc_isaac.isaacgym._tensor import GymTensor
from rofunc_isaac.isaacgym.cameras import Camera, look_at, projection_matrix, view_matrix
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.images import body_pose, find_camera, image, render, to_png
from rofunc_isaac.isaacgym.locate import locate_body
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.simulation import Simulation


class CameraCalls:
    """Mixed into `Gym`. Cameras see their own environment alone.

    A camera's handle counts within its environment. Its frame, and every pose here, has x
    forward, y left and z up, and is in the environment's frame.
    """

    def create_camera_sensor(self, env: Env, properties: CameraProperties) -> int:
        """A camera at the environment's origin. OpenGL is asked for at its first image."""
        env.cameras.append(Camera(deepcopy(properties)))
        return len(env.cameras) - 1

    def destroy_camera_sensor(self, sim: Simulation, env: Env, camera: int) -> None:
        """Forget its images; other cameras keep their handles."""
        find_camera("destroy_camera_sensor", env, camera)
        env.cameras[camera] = None

    def set_camera_location(self, camera: int, env: Env, position: Vec3, target: Vec3) -> None:
        """Put the camera at `position`, to look at `target`; it is detached from its body."""
        found = find_camera("set_camera_location", env, camera)
        y_is_up = env.scene.params.up_axis == UP_AXIS_Y
        up = Vec3(0.0, 1.0, 0.0) if y_is_up else Vec3(0.0, 0.0, 1.0)
        found.transform, found.body = look_at(position, target, up), None

    def set_camera_transform(self, camera: int, env: Env, transform: Transform) -> None:
        """Put the camera to `transform`, relative to its body if it is attached to one."""
        find_camera("set_camera_transform", env, camera).transform = deepcopy(transform)

    def attach_camera_to_body(
        self, camera: int, env: Env, body: int, transform: Transform, mode: CameraFollowMode
    ) -> None:
        """Let the camera follow the environment's body number `body`, at `transform` from it.

        With FOLLOW_POSITION it keeps its own rotation, and its distance in the env's axes.
        """
        found = find_camera("attach_camera_to_body", env, camera)
        locate_body("attach_camera_to_body", env, body)
        found.transform, found.body = deepcopy(transform), int(body)
        found.mode = CameraFollowMode(mode)

    def get_camera_transform(self, sim: Simulation, env: Env, camera: int) -> Transform:
        """Where the camera is at present."""
        found = find_camera("get_camera_transform", env, camera)
        return deepcopy(found.pose(body_pose(env, found)))

    def get_camera_view_matrix(self, sim: Simulation, env: Env, camera: int) -> np.ndarray:
        """float32 (4, 4), from the global frame, that of `get_env_origin`: see `view_matrix`."""
        found = find_camera("get_camera_view_matrix", env, camera)
        return view_matrix(found.pose(body_pose(env, found)), env.origin)

    def get_camera_proj_matrix(self, sim: Simulation, env: Env, camera: int) -> np.ndarray:
        """float32 (4, 4): see `projection_matrix`."""
        found = find_camera("get_camera_proj_matrix", env, camera)
        return projection_matrix(found.properties)

    def render_all_camera_sensors(self, sim: Simulation) -> None:
        """Draw anew every image that was asked for before, at the present state."""
        for env in sim.scene.envs:
            for camera in env.cameras:
                if camera is not None and camera.images:
                    render("render_all_camera_sensors", env, camera, list(camera.images))

    def get_camera_image(
        self, sim: Simulation, env: Env, camera: int, type: ImageType
    ) -> np.ndarray:
        """The image of the last render_all_camera_sensors; the first of its type is drawn now.

        Before prepare_sim and the first simulate it is black.

        IMAGE_COLOR: uint8 (height, 4 width), RGBA. IMAGE_DEPTH: float32 (height, width), m along
        the camera's axis, negative, -inf where nothing is. IMAGE_SEGMENTATION: int32 (height,
        width), 0 where nothing is. Copies.
        """
        pixels = image("get_camera_image", env, camera, type).cpu().numpy().copy()
        return pixels.reshape(len(pixels), -1)

    def get_camera_image_gpu_tensor(
        self, sim: Simulation, env: Env, camera: int, type: ImageType
    ) -> GymTensor:
        """The same as a tensor on the simulation's device, colour as (height, width, 4).

        It shows each new image. `CameraProperties.enable_tensors` has to be set.
        """
        call = "get_camera_image_gpu_tensor"
        if not find_camera(call, env, camera).properties.enable_tensors:
            raise GymError(f"{call}: create the camera with CameraProperties.enable_tensors = True")
        return GymTensor(image(call, env, camera, type))

    def start_access_image_tensors(self, sim: Simulation) -> None:
        """Tensors hold their images as soon as render_all_camera_sensors returns."""

    def end_access_image_tensors(self, sim: Simulation) -> None:
        """See `start_access_image_tensors`."""

    def write_camera_image_to_file(
        self, sim: Simulation, env: Env, camera: int, type: ImageType, filename: str
    ) -> None:
        """Write the image as PNG: colours; depths in grey, the nearest white; ids modulo 256."""
        pixels = image("write_camera_image_to_file", env, camera, type).cpu().numpy()
        Path(filename).write_bytes(to_png(pixels))
