"""Calls about assets: loading them, and what they are made of."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Dict, List, Optional, Sequence, Sized

import numpy as np

from rofunc_isaac.isaacgym._constants import INVALID_HANDLE, DofType, JointType
from rofunc_isaac.isaacgym._math import Transform
from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym._properties import ActuatorProperties, RigidShapeProperties
from rofunc_isaac.isaacgym.assets.load import load_asset
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import ForceSensor, SceneAsset
from rofunc_isaac.isaacgym.simulation import Simulation


def index_of(names: Sequence[str], name: str) -> int:
    """Position of `name`, or INVALID_HANDLE as Isaac Gym answers for a name that is not there."""
    return names.index(name) if name in names else INVALID_HANDLE


class AssetCalls:
    """Mixed into `Gym`. Orders are Isaac Gym's: bodies and DOFs depth first."""

    def load_asset(
        self, sim: Simulation, rootpath: str, filename: str, options: Optional[AssetOptions] = None
    ) -> SceneAsset:
        """Load an MJCF or URDF robot. Raises AssetError with the file, the element, the mend."""
        description = load_asset(rootpath, filename, options or AssetOptions())
        return SceneAsset(description, deepcopy(description.shape_properties))

    def create_asset_force_sensor(
        self,
        asset: SceneAsset,
        body_idx: int,
        local_pose: Transform,
        props: Optional[Any] = None,
    ) -> int:
        """Put a sensor of the net force on a body of every actor created from `asset` later on.

        Returns the sensor's index within the asset. See `ForceSensors` for what it reads.
        """
        body_idx = int(body_idx)
        if not 0 <= body_idx < len(asset.description.body_names):
            raise GymError(
                f"create_asset_force_sensor: the asset '{asset.description.name}' has no body "
                f"{body_idx}; it has {len(asset.description.body_names)}"
            )
        if props is not None and (
            props.use_world_frame
            or not props.enable_forward_dynamics_forces
            or not props.enable_constraint_solver_forces
        ):
            raise GymError(
                "create_asset_force_sensor: only the default ForceSensorProperties are available "
                "(net force, in the sensor's frame)"
            )
        asset.force_sensors.append(ForceSensor(body_idx, deepcopy(local_pose)))
        return len(asset.force_sensors) - 1

    def get_asset_rigid_body_count(self, asset: SceneAsset) -> int:
        return len(asset.description.body_names)

    def get_asset_rigid_body_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.body_names[index]

    def get_asset_rigid_body_names(self, asset: SceneAsset) -> List[str]:
        return list(asset.description.body_names)

    def get_asset_rigid_body_dict(self, asset: SceneAsset) -> Dict[str, int]:
        return {name: index for index, name in enumerate(asset.description.body_names)}

    def find_asset_rigid_body_index(self, asset: SceneAsset, name: str) -> int:
        return index_of(asset.description.body_names, name)

    def get_asset_dof_count(self, asset: SceneAsset) -> int:
        return len(asset.description.dof_names)

    def get_asset_dof_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.dof_names[index]

    def get_asset_dof_names(self, asset: SceneAsset) -> List[str]:
        return list(asset.description.dof_names)

    def get_asset_dof_dict(self, asset: SceneAsset) -> Dict[str, int]:
        return {name: index for index, name in enumerate(asset.description.dof_names)}

    def get_asset_dof_type(self, asset: SceneAsset, index: int) -> DofType:
        return DofType(asset.description.dof_types[index])

    def find_asset_dof_index(self, asset: SceneAsset, name: str) -> int:
        return index_of(asset.description.dof_names, name)

    def get_asset_dof_properties(self, asset: SceneAsset) -> np.ndarray:
        """DofProperties, (dofs,); a copy."""
        return asset.description.dof_properties.copy()

    def get_asset_joint_count(self, asset: SceneAsset) -> int:
        return len(asset.description.joint_names)

    def get_asset_joint_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.joint_names[index]

    def get_asset_joint_names(self, asset: SceneAsset) -> List[str]:
        return list(asset.description.joint_names)

    def get_asset_joint_type(self, asset: SceneAsset, index: int) -> JointType:
        return JointType(asset.description.joint_types[index])

    def find_asset_joint_index(self, asset: SceneAsset, name: str) -> int:
        return index_of(asset.description.joint_names, name)

    def get_asset_rigid_shape_count(self, asset: SceneAsset) -> int:
        return len(asset.description.shape_names)

    def get_asset_rigid_shape_properties(self, asset: SceneAsset) -> List[RigidShapeProperties]:
        return [deepcopy(shape) for shape in asset.shape_properties]

    def set_asset_rigid_shape_properties(
        self, asset: SceneAsset, props: List[RigidShapeProperties]
    ) -> bool:
        """Set the shapes' properties for actors created from `asset` later on."""
        check_length("set_asset_rigid_shape_properties", props, len(asset.shape_properties))
        asset.shape_properties = [deepcopy(shape) for shape in props]
        return True

    def get_asset_actuator_count(self, asset: SceneAsset) -> int:
        return len(asset.description.actuators)

    def get_asset_actuator_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.actuators[index].name

    def get_asset_actuator_joint_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.actuators[index].joint

    def get_asset_actuator_properties(self, asset: SceneAsset) -> List[ActuatorProperties]:
        """The MJCF's actuators, in its own order, which need not be that of the DOFs."""
        return [deepcopy(actuator.properties) for actuator in asset.description.actuators]


def check_length(call: str, given: Sized, wanted: int) -> None:
    if len(given) != wanted:
        raise GymError(f"{call} was given {len(given)} entries, the object has {wanted}")
