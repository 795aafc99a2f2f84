"""Parameters of a simulation and of what is loaded into it.

Defaults are those of the manual and of the comments in IsaacGymEnvs' Factory tasks
(factory_schema_config_base.py, factory_base.py); where neither names one, the attribute's comment
says so. The engine behind this package is MuJoCo: a parameter that it has no use for is still kept,
so that configurations pass through unchanged.
"""

from __future__ import annotations

from rofunc_isaac.isaacgym._constants import (
    AXIS_NONE,
    CC_ALL_SUBSTEPS,
    DEFAULT_VIEWER_HEIGHT,
    DEFAULT_VIEWER_WIDTH,
    DOF_MODE_NONE,
    FROM_ASSET,
    INVALID_HANDLE,
    MAT_COROTATIONAL,
    UP_AXIS_Y,
    USD_MATERIAL_PREVIEW_SURFACE,
)
from rofunc_isaac.isaacgym._math import Transform, Vec3
from rofunc_isaac.isaacgym._record import (
    Record,
    bool_field,
    enum_field,
    float_field,
    int_field,
    record_field,
)

__all__ = [
    "AssetOptions",
    "AttractorProperties",
    "CameraProperties",
    "FlexParams",
    "HeightFieldParams",
    "PhysXParams",
    "PlaneParams",
    "SimParams",
    "SoftMaterial",
    "TriangleMeshParams",
    "UsdExportOptions",
    "VhacdParams",
]


class PhysXParams(Record):
    """Settings of the PhysX engine, as ``SimParams.physx``. Lengths in m, velocities in m/s."""

    always_use_articulations = bool_field(False)
    bounce_threshold_velocity = float_field(0.01)
    contact_collection = enum_field(CC_ALL_SUBSTEPS)
    contact_offset = float_field(0.02)
    default_buffer_size_multiplier = float_field(1.0)
    friction_correlation_distance = float_field(0.025)
    friction_offset_threshold = float_field(0.04)
    max_depenetration_velocity = float_field(100.0)
    max_gpu_contact_pairs = int_field(1024 * 1024)
    num_position_iterations = int_field(4)
    num_subscenes = int_field(0)
    num_threads = int_field(0)
    num_velocity_iterations = int_field(1)
    rest_offset = float_field(0.001)
    solver_type = int_field(1)  # 0: PGS, 1: TGS
    use_gpu = bool_field(False)


class FlexParams(Record):
    """Settings of the FleX engine, which this package does not offer: nothing reads them.

    The manual names no defaults; these are the values of its examples.
    """

    contact_regularization = float_field(1e-6)
    deterministic_mode = bool_field(False)
    dynamic_friction = float_field(0.5)
    friction_mode = int_field(2)
    geometric_stiffness = float_field(0.0)
    max_rigid_contacts = int_field(4 * 512 * 1024)
    max_soft_contacts = int_field(4 * 512 * 1024)
    num_inner_iterations = int_field(20)
    num_outer_iterations = int_field(4)
    particle_friction = float_field(0.0)
    relaxation = float_field(0.75)
    return_contacts = bool_field(True)
    shape_collision_distance = float_field(0.0)
    shape_collision_margin = float_field(0.01)
    solver_type = int_field(5)
    static_friction = float_field(0.5)
    warm_start = float_field(0.75)


class SimParams(Record):
    """Settings of a simulation: ``dt`` seconds an own step, split into ``substeps``; gravity in
    m/s^2. Gravity and the up axis are independent: both must be set for a z-up world."""

    dt = float_field(1.0 / 60.0)
    enable_actor_creation_warning = bool_field(True)
    flex = record_field(FlexParams)
    gravity = record_field(Vec3, 0.0, -9.8, 0.0)
    num_client_threads = int_field(0)
    physx = record_field(PhysXParams)
    stress_visualization = bool_field(False)
    stress_visualization_max = float_field(1e5)  # no published default
    stress_visualization_min = float_field(0.0)  # no published default
    substeps = int_field(2)
    up_axis = enum_field(UP_AXIS_Y)
    use_gpu_pipeline = bool_field(False)


class VhacdParams(Record):
    """Settings of the convex decomposition of meshes (V-HACD). All defaults are the manual's."""

    alpha = float_field(0.05)
    beta = float_field(0.05)
    concavity = float_field(0.0)
    convex_hull_approximation = bool_field(True)
    convex_hull_downsampling = int_field(4)
    max_convex_hulls = int_field(64)
    max_num_vertices_per_ch = int_field(64)
    min_volume_per_ch = float_field(0.0001)
    mode = int_field(0)
    ocl_acceleration = bool_field(True)
    pca = int_field(0)
    plane_downsampling = int_field(4)
    project_hull_vertices = bool_field(True)
    resolution = int_field(100000)


class AssetOptions(Record):
    """How an asset is imported. Damping in 1/s, velocities in m/s and rad/s, density in kg/m^3."""

    angular_damping = float_field(0.5)
    armature = float_field(0.0)
    collapse_fixed_joints = bool_field(False)
    convex_decomposition_from_submeshes = bool_field(False)
    default_dof_drive_mode = int_field(DOF_MODE_NONE)
    density = float_field(1000.0)
    disable_gravity = bool_field(False)
    enable_gyroscopic_forces = bool_field(True)
    fix_base_link = bool_field(False)
    flip_visual_attachments = bool_field(False)
    linear_damping = float_field(0.0)
    max_angular_velocity = float_field(64.0)
    max_linear_velocity = float_field(1000.0)
    mesh_normal_mode = enum_field(FROM_ASSET)
    min_particle_mass = float_field(1e-12)
    override_com = bool_field(False)
    override_inertia = bool_field(False)
    replace_cylinder_with_capsule = bool_field(False)
    slices_per_cylinder = int_field(20)
    tendon_limit_stiffness = float_field(1.0)
    thickness = float_field(0.02)
    use_mesh_materials = bool_field(False)
    use_physx_armature = bool_field(True)
    vhacd_enabled = bool_field(False)
    vhacd_params = record_field(VhacdParams)


class PlaneParams(Record):
    """The ground plane: {x : normal . x + distance = 0}, ``distance`` in m."""

    distance = float_field(0.0)
    dynamic_friction = float_field(1.0)
    normal = record_field(Vec3, 0.0, 1.0, 0.0)
    restitution = float_field(0.0)
    segmentation_id = int_field(0)
    static_friction = float_field(1.0)


class TriangleMeshParams(Record):
    """A terrain of triangles; ``transform`` places it in the world.

    Friction defaults are the ground plane's: the manual names none.
    """

    dynamic_friction = float_field(1.0)
    nb_triangles = int_field(0)
    nb_vertices = int_field(0)
    restitution = float_field(0.0)
    segmentation_id = int_field(0)
    static_friction = float_field(1.0)
    transform = record_field(Transform)


class HeightFieldParams(Record):
    """A terrain of samples on a grid; scales in m a sample (rows, columns) and m a unit (height).

    Friction defaults are the ground plane's, scales 1: the manual names none.
    """

    column_scale = float_field(1.0)
    dynamic_friction = float_field(1.0)
    nbColumns = int_field(0)
    nbRows = int_field(0)
    restitution = float_field(0.0)
    row_scale = float_field(1.0)
    segmentation_id = int_field(0)
    static_friction = float_field(1.0)
    transform = record_field(Transform)
    vertical_scale = float_field(1.0)


class AttractorProperties(Record):
    """A spring between a body and a target pose, along the ``axes`` (bits of AXIS_*) only.

    Without axes it is off. The manual names no defaults: an attractor does nothing until it is set.
    """

    axes = int_field(AXIS_NONE)
    damping = float_field(0.0)
    offset = record_field(Transform)
    rigid_handle = int_field(INVALID_HANDLE)
    stiffness = float_field(0.0)
    target = record_field(Transform)


class CameraProperties(Record):
    """A camera: image size in pixels, field of view in degrees, planes in m.

    The near and far planes have no published defaults.
    """

    enable_tensors = bool_field(False)
    far_plane = float_field(2.0e6)
    height = int_field(DEFAULT_VIEWER_HEIGHT)
    horizontal_fov = float_field(90.0)
    near_plane = float_field(0.01)
    supersampling_horizontal = int_field(1)
    supersampling_vertical = int_field(1)
    use_collision_geometry = bool_field(False)
    width = int_field(DEFAULT_VIEWER_WIDTH)


class SoftMaterial(Record):
    """The material of a soft body, which this package does not offer: nothing reads it."""

    activation = float_field(0.0)
    activationMax = float_field(0.0)
    damping = float_field(0.0)
    model = enum_field(MAT_COROTATIONAL)
    poissons = float_field(0.0)
    youngs = float_field(0.0)


class UsdExportOptions(Record):
    """Options of the USD export, which this package does not offer: nothing reads them."""

    export_physics = bool_field(True)
    material_mode = enum_field(USD_MATERIAL_PREVIEW_SURFACE)
    scale = float_field(1.0)
    single_file = bool_field(False)
    use_geom_subsets = bool_field(False)
    use_physics_visuals = bool_field(False)
