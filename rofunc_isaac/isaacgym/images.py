"""Images of camera sensors: drawn, kept, and written to files."""

from __future__ import annotations

import struct
import zlib
from typing import Dict, Sequence, Tuple

import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import (
    IMAGE_COLOR,
    IMAGE_DEPTH,
    IMAGE_SEGMENTATION,
    ImageType,
)
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym.actor_states import link_states
from rofunc_isaac.isaacgym.cameras import Camera
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.locate import locate_body
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.stopwatch import RENDERING

_PIXELS: Dict[ImageType, Tuple[torch.dtype, Tuple[int, ...]]] = {
    IMAGE_COLOR: (torch.uint8, (4,)),
    IMAGE_DEPTH: (torch.float32, ()),
    IMAGE_SEGMENTATION: (torch.int32, ()),
}
"""Of each type of image, what a pixel is."""


def find_camera(call: str, env: Env, handle: int) -> Camera:
    """Raises GymError: `env` has no such camera."""
    found = env.cameras[handle] if 0 <= handle < len(env.cameras) else None
    if found is None:
        raise GymError(
            f"{call}: env {env.index} has no camera {handle}; it made {len(env.cameras)}"
        )
    return found


def body_pose(env: Env, camera: Camera) -> Transform:
    """Of the body that the camera is attached to; any for a camera that stands by itself."""
    if camera.body is None:
        return Transform()
    handle, index = locate_body("the pose of a camera", env, camera.body)
    row = link_states([(env, handle)])[index].tolist()
    return Transform(Vec3(*row[0:3]), Quat(*row[3:7]))


def image(call: str, env: Env, handle: int, kind: ImageType) -> torch.Tensor:
    """The camera's last image of this type, which is drawn now if there is none.

    It is black as long as there are no worlds: programs ask for images, and for tensors of them,
    while they still create the scene.

    Raises:
        GymError: there is no such camera, no such type, or no OpenGL.
    """
    camera, kind = find_camera(call, env, handle), check_kind(call, kind)
    if kind not in camera.images:
        simulation = env.scene.simulation
        if simulation.is_prepared:
            render(call, env, camera, [kind])
        else:
            dtype, channels = _PIXELS[kind]
            shape = (camera.properties.height, camera.properties.width, *channels)
            camera.images[kind] = torch.zeros(shape, dtype=dtype, device=simulation.device)
    return camera.images[kind]


def check_kind(call: str, kind: ImageType) -> ImageType:
    """Raises GymError: images of this type are not available."""
    if ImageType(kind) not in _PIXELS:
        raise GymError(f"{call}: {ImageType(kind).name} is not available")
    return ImageType(kind)


def render(call: str, env: Env, camera: Camera, kinds: Sequence[ImageType]) -> None:
    """Draw images of these types at the present state, into the tensors of earlier ones."""
    simulation = env.scene.simulation
    simulation.ensure_prepared()
    world = simulation.host_world(call, env)
    with simulation.stopwatch.timing(RENDERING):
        world.load_with_poses(env.index)
        pose = camera.pose(body_pose(env, camera))
        images = world.painter.draw(world.data, env, pose, camera.properties, list(kinds))
    for kind, pixels in images.items():
        drawn = torch.from_numpy(np.ascontiguousarray(pixels))
        if kind in camera.images:
            camera.images[kind].copy_(drawn)
        else:
            camera.images[kind] = drawn.to(simulation.device)


def to_png(pixels: np.ndarray) -> bytes:
    """A PNG of colours (uint8, (height, width, 4)), depths (float32) or ids (int32), 2D."""
    if pixels.dtype == np.float32:
        depth = np.where(np.isfinite(pixels), pixels, 0.0)
        nearest = -np.max(depth, where=depth < 0.0, initial=-np.inf)
        with np.errstate(divide="ignore"):
            brightness = np.where(depth < 0.0, nearest / -depth, 0.0)
        pixels = np.round(255.0 * brightness)
    pixels = pixels.astype(np.uint8)
    height, width = pixels.shape[:2]
    color_type = 6 if pixels.ndim == 3 else 0
    header = struct.pack(">2I5B", width, height, 8, color_type, 0, 0, 0)
    # Each line begins with the number of its filter, none.
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
