"""Properties: layouts of the structured arrays, and what domain randomisation does to records."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym._properties import DOF_PROPERTIES

RECORDS = [
    gymapi.RigidBodyProperties,
    gymapi.RigidShapeProperties,
    gymapi.TendonProperties,
    gymapi.ActuatorProperties,
    gymapi.ForceSensorProperties,
]


def test_dof_properties_have_the_published_layout():
    assert DOF_PROPERTIES.names == (
        "hasLimits",
        "lower",
        "upper",
        "driveMode",
        "velocity",
        "effort",
        "stiffness",
        "damping",
        "friction",
        "armature",
    )
    offsets = [DOF_PROPERTIES.fields[name][1] for name in DOF_PROPERTIES.names]
    assert offsets == list(range(0, 40, 4))
    assert DOF_PROPERTIES.itemsize == 40


def test_dof_properties_take_enums_and_scalars():
    props = np.zeros(3, dtype=DOF_PROPERTIES)
    props["driveMode"].fill(gymapi.DOF_MODE_POS)
    props["driveMode"][0] = gymapi.DOF_MODE_EFFORT
    props["stiffness"] = 1000.0
    props["hasLimits"][1] = True
    assert props["driveMode"].tolist() == [3, 1, 1]
    assert copy.deepcopy(props)[1]["hasLimits"]


def test_state_layouts():
    assert gymapi.DofState.dtype.names == ("pos", "vel")
    states = np.zeros(2, dtype=gymapi.RigidBodyState.dtype)
    states["vel"]["angular"]["z"] = 3.0
    assert states.view(np.float32).reshape(2, 13)[:, 12].tolist() == [3.0, 3.0]


def test_documented_defaults():
    shape, sensor = gymapi.RigidShapeProperties(), gymapi.ForceSensorProperties()
    assert (shape.friction, shape.restitution, shape.compliance, shape.filter) == (1.0, 0.0, 0.0, 0)
    assert (shape.rolling_friction, shape.torsion_friction, shape.thickness) == (0.0, 0.0, 0.0)
    assert sensor.enable_forward_dynamics_forces
    assert sensor.enable_constraint_solver_forces
    assert not sensor.use_world_frame


@pytest.mark.parametrize("record_type", RECORDS)
def test_randomisation_reads_every_attribute_and_writes_samples(record_type):
    record = record_type()
    original = {name: getattr(record, name) for name in dir(record)}
    for name, value in original.items():
        if type(value) is float:
            setattr(record, name, value + np.random.default_rng(0).uniform(1.0, 2.0, 1))
            assert 1.0 <= getattr(record, name) - value < 2.0


def test_body_mass_and_centre_change_in_place():
    body = gymapi.RigidBodyProperties()
    body.mass += np.float64(2.0)
    body.com += gymapi.Vec3(*torch.tensor([0.1, 0.0, 0.2]))
    body.inertia.x.x = 0.5
    assert body.mass == 2.0
    assert body.com.z == pytest.approx(0.2)
    assert body.inertia.x == gymapi.Vec3(0.5, 0.0, 0.0)


def test_tendon_and_actuator_describe_themselves():
    assert gymapi.TendonProperties().type is gymapi.TENDON_FIXED
    actuator = gymapi.ActuatorProperties()
    actuator.type, actuator.motor_effort = "motor", 45.0
    assert (actuator.type, actuator.motor_effort) == ("motor", 45.0)
    with pytest.raises(TypeError, match=r"ActuatorProperties\.type = 3"):
        actuator.type = 3
