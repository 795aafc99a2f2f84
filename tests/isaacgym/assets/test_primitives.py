"""Boxes, spheres and capsules: their masses and inertias in closed form."""

from __future__ import annotations

import math

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.assets.asset import AssetError

DENSITY = 500.0


@pytest.fixture
def create():
    gym = gymapi.acquire_gym()
    sim = gym.create_sim()

    def build(kind, *size, **values):
        options = gymapi.AssetOptions()
        options.density = DENSITY
        for name, value in values.items():
            setattr(options, name, value)
        return gym, getattr(gym, f"create_{kind}")(sim, *size, options)

    return build


def body_of(asset):
    description = asset.description
    assert len(description.body_names) == len(description.shape_names) == 1
    (body,) = description.body_properties
    moments = (body.inertia.x.x, body.inertia.y.y, body.inertia.z.z)
    assert (body.com.x, body.com.y, body.com.z) == (0.0, 0.0, 0.0)
    return body.mass, moments


def test_a_box_has_its_edges_along_x_y_z(create):
    _, asset = create("box", 0.2, 0.4, 0.6)
    mass, moments = body_of(asset)
    assert mass == pytest.approx(DENSITY * 0.2 * 0.4 * 0.6)
    squares = (0.4**2 + 0.6**2, 0.2**2 + 0.6**2, 0.2**2 + 0.4**2)
    assert moments == pytest.approx([mass * s / 12 for s in squares])


def test_a_sphere(create):
    _, asset = create("sphere", 0.1)
    mass, moments = body_of(asset)
    assert mass == pytest.approx(DENSITY * 4 / 3 * math.pi * 0.1**3)
    assert moments == pytest.approx([0.4 * mass * 0.1**2] * 3)


def test_a_capsule_lies_along_x(create):
    radius, width = 0.1, 0.5
    _, asset = create("capsule", radius, width)
    mass, moments = body_of(asset)
    tube, ball = math.pi * radius**2 * width, 4 / 3 * math.pi * radius**3
    assert mass == pytest.approx(DENSITY * (tube + ball))
    assert moments[0] == pytest.approx(DENSITY * (tube / 2 + 0.4 * ball) * radius**2)
    assert moments[1] == pytest.approx(moments[2])
    assert moments[1] > 3 * moments[0]


def test_options_count(create):
    gym, asset = create("sphere", 0.1, fix_base_link=True, disable_gravity=True)
    assert not asset.description.floating
    (body,) = asset.description.body_properties
    assert body.flags == gymapi.RIGID_BODY_DISABLE_GRAVITY
    assert gym.get_asset_rigid_body_names(asset) == ["sphere"]
    _, default = create("box", 1.0, 1.0, 1.0, density=1000.0)
    assert default.description.floating


def test_lengths_must_be_positive(create):
    for kind, size in (("box", (0.1, -0.1, 0.1)), ("sphere", (0.0,)), ("capsule", (0.1, -1.0))):
        with pytest.raises(AssetError, match=f"create_{kind}: its lengths must be positive"):
            create(kind, *size)
