"""Parameters: the documented defaults, coercion, copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi

RECORDS = [
    gymapi.PhysXParams,
    gymapi.FlexParams,
    gymapi.SimParams,
    gymapi.VhacdParams,
    gymapi.AssetOptions,
    gymapi.PlaneParams,
    gymapi.TriangleMeshParams,
    gymapi.HeightFieldParams,
    gymapi.AttractorProperties,
    gymapi.CameraProperties,
    gymapi.UsdExportOptions,
]


@pytest.mark.parametrize(
    ("record", "defaults"),
    [
        (
            gymapi.SimParams(),
            {
                "dt": pytest.approx(1 / 60),
                "substeps": 2,
                "gravity": gymapi.Vec3(0, -9.8, 0),
                "up_axis": gymapi.UP_AXIS_Y,
                "use_gpu_pipeline": False,
            },
        ),
        (
            gymapi.SimParams().physx,
            {
                "contact_offset": 0.02,
                "rest_offset": 0.001,
                "bounce_threshold_velocity": 0.01,
                "max_depenetration_velocity": 100.0,
                "friction_offset_threshold": 0.04,
                "friction_correlation_distance": 0.025,
                "num_position_iterations": 4,
                "num_velocity_iterations": 1,
                "solver_type": 1,
                "max_gpu_contact_pairs": 1024**2,
                "contact_collection": gymapi.CC_ALL_SUBSTEPS,
            },
        ),
        (
            gymapi.AssetOptions(),
            {
                "thickness": 0.02,
                "density": 1000.0,
                "armature": 0.0,
                "linear_damping": 0.0,
                "angular_damping": 0.5,
                "max_linear_velocity": 1000.0,
                "max_angular_velocity": 64.0,
                "disable_gravity": False,
                "fix_base_link": False,
                "collapse_fixed_joints": False,
                "enable_gyroscopic_forces": True,
                "use_physx_armature": True,
                "vhacd_enabled": False,
                "slices_per_cylinder": 20,
                "tendon_limit_stiffness": 1.0,
                "mesh_normal_mode": gymapi.FROM_ASSET,
            },
        ),
        (
            gymapi.VhacdParams(),
            {"resolution": 100000, "concavity": 0.0, "alpha": 0.05, "max_convex_hulls": 64},
        ),
        (
            gymapi.PlaneParams(),
            {"distance": 0.0, "static_friction": 1.0, "dynamic_friction": 1.0, "restitution": 0.0},
        ),
        (gymapi.CameraProperties(), {"width": 1600, "height": 900, "horizontal_fov": 90.0}),
    ],
)
def test_documented_defaults(record, defaults):
    assert {name: getattr(record, name) for name in defaults} == defaults


@pytest.mark.parametrize("record_type", RECORDS)
def test_every_attribute_survives_copy_pickle_and_reassignment(record_type):
    record = record_type()
    assert copy.deepcopy(record) == record == pickle.loads(pickle.dumps(record))
    for name in record.fields():
        setattr(record, name, getattr(record, name))
    assert record == record_type()
    assert set(record.fields()) <= set(dir(record))


def test_records_do_not_share_their_parts():
    one, two = gymapi.SimParams(), gymapi.SimParams()
    one.gravity.z = -9.81
    one.physx.num_threads = 4
    assert two == gymapi.SimParams() != one


def test_arrays_tensors_and_enum_values_are_coerced():
    params = gymapi.SimParams()
    params.dt = np.array([0.01])
    params.substeps = torch.tensor(4)
    params.up_axis = 1
    params.physx.rest_offset = np.array([0.5])
    params.physx.contact_collection = 0
    params.physx.num_threads = 8.0
    params.physx.use_gpu = np.True_
    assert (params.dt, params.substeps) == (0.01, 4)
    assert params.up_axis is gymapi.UP_AXIS_Z
    assert params.physx.contact_collection is gymapi.CC_NEVER
    assert params.physx.use_gpu is True
    assert [type(value) for value in (params.dt, params.substeps)] == [float, int]


def test_mistakes_are_named():
    params = gymapi.SimParams()
    with pytest.raises(AttributeError, match="PhysXParams has no attribute 'num_theads'"):
        params.physx.num_theads = 4
    with pytest.raises(TypeError, match=r"SimParams\.gravity = .*expected a Vec3"):
        params.gravity = [0, 0, -9.81]
    with pytest.raises(ValueError, match=r"SimParams\.up_axis = 7"):
        params.up_axis = 7
    with pytest.raises(ValueError, match=r"SimParams\.use_gpu_pipeline = 'False'"):
        params.use_gpu_pipeline = "False"
    with pytest.raises(TypeError, match=r"SimParams\.substeps = 1\.5"):
        params.substeps = 1.5


def test_enums_are_integers_that_print_by_name():
    drive_modes = np.zeros(2, dtype=np.int32)
    drive_modes[0] = gymapi.DOF_MODE_EFFORT
    assert drive_modes.tolist() == [3, 0]
    assert (
        str(gymapi.SIM_PHYSX)
        == repr(gymapi.SIM_PHYSX)
        == f"{gymapi.SIM_PHYSX}"
        == "SimType.SIM_PHYSX"
    )
    assert f"{gymapi.UP_AXIS_Z:d}" == "1"
    assert pickle.loads(pickle.dumps(gymapi.KEY_ESCAPE)) is gymapi.KEY_ESCAPE
    assert gymapi.ContactCollection(2) is gymapi.CC_ALL_SUBSTEPS


def test_gymapi_offers_what_it_lists():
    assert len(set(gymapi.__all__)) == len(gymapi.__all__)
    for name in gymapi.__all__:
        assert hasattr(gymapi, name), name
