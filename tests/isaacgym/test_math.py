"""Vec3, Quat, Transform and their relatives: against closed forms and MuJoCo's own functions."""

from __future__ import annotations

import copy
import math
import pickle

import mujoco
import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.gymapi import Quat, Transform, Vec3


def quat_of(wxyz: np.ndarray) -> Quat:
    return Quat(wxyz[1], wxyz[2], wxyz[3], wxyz[0])


def wxyz_of(q: Quat) -> np.ndarray:
    return np.array([q.w, q.x, q.y, q.z])


def xyz_of(v: Vec3) -> np.ndarray:
    return np.array([v.x, v.y, v.z])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def random_wxyz(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


@pytest.mark.parametrize(
    "values",
    [
        (1, 2, 3),
        np.array([1.0, 2.0, 3.0]),
        np.array([[1.0], [2.0], [3.0]]),
        torch.tensor([1.0, 2.0, 3.0]),
        torch.tensor([[1.0], [2.0], [3.0]]),
        np.array([1, 2, 3], dtype=np.int32),
    ],
)
def test_vec3_takes_numbers_arrays_and_tensor_elements(values):
    v = Vec3(*values)
    assert (v.x, v.y, v.z) == (1.0, 2.0, 3.0)
    assert all(type(value) is float for value in (v.x, v.y, v.z))


def test_fields_coerce_on_assignment():
    pose = Transform()
    pose.p.x, pose.p.y, pose.r.w = torch.tensor([1.5]), np.array([2.5]), np.float32(0.5)
    assert pose == Transform(Vec3(1.5, 2.5, 0.0), Quat(0, 0, 0, 0.5))


@pytest.mark.parametrize("value", [np.zeros(2), torch.zeros(2), "word", None, [1.0]])
def test_what_is_not_a_number_is_refused_by_name(value):
    with pytest.raises((TypeError, ValueError), match=r"Vec3\.x = "):
        Vec3().x = value


def test_unknown_attributes_are_refused():
    with pytest.raises(AttributeError, match="Vec3 has no attribute 'w'; it has x, y, z"):
        Vec3().w = 1.0


def test_defaults_are_the_identity():
    assert xyz_of(Vec3()).tolist() == [0, 0, 0]
    assert wxyz_of(Quat()).tolist() == [1, 0, 0, 0]
    assert Transform(Vec3(1, 2, 3), r=None) == Transform(p=Vec3(1, 2, 3), r=Quat())
    assert Transform(r=Quat(1, 0, 0, 0)).p == Vec3()


def test_assignment_copies_and_reading_does_not():
    p = Vec3(1, 2, 3)
    pose = Transform(p)
    other = Transform()
    other.p = p
    p.x = 9.0
    assert pose.p.x == other.p.x == 1.0
    pose.p.x = 5.0
    assert pose.p == Vec3(5, 2, 3)
    with pytest.raises(TypeError, match=r"Transform\.p = .*expected a Vec3"):
        pose.p = (1, 2, 3)


@pytest.mark.parametrize(
    "make_copy", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_are_equal_and_independent(make_copy):
    pose = Transform(Vec3(1, 2, 3), Quat(0.5, 0.5, 0.5, 0.5))
    twin = make_copy(pose)
    assert twin == pose
    assert twin != Transform()
    assert twin != Vec3()
    twin.p.x = 7.0
    assert pose.p.x == 1.0


def test_repr_names_the_fields():
    assert repr(Transform(Vec3(1, 2, 3))) == (
        "Transform(p=Vec3(x=1.0, y=2.0, z=3.0), r=Quat(x=0.0, y=0.0, z=0.0, w=1.0))"
    )


def test_vec3_arithmetic(rng):
    a, b = rng.normal(size=3), rng.normal(size=3)
    u, v = Vec3(*a), Vec3(*b)
    np.testing.assert_allclose(xyz_of(u + v), a + b)
    np.testing.assert_allclose(xyz_of(u - v), a - b)
    np.testing.assert_allclose(xyz_of(u * 2.5), a * 2.5)
    np.testing.assert_allclose(xyz_of(u / 2.5), a / 2.5)
    np.testing.assert_allclose(xyz_of(-u), -a)
    np.testing.assert_allclose(xyz_of(u.cross(v)), np.cross(a, b))
    np.testing.assert_allclose(u.dot(v), a @ b)
    np.testing.assert_allclose(u.length(), np.linalg.norm(a))
    np.testing.assert_allclose(u.length_sq(), a @ a)
    np.testing.assert_allclose(xyz_of(u.normalize()), a / np.linalg.norm(a))
    assert Vec3().normalize() == Vec3()


def test_quat_product_inverse_and_rotation_agree_with_mujoco(rng):
    for _ in range(20):
        a, b, v = random_wxyz(rng), random_wxyz(rng), rng.normal(size=3)
        product, inverse, rotated = np.zeros(4), np.zeros(4), np.zeros(3)
        mujoco.mju_mulQuat(product, a, b)
        mujoco.mju_negQuat(inverse, a)
        mujoco.mju_rotVecQuat(rotated, v, a)
        np.testing.assert_allclose(wxyz_of(quat_of(a) * quat_of(b)), product, atol=1e-12)
        np.testing.assert_allclose(wxyz_of(quat_of(a).inverse()), inverse, atol=1e-12)
        np.testing.assert_allclose(xyz_of(quat_of(a).rotate(Vec3(*v))), rotated, atol=1e-12)


def test_quat_from_axis_angle_agrees_with_mujoco(rng):
    for angle in (-4.0, -0.3, 0.0, 1.2, torch.tensor([2.0])):
        axis = rng.normal(size=3)
        expected = np.zeros(4)
        mujoco.mju_axisAngle2Quat(expected, axis / np.linalg.norm(axis), float(angle))
        np.testing.assert_allclose(
            wxyz_of(Quat.from_axis_angle(Vec3(*axis), angle)), expected, atol=1e-12
        )


def test_quat_from_euler_zyx_turns_about_x_then_y_then_z(rng):
    for _ in range(20):
        roll, pitch, yaw = rng.uniform(-1.5, 1.5, size=3)
        expected = np.zeros(4)
        # MuJoCo's upper-case sequence turns about fixed axes, in the order given.
        mujoco.mju_euler2Quat(expected, np.array([roll, pitch, yaw]), "XYZ")
        q = Quat.from_euler_zyx(roll, pitch, yaw)
        np.testing.assert_allclose(wxyz_of(q), expected, atol=1e-12)
        np.testing.assert_allclose(q.to_euler_zyx(), (roll, pitch, yaw), atol=1e-12)


def test_quat_euler_angles_at_the_pole():
    q = Quat.from_euler_zyx(0.0, 0.5 * math.pi, 0.0)
    assert q.to_euler_zyx()[1] == pytest.approx(0.5 * math.pi)


def test_quat_normalize():
    q = Quat(0, 0, 3, 4).normalize()
    assert wxyz_of(q).tolist() == pytest.approx([0.8, 0, 0, 0.6])
    assert Quat(0, 0, 0, 0).normalize() == Quat()


def test_transform_inverse_and_product(rng):
    a = Transform(Vec3(*rng.normal(size=3)), quat_of(random_wxyz(rng)))
    b = Transform(Vec3(*rng.normal(size=3)), quat_of(random_wxyz(rng)))
    point = Vec3(*rng.normal(size=3))
    np.testing.assert_allclose(
        xyz_of((a * b).transform_point(point)),
        xyz_of(a.transform_point(b.transform_point(point))),
        atol=1e-12,
    )
    identity = a * a.inverse()
    np.testing.assert_allclose(xyz_of(identity.p), 0.0, atol=1e-12)
    np.testing.assert_allclose(wxyz_of(identity.r), [1, 0, 0, 0], atol=1e-12)


def test_transform_arrays_agree_with_single_points(rng):
    pose = Transform(Vec3(*rng.normal(size=3)), quat_of(random_wxyz(rng)))
    points = np.zeros((4, 2), dtype=Vec3.dtype)
    for name in "xyz":
        points[name] = rng.normal(size=(4, 2))
    moved, turned = pose.transform_points(points), pose.transform_vectors(points)
    assert moved.dtype == turned.dtype == Vec3.dtype
    assert moved.shape == turned.shape == (4, 2)
    for index in np.ndindex(4, 2):
        point = Vec3(*points[index])
        np.testing.assert_allclose(
            list(moved[index]), xyz_of(pose.transform_point(point)), atol=1e-6
        )
        np.testing.assert_allclose(
            list(turned[index]), xyz_of(pose.transform_vector(point)), atol=1e-6
        )
    with pytest.raises(TypeError, match=r"Vec3\.dtype"):
        pose.transform_points(np.zeros((4, 3)))


def test_from_buffer_reads_elements_of_structured_arrays():
    states = np.zeros(3, dtype=gymapi.RigidBodyState.dtype)
    states["pose"]["p"]["y"] = (1, 2, 3)
    states["pose"]["r"]["w"] = 1
    assert Transform.from_buffer(states["pose"][1]) == Transform(Vec3(0, 2, 0))
    assert Transform.from_buffer(states["pose"][:1]) == Transform(Vec3(0, 1, 0))
    assert Vec3.from_buffer(states["pose"]["p"]) == [Vec3(0, y, 0) for y in (1, 2, 3)]
    assert Vec3.from_buffer(np.arange(3)) == Vec3(0, 1, 2)
    assert Quat.from_buffer(np.arange(4, dtype=np.float32).tobytes()) == Quat(0, 1, 2, 3)
    with pytest.raises(ValueError, match="4 numbers, need a multiple of 3"):
        Vec3.from_buffer(np.zeros(4))


@pytest.mark.parametrize(
    ("record_type", "num_floats"),
    [(Vec3, 3), (Quat, 4), (Transform, 7), (gymapi.Velocity, 6), (gymapi.RigidBodyState, 13)],
)
def test_dtypes_are_packed_float32(record_type, num_floats):
    assert record_type.dtype.itemsize == 4 * num_floats


def test_velocity_and_integer_vectors():
    velocity = gymapi.Velocity(Vec3(1, 0, 0), Vec3(0, 2, 0))
    assert (velocity.linear.x, velocity.angular.y) == (1.0, 2.0)
    assert gymapi.Int3(1, np.int64(2), torch.tensor([3])) == gymapi.Int3(1, 2, 3)
    with pytest.raises(TypeError, match=r"Int2\.x = 1\.5"):
        gymapi.Int2(1.5)
