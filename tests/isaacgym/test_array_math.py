"""Vector calculus on arrays against that of the single records."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.gymapi import Quat, Transform, Vec3

GENERATOR = np.random.default_rng(5)


def array(record, rows):
    """(rows,) of a record's dtype, quaternions of unit length."""
    numbers = GENERATOR.normal(size=(rows, record.dtype.itemsize // 4))
    if record is not Vec3:
        numbers[:, -4:] /= np.linalg.norm(numbers[:, -4:], axis=1, keepdims=True)
    return numbers.astype("<f4").view(record.dtype)[:, 0]


def vec(v):
    return [v.x, v.y, v.z]


def assert_vectors(found, expected):
    assert found.dtype == Vec3.dtype
    numbers = found.view("<f4").reshape(-1, 3)
    np.testing.assert_allclose(numbers, [vec(v) for v in expected], atol=1e-5)


A, B, Q, T = array(Vec3, 6), array(Vec3, 6), array(Quat, 6), array(Transform, 6)
VECTORS, OTHERS = Vec3.from_buffer(A), Vec3.from_buffer(B)
QUATS, POSES = Quat.from_buffer(Q), Transform.from_buffer(T)


def test_products():
    found = gymapi.dot(A, B)
    assert found.dtype == np.float32
    assert found == pytest.approx([a.dot(b) for a, b in zip(VECTORS, OTHERS, strict=True)])
    assert_vectors(gymapi.cross(A, B), [a.cross(b) for a, b in zip(VECTORS, OTHERS, strict=True)])


def test_rotations_and_transforms_both_ways():
    turned = [q.rotate(a) for q, a in zip(QUATS, VECTORS, strict=True)]
    assert_vectors(gymapi.rotate(Q, A), turned)
    assert_vectors(gymapi.rotate_inverse(Q, gymapi.rotate(Q, A)), VECTORS)
    moved = [t.transform_point(a) for t, a in zip(POSES, VECTORS, strict=True)]
    assert_vectors(gymapi.transform(T, A), moved)
    assert_vectors(gymapi.transform_inverse(T, gymapi.transform(T, A)), VECTORS)


def test_one_record_and_many():
    quarter = Quat(0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    assert_vectors(gymapi.rotate(quarter, A), [Vec3(-a.y, a.x, a.z) for a in VECTORS])
    shift = Vec3(1.0, 2.0, 3.0)
    assert_vectors(gymapi.transform(Transform(shift), A), [a + shift for a in VECTORS])
    assert gymapi.dot(Vec3(1, 2, 3), Vec3(4, 5, 6)) == 32.0


def test_euler_angles_there_and_back():
    angles = np.array([(0.3, -0.4, 2.5), (-3.0, 1.2, 0.1)], Vec3.dtype)
    quats = gymapi.eulers_to_quats_zyx(angles)
    assert quats.dtype == Quat.dtype
    for quat, row in zip(Quat.from_buffer(quats), angles.tolist(), strict=True):
        expected = Quat.from_euler_zyx(*row)
        assert [quat.x, quat.y, quat.z, quat.w] == pytest.approx(
            [expected.x, expected.y, expected.z, expected.w], abs=1e-6
        )
    assert_vectors(gymapi.quats_to_eulers_zyx(quats), Vec3.from_buffer(angles))


def test_other_arrays_are_refused():
    with pytest.raises(TypeError, match=r"expected an array of gymapi\.Quat\.dtype"):
        gymapi.rotate(A, A)
