"""Rotations, transforms and small helpers on batches of torch tensors.

Quaternions are (x, y, z, w) in the last dimension and of unit length unless a function says
otherwise; vectors are (x, y, z). Angles are in radians. Leading dimensions (...) are free; two
arguments need equally many, and those of size 1 broadcast.

Everything works on any device without synchronising with it, keeps gradients, and may be called
from scripted (``torch.jit.script``) and compiled code; ``to_torch``, ``get_axis_params`` and
``unscale_np`` are for set-up code outside of those.

``from isaacgym.torch_utils import *`` also brings ``torch`` and ``np``, which task code relies on.
"""

from __future__ import annotations

import math
from typing import Any, List, Tuple

import numpy as np
import torch
from torch import Tensor

__all__ = [
    "copysign",
    "get_axis_params",
    "get_basis_vector",
    "get_euler_xyz",
    "normalize",
    "normalize_angle",
    "np",
    "quat_apply",
    "quat_axis",
    "quat_conjugate",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_unit",
    "scale",
    "tensor_clamp",
    "tf_apply",
    "tf_combine",
    "tf_inverse",
    "tf_vector",
    "to_torch",
    "torch",
    "torch_rand_float",
    "torch_random_dir_2",
    "unscale",
    "unscale_np",
]


class _DefaultDevice(str):
    """The default of `to_torch`, told apart from a caller's own "cuda:0"."""


def to_torch(
    x: Any,
    dtype: torch.dtype = torch.float,
    device: Any = _DefaultDevice("cuda:0"),  # noqa: B008  a constant
    requires_grad: bool = False,
) -> Tensor:
    """A new tensor with the values of ``x`` (numbers, lists, arrays or a tensor).

    Without a ``device`` it is on "cuda:0", or on the CPU where torch sees no CUDA device. A device
    that the caller names is used as it is.
    """
    if isinstance(device, _DefaultDevice):
        device = str(device) if torch.cuda.is_available() else "cpu"
    if isinstance(x, Tensor):
        copied = x.detach().to(device=device, dtype=dtype, copy=True)
        return copied.requires_grad_(requires_grad)
    return torch.tensor(x, dtype=dtype, device=device, requires_grad=requires_grad)


def normalize(x: Tensor, eps: float = 1e-9) -> Tensor:
    """``x`` (..., D) divided by its Euclidean length along the last dimension, or by ``eps``."""
    return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp_min(eps)


def quat_mul(a: Tensor, b: Tensor) -> Tensor:
    """The Hamilton product (..., 4): as a rotation, ``b`` followed by ``a``."""
    a_xyz = a[..., :3]
    b_xyz = b[..., :3]
    a_w = a[..., 3:]
    b_w = b[..., 3:]
    xyz = torch.linalg.cross(a_xyz, b_xyz)
    xyz = torch.addcmul(torch.addcmul(xyz, a_w, b_xyz), b_w, a_xyz)
    w = a_w * b_w - (a_xyz * b_xyz).sum(dim=-1, keepdim=True)
    return torch.cat((xyz, w), dim=-1)


def quat_conjugate(a: Tensor) -> Tensor:
    """The inverse rotation (..., 4)."""
    return torch.cat((-a[..., :3], a[..., 3:]), dim=-1)


def quat_unit(a: Tensor) -> Tensor:
    """The quaternion (..., 4) scaled to unit length."""
    return normalize(a)


def quat_rotate(q: Tensor, v: Tensor) -> Tensor:
    """The vectors ``v`` (..., 3) rotated by ``q`` (..., 4).

    With u = q's vector part, R v = v + 2 (w (u x v) + u x (u x v)).
    """
    u = q[..., :3]
    t = torch.linalg.cross(u, v)
    return torch.add(v, torch.addcmul(torch.linalg.cross(u, t), q[..., 3:], t), alpha=2)


def quat_rotate_inverse(q: Tensor, v: Tensor) -> Tensor:
    """The vectors ``v`` (..., 3) rotated by the inverse of ``q`` (..., 4): world to body frame."""
    u = q[..., :3]
    t = torch.linalg.cross(v, u)
    return torch.add(v, torch.addcmul(torch.linalg.cross(t, u), q[..., 3:], t), alpha=2)


def quat_apply(a: Tensor, b: Tensor) -> Tensor:
    """``b`` (..., 3) rotated by ``a``, row by row: their leading dimensions need only agree in the
    number of rows, as (N * K, 4) and (N, K, 3) do. The result has the shape of ``b``."""
    return quat_rotate(a.reshape(-1, 4), b.reshape(-1, 3)).view(b.shape)


def get_basis_vector(q: Tensor, v: Tensor) -> Tensor:
    """The same as `quat_rotate`, by the name that locomotion tasks use."""
    return quat_rotate(q, v)


def quat_axis(q: Tensor, axis: int = 0) -> Tensor:
    """Where ``q`` (..., 4) turns the coordinate axis 0, 1 or 2: that column of its matrix."""
    basis = torch.zeros_like(q[..., :3])
    basis[..., axis] = 1.0
    return quat_rotate(q, basis)


def quat_from_angle_axis(angle: Tensor, axis: Tensor) -> Tensor:
    """The rotation (..., 4) by ``angle`` (...) about ``axis`` (..., 3) of any length but zero."""
    half = 0.5 * angle.unsqueeze(-1)
    return torch.cat((normalize(axis) * torch.sin(half), torch.cos(half)), dim=-1)


def normalize_angle(x: Tensor) -> Tensor:
    """The angle ``x`` (...) modulo 2 pi, in [-pi, pi]."""
    return torch.atan2(torch.sin(x), torch.cos(x))


def tf_inverse(q: Tensor, t: Tensor) -> Tuple[Tensor, Tensor]:
    """The inverse of the transform x -> R(q) x + t, as its own (q, t)."""
    q_inv = quat_conjugate(q)
    return q_inv, -quat_apply(q_inv, t)


def tf_apply(q: Tensor, t: Tensor, v: Tensor) -> Tensor:
    """The points ``v`` (..., 3) moved by the transform: R(q) v + t."""
    return quat_apply(q, v) + t


def tf_vector(q: Tensor, v: Tensor) -> Tensor:
    """The directions ``v`` (..., 3) turned by a transform with rotation ``q``."""
    return quat_apply(q, v)


def tf_combine(q1: Tensor, t1: Tensor, q2: Tensor, t2: Tensor) -> Tuple[Tensor, Tensor]:
    """The transform (q2, t2) followed by (q1, t1), as its own (q, t)."""
    return quat_mul(q1, q2), quat_apply(q1, t2) + t1


def get_euler_xyz(q: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Roll, pitch and yaw (...) of ``q`` (..., 4) = Rz(yaw) Ry(pitch) Rx(roll), each in [0, 2 pi).

    Read from the entries of the rotation matrix: roll from R21 and R22, pitch from -R20, yaw from
    R10 and R00.
    """
    x, y, z, w = torch.unbind(q, dim=-1)
    roll = torch.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = torch.asin(torch.clamp(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = torch.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    turn = 2.0 * math.pi
    return roll % turn, pitch % turn, yaw % turn


def quat_from_euler_xyz(roll: Tensor, pitch: Tensor, yaw: Tensor) -> Tensor:
    """Rz(yaw) Ry(pitch) Rx(roll) as quaternions (..., 4)."""
    sr, cr = torch.sin(0.5 * roll), torch.cos(0.5 * roll)
    sp, cp = torch.sin(0.5 * pitch), torch.cos(0.5 * pitch)
    sy, cy = torch.sin(0.5 * yaw), torch.cos(0.5 * yaw)
    # qy * qx has four terms, qz has two.
    x, y, z, w = cp * sr, sp * cr, -sp * sr, cp * cr
    return torch.stack((cy * x - sy * y, cy * y + sy * x, cy * z + sy * w, cy * w - sy * z), dim=-1)


def copysign(a: float, b: Tensor) -> Tensor:
    """``|a|`` with the sign of each element of ``b``; zero where ``b`` is zero."""
    return abs(a) * torch.sign(b)


def torch_rand_float(lower: float, upper: float, shape: Tuple[int, int], device: str) -> Tensor:
    """Uniform samples from [lower, upper), float32, of the given shape."""
    return torch.empty(shape, device=device).uniform_(lower, upper)


def torch_random_dir_2(shape: Tuple[int, int], device: str) -> Tensor:
    """Random unit vectors of the plane (N, 2); ``shape`` is (N, 1)."""
    angle = torch_rand_float(-math.pi, math.pi, shape, device).squeeze(-1)
    return torch.stack((torch.cos(angle), torch.sin(angle)), dim=-1)


def tensor_clamp(t: Tensor, min_t: Tensor, max_t: Tensor) -> Tensor:
    """``t`` limited to [min_t, max_t], element by element."""
    return torch.clamp(t, min_t, max_t)


def scale(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Map ``x`` linearly from [-1, 1] to [lower, upper]."""
    return lower + (x + 1.0) * (0.5 * (upper - lower))


def unscale(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Map ``x`` linearly from [lower, upper] to [-1, 1]."""
    return (x - lower) * (2.0 / (upper - lower)) - 1.0


def unscale_np(x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """`unscale` for NumPy arrays."""
    return (x - lower) * (2.0 / (upper - lower)) - 1.0


def get_axis_params(
    value: Any, axis_idx: int, x_value: Any = 0.0, dtype: Any = float, n_dims: int = 3
) -> List[Any]:
    """``n_dims`` numbers: ``value`` at ``axis_idx``, ``x_value`` at 0, zero elsewhere.

    At index 0 ``x_value`` wins, as it does in the original. Raises ValueError if there is no such
    index.
    """
    if not 0 <= axis_idx < n_dims:
        raise ValueError(f"axis_idx {axis_idx} is not one of the {n_dims} dimensions")
    params = np.zeros(n_dims)
    params[axis_idx] = value
    params[0] = x_value
    return list(params.astype(dtype))
