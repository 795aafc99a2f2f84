"""Calls about assets: loading them, and what they are made of."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Sized

import numpy as np

from rofunc_isaac.isaacgym._constants import INVALID_HANDLE, DofType, JointType
from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym._properties import (
    ActuatorProperties,
    IndexRange,
    RigidShapeProperties,
    TendonProperties,
)
from rofunc_isaac.isaacgym.actor import SceneAsset
from rofunc_isaac.isaacgym.assets import primitives
from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.assets.load import load_asset
from rofunc_isaac.isaacgym.conventions import conventions
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.simulation import Simulation
from rofunc_isaac.isaacgym.tendon_length import TendonLength


def index_of(names: Sequence[str], name: str) -> int:
    """Position of `name`, or INVALID_HANDLE as Isaac Gym answers for a name that is not there."""
    return names.index(name) if name in names else INVALID_HANDLE


def as_scene_asset(description: Asset) -> SceneAsset:
    tendons = [tendon.properties for tendon in description.tendons]
    lengths = [TendonLength(tuple(tendon.coefs)) for tendon in description.tendons]
    return SceneAsset(description, description.shape_properties, tendons, lengths)


class AssetCalls:
    """Mixed into `Gym`. Orders are Isaac Gym's: bodies and DOFs depth first."""

    def load_asset(
        self, sim: Simulation, rootpath: str, filename: str, options: Optional[AssetOptions] = None
    ) -> SceneAsset:
        """Load an MJCF or URDF robot. Raises AssetError with the file, the element, the mend."""
        options = deepcopy(options) or AssetOptions()
        order = conventions().urdf_sibling_order
        return as_scene_asset(load_asset(rootpath, filename, options, order))

    def load_urdf(
        self, sim: Simulation, rootpath: str, filename: str, options: Optional[AssetOptions] = None
    ) -> SceneAsset:
        """As `load_asset`."""
        return self.load_asset(sim, rootpath, filename, options)

    def load_mjcf(
        self, sim: Simulation, rootpath: str, filename: str, options: Optional[AssetOptions] = None
    ) -> SceneAsset:
        """As `load_asset`."""
        return self.load_asset(sim, rootpath, filename, options)

    def create_box(
        self,
        sim: Simulation,
        width: float,
        height: float,
        depth: float,
        options: Optional[AssetOptions] = None,
    ) -> SceneAsset:
        """A box about its origin, edges in m along x, y and z."""
        edges = (float(width), float(height), float(depth))
        return as_scene_asset(primitives.box(*edges, deepcopy(options) or AssetOptions()))

    def create_sphere(
        self, sim: Simulation, radius: float, options: Optional[AssetOptions] = None
    ) -> SceneAsset:
        """A sphere about its origin, `radius` in m."""
        return as_scene_asset(primitives.sphere(float(radius), deepcopy(options) or AssetOptions()))

    def create_capsule(
        self,
        sim: Simulation,
        radius: float,
        width: float,
        options: Optional[AssetOptions] = None,
    ) -> SceneAsset:
        """A capsule about its origin along x. `width`, in m, is taken as its straight part's."""
        size = (float(radius), float(width))
        return as_scene_asset(primitives.capsule(*size, deepcopy(options) or AssetOptions()))

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

    def get_asset_soft_body_count(self, asset: SceneAsset) -> int:
        """None: there is no FleX."""
        return 0

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
        return actuator_properties(asset.description)

    def find_asset_actuator_index(self, asset: SceneAsset, name: str) -> int:
        return index_of([actuator.name for actuator in asset.description.actuators], name)

    def get_asset_joint_dict(self, asset: SceneAsset) -> Dict[str, int]:
        return {name: index for index, name in enumerate(asset.description.joint_names)}

    def get_asset_rigid_body_shape_indices(self, asset: SceneAsset) -> List[IndexRange]:
        """Which of the shapes belong to each body."""
        return shape_indices(asset.description)

    def get_asset_tendon_count(self, asset: SceneAsset) -> int:
        return len(asset.description.tendons)

    def get_asset_tendon_name(self, asset: SceneAsset, index: int) -> str:
        return asset.description.tendons[index].name

    def find_asset_tendon_index(self, asset: SceneAsset, name: str) -> int:
        return index_of([tendon.name for tendon in asset.description.tendons], name)

    def get_asset_tendon_properties(self, asset: SceneAsset) -> List[TendonProperties]:
        return [deepcopy(tendon) for tendon in asset.tendon_properties]

    def set_asset_tendon_properties(self, asset: SceneAsset, props: List[TendonProperties]) -> bool:
        """Set the tendons' properties for actors created from `asset` later on."""
        check_length("set_asset_tendon_properties", props, len(asset.tendon_properties))
        asset.tendon_properties = [deepcopy(tendon) for tendon in props]
        return True

    def debug_print_asset(self, asset: SceneAsset, outpath: str = "") -> None:
        """Print the asset's bodies and joints as a tree, to the file `outpath` if given."""
        text = "\n".join(describe_tree(asset.description)) + "\n"
        if outpath:
            Path(outpath).write_text(text, encoding="utf-8")
        else:
            print(text, end="")


def actuator_properties(asset: Asset) -> List[ActuatorProperties]:
    return [deepcopy(actuator.properties) for actuator in asset.actuators]


def shape_indices(asset: Asset) -> List[IndexRange]:
    """The range of each body's shapes; shapes are ordered by body."""
    ranges = []
    for body in range(len(asset.body_names)):
        shapes = np.flatnonzero(asset.shape_body == body)
        ranges.append(IndexRange())
        ranges[-1].count = len(shapes)
        ranges[-1].start = int(shapes[0]) if len(shapes) else 0
    return ranges


def describe_tree(asset: Asset) -> Iterator[str]:
    """A line a body, indented below its parent, with the mass and the joints that move it."""
    depth = [0] * len(asset.body_names)
    for body, name in enumerate(asset.body_names):
        parent = int(asset.body_parent[body])
        depth[body] = depth[parent] + 1 if parent >= 0 else 0
        mass = asset.body_properties[body].mass
        yield f"{'  ' * depth[body]}{name} ({mass:g} kg)"
    for name, kind in zip(asset.joint_names, asset.joint_types):
        yield f"joint {name}: {kind.name}"


def check_length(call: str, given: Sized, wanted: int) -> None:
    if len(given) != wanted:
        raise GymError(f"{call} was given {len(given)} entries, the object has {wanted}")
