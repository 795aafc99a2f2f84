"""Camera sensors: where they are, and the matrices that programs ask for.

A camera's frame has x forward, y left and z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import mujoco
import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import (
    FOLLOW_POSITION,
    FOLLOW_TRANSFORM,
    CameraFollowMode,
    ImageType,
)
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym._params import CameraProperties


@dataclass
class Camera:
    """One camera of one environment.

    Args:
        transform: of the camera in the environment's frame, or relative to `body`.
        body: the environment's number of the body that it is attached to; None for none.
        images: the last images, by their type, as tensors that stay where they are.
    """

    properties: CameraProperties
    transform: Transform = field(default_factory=Transform)
    body: Optional[int] = None
    mode: CameraFollowMode = FOLLOW_TRANSFORM
    images: Dict[ImageType, torch.Tensor] = field(default_factory=dict)

    def pose(self, body_pose: Transform) -> Transform:
        """In the environment's frame, with the body that it is attached to at `body_pose`."""
        if self.body is None:
            return self.transform
        if self.mode == FOLLOW_POSITION:
            return Transform(body_pose.p + self.transform.p, self.transform.r)
        return body_pose * self.transform


def look_at(position: Vec3, target: Vec3, up: Vec3) -> Transform:
    """The pose at `position` with x towards `target`, and z as far up as that allows."""
    forward = (target - position).normalize()
    left = up.cross(forward)
    if left.length() < 1e-6:  # straight up or down: any direction will do
        left = Vec3(0.0, 1.0, 0.0) if abs(forward.y) < 0.9 else Vec3(1.0, 0.0, 0.0)
    left = left.normalize()
    columns = np.array([_row(forward), _row(left), _row(forward.cross(left))]).T
    return Transform(position, _to_quat(columns))


def view_matrix(pose: Transform, origin: Vec3) -> np.ndarray:
    """float32 (4, 4): row vectors (x, y, z, 1) of the global frame, times it, are the camera's.

    These have OpenGL's axes: x to the right, y up and z backward.
    """
    turn = pose.r
    right, up = turn.rotate(Vec3(0.0, -1.0, 0.0)), turn.rotate(Vec3(0.0, 0.0, 1.0))
    backward = turn.rotate(Vec3(-1.0, 0.0, 0.0))
    matrix = np.eye(4)
    matrix[0:3, 0:3] = np.array([_row(right), _row(up), _row(backward)]).T
    matrix[3, 0:3] = -np.array(_row(pose.p + origin)) @ matrix[0:3, 0:3]
    return matrix.astype(np.float32)


def projection_matrix(properties: CameraProperties) -> np.ndarray:
    """float32 (4, 4): OpenGL's perspective for row vectors; pixels are square."""
    near, far = properties.near_plane, properties.far_plane
    scale = 1.0 / math.tan(0.5 * math.radians(properties.horizontal_fov))
    matrix = np.zeros((4, 4), np.float32)
    matrix[0, 0], matrix[1, 1] = scale, scale * properties.width / properties.height
    matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -1.0
    matrix[3, 2] = -2.0 * far * near / (far - near)
    return matrix


def _row(v: Vec3) -> List[float]:
    return [v.x, v.y, v.z]


def _to_quat(matrix: np.ndarray) -> Quat:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, matrix.flatten())
    w, x, y, z = quat.tolist()
    return Quat(x, y, z, w)
