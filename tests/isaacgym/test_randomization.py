"""Randomised properties: schedules, operations, buckets, each kind of property."""

from __future__ import annotations

import numpy as np
import pytest

from rofunc_isaac.isaacgym import gymapi, gymutil
from rofunc_isaac.isaacgym._properties import DOF_PROPERTIES


def config(low, high, distribution="uniform", operation="additive", **more):
    return {"range": [low, high], "distribution": distribution, "operation": operation, **more}


@pytest.fixture(autouse=True)
def seeded():
    np.random.seed(0)  # noqa: NPY002  the generator that tasks seed


@pytest.mark.parametrize(
    ("schedule", "step", "additive", "factor"),
    [
        ({}, 0, 4.0, 4.0),
        ({"schedule": "linear", "schedule_steps": 100}, 25, 1.0, 1.75),
        ({"schedule": "linear", "schedule_steps": 100}, 500, 4.0, 4.0),
        ({"schedule": "constant", "schedule_steps": 100}, 99, 0.0, 1.0),
        ({"schedule": "constant", "schedule_steps": 100}, 100, 4.0, 4.0),
    ],
)
def test_schedules_fade_the_change_in(schedule, step, additive, factor):
    """A range of one value gives that value, so the share can be read off."""
    for operation, expected in (("additive", additive), ("scaling", factor)):
        for given in (None, 4.0):
            settings = config(4.0, 4.0, operation=operation, **schedule)
            sample = gymutil.generate_random_samples(settings, 3, step, given)
            np.testing.assert_allclose(sample, expected)


def test_distributions():
    uniform = gymutil.generate_random_samples(config(2.0, 3.0), (5000,), 0)
    assert uniform.min() >= 2.0
    assert uniform.max() < 3.0
    assert uniform.mean() == pytest.approx(2.5, abs=0.02)
    spread = gymutil.generate_random_samples(config(1.0, 100.0, "loguniform"), (5000,), 0)
    assert np.median(spread) == pytest.approx(10.0, rel=0.1)
    normal = gymutil.generate_random_samples(config(5.0, 0.5, "gaussian"), (5000,), 0)
    assert normal.mean() == pytest.approx(5.0, abs=0.05)
    assert normal.std() == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (config(0, 1, "cauchy"), "distribution 'cauchy'"),
        (config(0, 1, operation="power"), "operation 'power'"),
        (config(0, 1, "loguniform"), "0 < low <= high"),
        (config(0, 1, schedule="cosine", schedule_steps=3), "schedule 'cosine'"),
    ],
)
def test_unknown_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        gymutil.generate_random_samples(settings, 1, 0)


def test_each_kind_of_property():
    dofs, original = np.zeros(4, dtype=DOF_PROPERTIES), np.zeros(4, dtype=DOF_PROPERTIES)
    original["stiffness"] = 10.0
    gymutil.apply_random_samples(dofs, original, "stiffness", config(2, 3, operation="scaling"), 0)
    assert ((dofs["stiffness"] >= 20) & (dofs["stiffness"] < 30)).all()
    assert len(set(dofs["stiffness"])) == 4

    shape = gymapi.RigidShapeProperties()
    gymutil.apply_random_samples(shape, {"friction": 0.5}, "friction", config(1, 2), 0)
    assert 1.5 <= shape.friction < 2.5

    params = gymapi.SimParams()
    before = {"gravity": gymapi.Vec3(0, 0, -10)}
    gymutil.apply_random_samples(params, before, "gravity", config(0.5, 0.5), 0)
    assert params.gravity == gymapi.Vec3(0.5, 0.5, -9.5)
    gymutil.apply_random_samples(params, before, "rest_offset", config(0.2, 0.2), 0)
    assert params.physx.rest_offset == pytest.approx(0.2)
    with pytest.raises(ValueError, match=r"sim_params\.dt cannot"):
        gymutil.apply_random_samples(params, before, "dt", config(0, 1), 0)


def test_buckets_round_down_to_evenly_spaced_values():
    shape = gymapi.RigidShapeProperties()
    for value, bucket in ((0.1, 0.0), (0.3, 0.25), (0.99, 0.75), (-1.0, 0.0), (5.0, 0.75)):
        settings = config(0.0, 1.0, num_buckets=4)
        gymutil.apply_random_samples(shape, {"friction": 0.0}, "friction", settings, 0, value)
        assert shape.friction == bucket


class OneShapeGym:
    """Envs of one actor, "hand", that has a given number of shapes."""

    def __init__(self, shapes):
        self.shapes = shapes

    def get_actor_count(self, env):
        return 1

    def get_actor_handle(self, env, index):
        return index

    def get_actor_name(self, env, handle):
        return "hand"

    def get_actor_rigid_shape_count(self, env, handle):
        return self.shapes


def test_too_many_materials_are_refused():
    def shapes(buckets):
        friction = config(0, 1, num_buckets=buckets)
        return {"actor_params": {"hand": {"rigid_shape_properties": {"friction": friction}}}}

    gymutil.check_buckets(OneShapeGym(10), range(6400), shapes(0))
    gymutil.check_buckets(OneShapeGym(10), range(6401), shapes(250))
    with pytest.raises(ValueError, match="64010 randomised shapes"):
        gymutil.check_buckets(OneShapeGym(10), range(6401), shapes(0))
    with pytest.raises(ValueError, match="64001 materials"):
        gymutil.check_buckets(OneShapeGym(10), range(1), shapes(64001))


def test_maps_name_the_calls():
    gym = gymapi.acquire_gym()
    setters = gymutil.get_property_setter_map(RecordingCalls())
    assert setters["dof_properties"] == "set_actor_dof_properties"
    assert setters["sim_params"] == "set_sim_params"
    getters = gymutil.get_property_getter_map(RecordingCalls())
    assert getters["rigid_shape_properties"] == "get_actor_rigid_shape_properties"
    extra = gymutil.get_default_setter_args(gym)
    assert extra["rigid_body_properties"] == [True]
    assert set(extra) == set(getters) == set(setters)


class RecordingCalls:
    """Every call is its own name."""

    def __getattr__(self, name):
        return name
