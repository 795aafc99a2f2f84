"""Coverage of the modules of `isaacgym`: everything that is no function of the `Gym` object."""

from __future__ import annotations

from rofunc_isaac.compat.coverage import Coverage, words

_FRICTION = "dynamic_friction counts for static friction too; restitution is not used"
_UNREAD = "a plain record: no call that reads it is there"

GYMAPI = Coverage(
    complete=words(
        """
        acquire_gym Asset Env Gym Sim Tensor

        Int2 Int3 Mat33 Mat44 Quat SpatialForce Transform Vec2 Vec3 Velocity

        ActuatorProperties DofFrame DofState ForceSensor ForceSensorProperties IndexRange
        RigidBodyState

        AXIS_* COMPUTE_PER_* DEFAULT_VIEWER_* DOF_* DOMAIN_* DTYPE_* ENV_SPACE FOLLOW_* FROM_ASSET
        GLOBAL_SPACE IMAGE_* INVALID_HANDLE JOINT_* KEY_* LOCAL_SPACE MAT_* MESH_* MOUSE_*
        RIGID_BODY_* SIM_PHYSX STATE_* TENDON_* UP_AXIS_* USD_MATERIAL_*

        CameraFollowMode CoordinateSpace DofDriveMode DofType ImageType IndexDomain JointType
        KeyboardInput MeshNormalMode MeshType MouseInput SimType SoftMaterialType TendonType
        TensorDataType UpAxis UsdMaterialMode

        RigidContact Version
        """
    ),
    approximate={
        **dict.fromkeys(
            words(
                """
                cross dot eulers_to_quats_zyx quats_to_eulers_zyx rotate rotate_inverse transform
                transform_inverse
                """
            ),
            "the original publishes no parameters: here arrays of Vec3, Quat and Transform, which "
            "broadcast",
        ),
        "ActionEvent": "never comes: there is no viewer",
        "AssetOptions": "options about looks, the decomposition of meshes and gyroscopic forces "
        "are accepted and not used; largest velocities hold for roots and DOFs, not for each link",
        "AttractorProperties": "with the axes AXIS_NONE, AXIS_TRANSLATION or AXIS_ALL only",
        "CC_*": "accepted and not used: contacts are always those of the last substep",
        "CameraProperties": "supersampling is accepted and not used",
        "ContactCollection": "accepted and not used",
        "FlexParams": "accepted and not used: there is no FleX",
        "HeightFieldParams": _FRICTION,
        "PerformanceTimers": "physics and images are timed, on the host",
        "PhysXParams": "num_threads counts; the rest is accepted and not used",
        "PlaneParams": _FRICTION,
        "RigidBodyProperties": "flags cannot change, invMass and invInertia are not read",
        "RigidShapeProperties": "friction and filter count; the rest is kept and not used",
        "SIM_FLEX": "the constant alone: there is no FleX",
        "SimParams": "dt, substeps, gravity, use_gpu_pipeline and physx.num_threads count; the "
        "rest is accepted and not used",
        "SoftMaterial": _UNREAD,
        "TendonProperties": "whether a tendon is limited has to be the same in all environments",
        "TriangleMeshParams": _FRICTION,
        "UsdExportOptions": _UNREAD,
        "VhacdParams": "accepted and not used",
        "Viewer": "the type alone: there is no viewer",
        "carb_init": "does nothing",
    },
    missing=words(
        """
        OmniConnectionParams ParticleState SoftContact UsdExporter
        """
    ),
)

GYMTORCH = Coverage(complete=words("unwrap_tensor wrap_tensor"))

GYMUTIL = Coverage(
    complete=words(
        """
        AxesGeometry LineGeometry WireframeBBoxGeometry WireframeBoxGeometry
        WireframeSphereGeometry apply_random_samples check_buckets generate_random_samples
        get_default_setter_args get_property_getter_map get_property_setter_map parse_device_str
        parse_sim_config _indent_xml
        """
    ),
    approximate={
        "draw_line": "draws nothing: there is no viewer",
        "draw_lines": "draws nothing: there is no viewer",
        "parse_arguments": "the default device is cpu where there is no CUDA device",
    },
)

TORCH_UTILS = Coverage(
    complete=words(
        """
        np torch copysign get_axis_params get_basis_vector get_euler_xyz normalize normalize_angle
        quat_apply quat_axis quat_conjugate quat_from_angle_axis quat_from_euler_xyz quat_mul
        quat_rotate quat_rotate_inverse quat_unit scale tensor_clamp tf_apply tf_combine
        tf_inverse tf_vector to_torch torch_rand_float torch_random_dir_2 unscale unscale_np
        """
    )
)

TERRAIN_UTILS = Coverage(
    complete=words(
        """
        SubTerrain convert_heightfield_to_trimesh discrete_obstacles_terrain pyramid_sloped_terrain
        pyramid_stairs_terrain random_uniform_terrain sloped_terrain stairs_terrain
        stepping_stones_terrain wave_terrain
        """
    )
)

MODULES = {
    "gymapi": GYMAPI,
    "gymtorch": GYMTORCH,
    "gymutil": GYMUTIL,
    "torch_utils": TORCH_UTILS,
    "terrain_utils": TERRAIN_UTILS,
}
"""By the module's name in `isaacgym`."""
