"""Vectors, quaternions and transforms of `gymapi`.

Quaternions are (x, y, z, w), the scalar last, and act on vectors as rotations when they are of unit
length. Numbers are Python floats; ``dtype`` is the float32 layout of the same value inside the
structured arrays that the interface exchanges.
"""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple, Type, TypeVar, Union

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from rofunc_isaac.isaacgym._record import Record, float_field, int_field, record_field

__all__ = [
    "Int2",
    "Int3",
    "Mat33",
    "Mat44",
    "Quat",
    "SpatialForce",
    "Transform",
    "Vec2",
    "Vec3",
    "Velocity",
]

V = TypeVar("V", bound="_Buffered")


class _Buffered(Record):
    """A record that is also an element of structured arrays of its ``dtype``."""

    dtype: np.dtype[Any]

    @classmethod
    def _from_floats(cls: Type[V], values: List[float]) -> V:
        return cls(*values)

    @classmethod
    def from_buffer(cls: Type[V], buffer: Any) -> Union[V, List[V]]:
        """Read instances from an array of ``dtype``, or from any buffer of float32 numbers.

        One element gives one instance, several give a list. Raises ValueError if the buffer does
        not hold a whole number of elements.
        """
        array = np.asarray(buffer)
        if array.dtype.names:
            array = structured_to_unstructured(array.reshape(-1))
        elif array.dtype.kind not in "fiu":
            array = np.frombuffer(buffer, dtype=np.float32)
        size = cls.dtype.itemsize // 4
        if array.size == 0 or array.size % size:
            raise ValueError(
                f"{cls.__name__}.from_buffer: {array.size} numbers, need a multiple of {size}"
            )
        items = [cls._from_floats(row) for row in array.reshape(-1, size).tolist()]
        return items[0] if len(items) == 1 else items


class Vec2(_Buffered):
    """A pair of floats."""

    dtype = np.dtype([("x", "<f4"), ("y", "<f4")])
    x = float_field()
    y = float_field()

    def __init__(self, x: Any = 0.0, y: Any = 0.0) -> None:
        self.x = x
        self.y = y

    def __add__(self, other: Vec2) -> Vec2:
        return Vec2(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec2) -> Vec2:
        return Vec2(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> Vec2:
        return Vec2(self.x * factor, self.y * factor)

    def __truediv__(self, divisor: float) -> Vec2:
        return Vec2(self.x / divisor, self.y / divisor)

    def __neg__(self) -> Vec2:
        return Vec2(-self.x, -self.y)


class Vec3(_Buffered):
    """A point, direction or colour. ``Vec3(*values)`` takes numbers, arrays or tensor elements."""

    dtype = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
    x = float_field()
    y = float_field()
    z = float_field()

    def __init__(self, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> None:
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: float) -> Vec3:
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    def __truediv__(self, divisor: float) -> Vec3:
        return Vec3(self.x / divisor, self.y / divisor, self.z / divisor)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def dot(self, other: Vec3) -> float:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def length_sq(self) -> float:
        return self.dot(self)

    def length(self) -> float:
        return math.sqrt(self.length_sq())

    def normalize(self) -> Vec3:
        """The unit vector along this one; the zero vector stays zero."""
        length = self.length()
        return self / length if length > 0.0 else Vec3()


class Quat(_Buffered):
    """A quaternion (x, y, z, w); the identity by default."""

    dtype = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("w", "<f4")])
    x = float_field()
    y = float_field()
    z = float_field()
    w = float_field(1.0)

    def __init__(self, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0, w: Any = 1.0) -> None:
        self.x = x
        self.y = y
        self.z = z
        self.w = w

    @staticmethod
    def from_axis_angle(axis: Vec3, angle: Any) -> Quat:
        """The rotation by ``angle`` radians about ``axis``, which need not be of unit length."""
        half = 0.5 * float(angle)
        xyz = axis.normalize() * math.sin(half)
        return Quat(xyz.x, xyz.y, xyz.z, math.cos(half))

    @staticmethod
    def from_euler_zyx(x: Any, y: Any, z: Any) -> Quat:
        """Rz(z) * Ry(y) * Rx(x), angles in radians, in the argument order roll, pitch, yaw."""
        qx = Quat.from_axis_angle(Vec3(1.0, 0.0, 0.0), x)
        qy = Quat.from_axis_angle(Vec3(0.0, 1.0, 0.0), y)
        qz = Quat.from_axis_angle(Vec3(0.0, 0.0, 1.0), z)
        return qz * qy * qx

    def to_euler_zyx(self) -> Tuple[float, float, float]:
        """(roll, pitch, yaw) in radians, such that ``from_euler_zyx`` of them is this rotation.

        Roll and yaw are in [-pi, pi], pitch in [-pi/2, pi/2]. The angles are read from the rotation
        matrix Rz * Ry * Rx of the normalised quaternion. The manual does not say in which order
        the original returns them; this one inverts ``from_euler_zyx``.
        """
        q = self.normalize()
        x, y, z, w = q.x, q.y, q.z, q.w
        roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
        yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return roll, pitch, yaw

    def __mul__(self, other: Quat) -> Quat:
        """The Hamilton product: the rotation ``other`` followed by this one."""
        if not isinstance(other, Quat):
            return NotImplemented
        a, b = Vec3(self.x, self.y, self.z), Vec3(other.x, other.y, other.z)
        xyz = b * self.w + a * other.w + a.cross(b)
        return Quat(xyz.x, xyz.y, xyz.z, self.w * other.w - a.dot(b))

    def inverse(self) -> Quat:
        """The conjugate: the inverse of a unit quaternion."""
        return Quat(-self.x, -self.y, -self.z, self.w)

    def normalize(self) -> Quat:
        """The unit quaternion along this one; of zero, the identity."""
        norm = math.sqrt(self.x**2 + self.y**2 + self.z**2 + self.w**2)
        if norm == 0.0:
            return Quat()
        return Quat(self.x / norm, self.y / norm, self.z / norm, self.w / norm)

    def rotate(self, vector: Vec3) -> Vec3:
        """``vector`` rotated by this unit quaternion: v + 2w (q x v) + 2 q x (q x v)."""
        q = Vec3(self.x, self.y, self.z)
        t = q.cross(vector) * 2.0
        return vector + t * self.w + q.cross(t)


class Transform(_Buffered):
    """A rigid transform: rotate by ``r``, then move by ``p`` (metres). ``None`` is the identity."""

    dtype = np.dtype([("p", Vec3.dtype), ("r", Quat.dtype)])
    p = record_field(Vec3)
    r = record_field(Quat)

    def __init__(self, p: Optional[Vec3] = None, r: Optional[Quat] = None) -> None:
        self.p = Vec3() if p is None else p
        self.r = Quat() if r is None else r

    @classmethod
    def _from_floats(cls, values: List[float]) -> Transform:
        return cls(Vec3(*values[:3]), Quat(*values[3:]))

    def __mul__(self, other: Transform) -> Transform:
        """The transform ``other`` followed by this one."""
        if not isinstance(other, Transform):
            return NotImplemented
        return Transform(self.transform_point(other.p), self.r * other.r)

    def inverse(self) -> Transform:
        r = self.r.inverse()
        return Transform(-r.rotate(self.p), r)

    def transform_point(self, point: Vec3) -> Vec3:
        return self.r.rotate(point) + self.p

    def transform_vector(self, vector: Vec3) -> Vec3:
        return self.r.rotate(vector)

    def transform_points(self, points: np.ndarray) -> np.ndarray:
        """Transform an array of ``Vec3.dtype`` of any shape; the result has its shape and dtype."""
        return self._transform_array(points, (self.p.x, self.p.y, self.p.z))

    def transform_vectors(self, vectors: np.ndarray) -> np.ndarray:
        """Rotate an array of ``Vec3.dtype`` of any shape; the result has its shape and dtype."""
        return self._transform_array(vectors, (0.0, 0.0, 0.0))

    def _transform_array(self, array: np.ndarray, shift: Tuple[float, float, float]) -> np.ndarray:
        if array.dtype != Vec3.dtype:
            raise TypeError(f"expected an array of gymapi.Vec3.dtype, got {array.dtype}")
        axes = [self.r.rotate(axis) for axis in (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))]
        columns = np.array([(axis.x, axis.y, axis.z) for axis in axes])
        moved = structured_to_unstructured(array) @ columns + shift
        return np.ascontiguousarray(moved, dtype="<f4").view(Vec3.dtype)[..., 0]


class Velocity(_Buffered):
    """Linear (m/s) and angular (rad/s) velocity. The constructor calls them ``p`` and ``q``."""

    dtype = np.dtype([("linear", Vec3.dtype), ("angular", Vec3.dtype)])
    linear = record_field(Vec3)
    angular = record_field(Vec3)

    def __init__(self, p: Optional[Vec3] = None, q: Optional[Vec3] = None) -> None:
        self.linear = Vec3() if p is None else p
        self.angular = Vec3() if q is None else q

    @classmethod
    def _from_floats(cls, values: List[float]) -> Velocity:
        return cls(Vec3(*values[:3]), Vec3(*values[3:]))


class SpatialForce(Record):
    """A force (N) and a torque (N m)."""

    force = record_field(Vec3)
    torque = record_field(Vec3)


class Mat33(Record):
    """A 3x3 matrix by rows; zero by default."""

    x = record_field(Vec3)
    y = record_field(Vec3)
    z = record_field(Vec3)


class Mat44(Record):
    """A 4x4 matrix by rows; zero by default."""

    x = record_field(Quat, 0.0, 0.0, 0.0, 0.0)
    y = record_field(Quat, 0.0, 0.0, 0.0, 0.0)
    z = record_field(Quat, 0.0, 0.0, 0.0, 0.0)
    w = record_field(Quat, 0.0, 0.0, 0.0, 0.0)


class Int2(Record):
    """A pair of integers."""

    dtype = np.dtype([("x", "<i4"), ("y", "<i4")])
    x = int_field()
    y = int_field()

    def __init__(self, x: Any = 0, y: Any = 0) -> None:
        self.x = x
        self.y = y


class Int3(Record):
    """Three integers."""

    dtype = np.dtype([("x", "<i4"), ("y", "<i4"), ("z", "<i4")])
    x = int_field()
    y = int_field()
    z = int_field()

    def __init__(self, x: Any = 0, y: Any = 0, z: Any = 0) -> None:
        self.x = x
        self.y = y
        self.z = z
