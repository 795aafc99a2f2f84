"""Vector calculus on whole arrays of `Vec3`, `Quat` and `Transform`.

Arguments are structured arrays of those dtypes, of any shapes that broadcast, or single records;
results are arrays. Quaternions are (x, y, z, w) of unit length, angles are in radians.
"""

from __future__ import annotations

from typing import Any, Union

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from rofunc_isaac.isaacgym import quaternions
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym.structured import structured

__all__ = [
    "cross",
    "dot",
    "eulers_to_quats_zyx",
    "quats_to_eulers_zyx",
    "rotate",
    "rotate_inverse",
    "transform",
    "transform_inverse",
]

Vectors = Union[np.ndarray, Vec3]
Quats = Union[np.ndarray, Quat]
Transforms = Union[np.ndarray, Transform]


def dot(a: Vectors, b: Vectors) -> np.ndarray:
    """Dot products, float32."""
    return (_numbers(a, Vec3) * _numbers(b, Vec3)).sum(axis=-1).astype(np.float32)


def cross(a: Vectors, b: Vectors) -> np.ndarray:
    """Cross products, of ``Vec3.dtype``."""
    return structured(np.cross(_numbers(a, Vec3), _numbers(b, Vec3)), Vec3.dtype)


def rotate(quats: Quats, vectors: Vectors) -> np.ndarray:
    """Vectors turned by quaternions."""
    turned = quaternions.rotate(_numbers(quats, Quat), _numbers(vectors, Vec3))
    return structured(turned, Vec3.dtype)


def rotate_inverse(quats: Quats, vectors: Vectors) -> np.ndarray:
    """Vectors turned back."""
    back = quaternions.inverse(_numbers(quats, Quat))
    return structured(quaternions.rotate(back, _numbers(vectors, Vec3)), Vec3.dtype)


def transform(transforms: Transforms, points: Vectors) -> np.ndarray:
    """Points turned and moved: r p' + p."""
    pose = _numbers(transforms, Transform)
    moved = quaternions.rotate(pose[..., 3:7], _numbers(points, Vec3)) + pose[..., 0:3]
    return structured(moved, Vec3.dtype)


def transform_inverse(transforms: Transforms, points: Vectors) -> np.ndarray:
    """Points moved and turned back."""
    pose = _numbers(transforms, Transform)
    back = quaternions.inverse(pose[..., 3:7])
    moved = quaternions.rotate(back, _numbers(points, Vec3) - pose[..., 0:3])
    return structured(moved, Vec3.dtype)


def eulers_to_quats_zyx(eulers: Vectors) -> np.ndarray:
    """Rz(z) Ry(y) Rx(x) of angles (x, y, z), as `Quat.from_euler_zyx`; of ``Quat.dtype``."""
    angles = _numbers(eulers, Vec3)
    x, y, z = (quaternions.from_axis_angle(np.eye(3)[axis], angles[..., axis]) for axis in range(3))
    return structured(quaternions.multiply(z, quaternions.multiply(y, x)), Quat.dtype)


def quats_to_eulers_zyx(quats: Quats) -> np.ndarray:
    """The angles (x, y, z) that `eulers_to_quats_zyx` takes, of ``Vec3.dtype``."""
    q = _numbers(quats, Quat)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    x, y, z, w = np.moveaxis(q, -1, 0)
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return structured(np.stack([roll, pitch, yaw], axis=-1), Vec3.dtype)


def _numbers(given: Any, record: Any) -> np.ndarray:
    """float64 (..., n) of an array of the record's dtype, or of one such record."""
    if isinstance(given, Vec3):
        return np.array([given.x, given.y, given.z])
    if isinstance(given, Quat):
        return np.array([given.x, given.y, given.z, given.w])
    if isinstance(given, Transform):
        return np.concatenate([_numbers(given.p, Vec3), _numbers(given.r, Quat)])
    array = np.asarray(given)
    if array.dtype != record.dtype:
        raise TypeError(f"expected an array of gymapi.{record.__name__}.dtype, got {array.dtype}")
    return structured_to_unstructured(array).astype(np.float64)
