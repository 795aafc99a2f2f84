"""The enumerations and integer constants of Isaac Gym's interface.

Names come from the published interface. Values are published for ContactCollection, AXIS_*,
STATE_*, RIGID_BODY_*, INVALID_HANDLE and DEFAULT_VIEWER_*; those of DofDriveMode (0 none to 3
effort) and UpAxis (0 is y, 1 is z) are the ones that task configurations in the field use. Every
other enumeration counts in the order in which the manual lists its members.
"""

from __future__ import annotations

from rofunc_isaac.isaacgym._enum import GymEnum


class SimType(GymEnum):
    SIM_PHYSX = 0
    SIM_FLEX = 1


class UpAxis(GymEnum):
    UP_AXIS_Y = 0
    UP_AXIS_Z = 1


class DofType(GymEnum):
    DOF_INVALID = 0
    DOF_ROTATION = 1
    DOF_TRANSLATION = 2


class DofDriveMode(GymEnum):
    """Which target of a DOF counts: none, position, velocity or effort."""

    DOF_MODE_NONE = 0
    DOF_MODE_POS = 1
    DOF_MODE_VEL = 2
    DOF_MODE_EFFORT = 3


class JointType(GymEnum):
    JOINT_INVALID = 0
    JOINT_FIXED = 1
    JOINT_REVOLUTE = 2
    JOINT_PRISMATIC = 3
    JOINT_BALL = 4
    JOINT_PLANAR = 5
    JOINT_FLOATING = 6


class IndexDomain(GymEnum):
    """Index relative to the actor, to the env, or to the whole sim."""

    DOMAIN_ACTOR = 0
    DOMAIN_ENV = 1
    DOMAIN_SIM = 2


class CoordinateSpace(GymEnum):
    ENV_SPACE = 0
    LOCAL_SPACE = 1
    GLOBAL_SPACE = 2


class MeshType(GymEnum):
    MESH_NONE = 0
    MESH_COLLISION = 1
    MESH_VISUAL = 2
    MESH_VISUAL_AND_COLLISION = 3


class MeshNormalMode(GymEnum):
    FROM_ASSET = 0
    COMPUTE_PER_VERTEX = 1
    COMPUTE_PER_FACE = 2


class ContactCollection(GymEnum):
    """When contacts are collected: never, in the last substep, in all substeps (the default)."""

    CC_NEVER = 0
    CC_LAST_SUBSTEP = 1
    CC_ALL_SUBSTEPS = 2


class TendonType(GymEnum):
    TENDON_FIXED = 0
    TENDON_SPATIAL = 1


class CameraFollowMode(GymEnum):
    FOLLOW_POSITION = 0
    FOLLOW_TRANSFORM = 1


class ImageType(GymEnum):
    IMAGE_COLOR = 0
    IMAGE_DEPTH = 1
    IMAGE_SEGMENTATION = 2
    IMAGE_OPTICAL_FLOW = 3


class SoftMaterialType(GymEnum):
    MAT_COROTATIONAL = 0
    MAT_NEOHOOKEAN = 1


class UsdMaterialMode(GymEnum):
    USD_MATERIAL_DISPLAY_COLOR = 0
    USD_MATERIAL_PREVIEW_SURFACE = 1
    USD_MATERIAL_MDL = 2


class TensorDataType(GymEnum):
    DTYPE_FLOAT32 = 0
    DTYPE_UINT32 = 1
    DTYPE_UINT64 = 2
    DTYPE_UINT8 = 3
    DTYPE_INT16 = 4


AXIS_NONE = 0
AXIS_X = 1
AXIS_Y = 2
AXIS_Z = 4
AXIS_TRANSLATION = 7
AXIS_TWIST = 8
AXIS_SWING_1 = 16
AXIS_SWING_2 = 32
AXIS_ROTATION = 56
AXIS_ALL = 63

STATE_NONE = 0
STATE_POS = 1
STATE_VEL = 2
STATE_ALL = 3

RIGID_BODY_NONE = 0
RIGID_BODY_DISABLE_GRAVITY = 1
RIGID_BODY_DISABLE_SIMULATION = 2
RIGID_BODY_ENABLE_GYROSCOPIC_FORCES = 4

INVALID_HANDLE = -1
DEFAULT_VIEWER_WIDTH = 1600
DEFAULT_VIEWER_HEIGHT = 900

# The members under their module-level names.
SIM_PHYSX, SIM_FLEX = SimType
UP_AXIS_Y, UP_AXIS_Z = UpAxis
DOF_INVALID, DOF_ROTATION, DOF_TRANSLATION = DofType
DOF_MODE_NONE, DOF_MODE_POS, DOF_MODE_VEL, DOF_MODE_EFFORT = DofDriveMode
(
    JOINT_INVALID,
    JOINT_FIXED,
    JOINT_REVOLUTE,
    JOINT_PRISMATIC,
    JOINT_BALL,
    JOINT_PLANAR,
    JOINT_FLOATING,
) = JointType
DOMAIN_ACTOR, DOMAIN_ENV, DOMAIN_SIM = IndexDomain
ENV_SPACE, LOCAL_SPACE, GLOBAL_SPACE = CoordinateSpace
MESH_NONE, MESH_COLLISION, MESH_VISUAL, MESH_VISUAL_AND_COLLISION = MeshType
FROM_ASSET, COMPUTE_PER_VERTEX, COMPUTE_PER_FACE = MeshNormalMode
CC_NEVER, CC_LAST_SUBSTEP, CC_ALL_SUBSTEPS = ContactCollection
TENDON_FIXED, TENDON_SPATIAL = TendonType
FOLLOW_POSITION, FOLLOW_TRANSFORM = CameraFollowMode
IMAGE_COLOR, IMAGE_DEPTH, IMAGE_SEGMENTATION, IMAGE_OPTICAL_FLOW = ImageType
MAT_COROTATIONAL, MAT_NEOHOOKEAN = SoftMaterialType
USD_MATERIAL_DISPLAY_COLOR, USD_MATERIAL_PREVIEW_SURFACE, USD_MATERIAL_MDL = UsdMaterialMode
DTYPE_FLOAT32, DTYPE_UINT32, DTYPE_UINT64, DTYPE_UINT8, DTYPE_INT16 = TensorDataType

__all__ = [
    "AXIS_ALL",
    "AXIS_NONE",
    "AXIS_ROTATION",
    "AXIS_SWING_1",
    "AXIS_SWING_2",
    "AXIS_TRANSLATION",
    "AXIS_TWIST",
    "AXIS_X",
    "AXIS_Y",
    "AXIS_Z",
    "CC_ALL_SUBSTEPS",
    "CC_LAST_SUBSTEP",
    "CC_NEVER",
    "COMPUTE_PER_FACE",
    "COMPUTE_PER_VERTEX",
    "DEFAULT_VIEWER_HEIGHT",
    "DEFAULT_VIEWER_WIDTH",
    "DOF_INVALID",
    "DOF_MODE_EFFORT",
    "DOF_MODE_NONE",
    "DOF_MODE_POS",
    "DOF_MODE_VEL",
    "DOF_ROTATION",
    "DOF_TRANSLATION",
    "DOMAIN_ACTOR",
    "DOMAIN_ENV",
    "DOMAIN_SIM",
    "DTYPE_FLOAT32",
    "DTYPE_INT16",
    "DTYPE_UINT8",
    "DTYPE_UINT32",
    "DTYPE_UINT64",
    "ENV_SPACE",
    "FOLLOW_POSITION",
    "FOLLOW_TRANSFORM",
    "FROM_ASSET",
    "GLOBAL_SPACE",
    "IMAGE_COLOR",
    "IMAGE_DEPTH",
    "IMAGE_OPTICAL_FLOW",
    "IMAGE_SEGMENTATION",
    "INVALID_HANDLE",
    "JOINT_BALL",
    "JOINT_FIXED",
    "JOINT_FLOATING",
    "JOINT_INVALID",
    "JOINT_PLANAR",
    "JOINT_PRISMATIC",
    "JOINT_REVOLUTE",
    "LOCAL_SPACE",
    "MAT_COROTATIONAL",
    "MAT_NEOHOOKEAN",
    "MESH_COLLISION",
    "MESH_NONE",
    "MESH_VISUAL",
    "MESH_VISUAL_AND_COLLISION",
    "RIGID_BODY_DISABLE_GRAVITY",
    "RIGID_BODY_DISABLE_SIMULATION",
    "RIGID_BODY_ENABLE_GYROSCOPIC_FORCES",
    "RIGID_BODY_NONE",
    "SIM_FLEX",
    "SIM_PHYSX",
    "STATE_ALL",
    "STATE_NONE",
    "STATE_POS",
    "STATE_VEL",
    "TENDON_FIXED",
    "TENDON_SPATIAL",
    "UP_AXIS_Y",
    "UP_AXIS_Z",
    "USD_MATERIAL_DISPLAY_COLOR",
    "USD_MATERIAL_MDL",
    "USD_MATERIAL_PREVIEW_SURFACE",
    "CameraFollowMode",
    "ContactCollection",
    "CoordinateSpace",
    "DofDriveMode",
    "DofType",
    "ImageType",
    "IndexDomain",
    "JointType",
    "MeshNormalMode",
    "MeshType",
    "SimType",
    "SoftMaterialType",
    "TendonType",
    "TensorDataType",
    "UpAxis",
    "UsdMaterialMode",
]
