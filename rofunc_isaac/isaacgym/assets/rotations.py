"""Rotations as MuJoCo writes them: quaternions are wxyz."""

from __future__ import annotations

from typing import Tuple

import mujoco
import numpy as np


def rotation_of(quat: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a wxyz quaternion."""
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def compose(
    pos: np.ndarray, quat: np.ndarray, inner_pos: np.ndarray, inner_quat: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Pose of an inner frame, given in a frame with pose (pos, quat); quaternions wxyz."""
    out_quat = np.zeros(4)
    mujoco.mju_mulQuat(out_quat, quat, inner_quat)
    return pos + rotation_of(quat) @ inner_pos, out_quat


def quat_of_rpy(rpy: np.ndarray) -> np.ndarray:
    """Quaternion of URDF's roll, pitch, yaw in rad: turns about the fixed x, y, z axes in order."""
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, rpy, "XYZ")
    return quat
