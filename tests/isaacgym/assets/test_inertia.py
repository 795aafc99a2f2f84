"""Mass properties: frames, merging, repair."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from rofunc_isaac.isaacgym.assets.asset import AssetWarning
from rofunc_isaac.isaacgym.assets.inertia import Inertial, merge, repaired


def random_rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def points_inertial(masses, points):
    """Mass properties of point masses, straight from the definition."""
    com = masses @ points / masses.sum()
    arms = points - com
    inertia = sum(
        m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True)
    )
    return Inertial(masses.sum(), com, inertia)


def test_merge_and_change_of_frame_agree_with_point_masses():
    rng = np.random.default_rng(0)
    masses, points = rng.uniform(1, 2, 12), rng.normal(size=(12, 3))
    whole = points_inertial(masses, points)
    rotation, translation = random_rotation(rng), rng.normal(size=3)
    # The second half, seen from its own frame.
    inner = (points[6:] - translation) @ rotation
    merged = merge(
        [
            points_inertial(masses[:6], points[:6]),
            points_inertial(masses[6:], inner).in_parent(rotation, translation),
        ]
    )
    assert merged.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(merged.com, whole.com)
    np.testing.assert_allclose(merged.inertia, whole.inertia)


def test_merge_without_mass_is_massless():
    nothing = Inertial(0.0, np.ones(3), np.zeros((3, 3)))
    assert merge([nothing, nothing]).mass == 0
    something = Inertial(2.0, np.ones(3), np.eye(3))
    np.testing.assert_allclose(merge([nothing, something]).com, 1)


def test_physical_inertias_are_left_alone():
    rng = np.random.default_rng(1)
    given = points_inertial(rng.uniform(1, 2, 9), rng.normal(size=(9, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(repaired(given, "here").inertia, given.inertia)


@pytest.mark.parametrize(
    "moments", [(-0.1, 0.2, 0.3), (0.0, 0.0, 1.0), (0.1, 0.1, 1.0), (0.0, 0.0, 0.0), (-1, -1, -1)]
)
def test_repaired_inertias_are_physical_in_any_frame(moments):
    rotation = random_rotation(np.random.default_rng(2))
    given = Inertial(2.0, np.zeros(3), rotation @ np.diag(moments) @ rotation.T)
    with pytest.warns(AssetWarning, match="^here: "):
        result = np.linalg.eigvalsh(repaired(given, "here").inertia)
    assert result[0] > 0
    assert result[0] + result[1] >= result[2]
    if max(moments) > 0:
        assert result[2] == pytest.approx(max(moments))
