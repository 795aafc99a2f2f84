"""Robots as `load_asset` and `create_actor` make them, before there are worlds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Dict, List, Optional

import numpy as np

from rofunc_isaac.isaacgym._math import Transform
from rofunc_isaac.isaacgym._properties import (
    ForceSensorProperties,
    RigidBodyProperties,
    RigidShapeProperties,
    TendonProperties,
)
from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.assets.scaled import scaled_asset
from rofunc_isaac.isaacgym.link_kinematics import LinkKinematics
from rofunc_isaac.isaacgym.looks import Looks
from rofunc_isaac.isaacgym.start_state import StartState, at_rest
from rofunc_isaac.isaacgym.tendon_length import TendonLength
from rofunc_isaac.isaacgym.variants import Constants, constants_of


@dataclass
class SensorMount:
    """A force sensor on one body of an asset.

    Args:
        body: index of the body within its asset.
        pose: of the sensor in the body's frame.
        properties: what it adds up, and in which frame.
    """

    body: int
    pose: Transform
    properties: ForceSensorProperties = field(default_factory=ForceSensorProperties)


@dataclass(repr=False)
class SceneAsset:
    """What `load_asset` returns: a robot's description, and what users may change about it.

    Changes reach the actors created afterwards.
    """

    description: Asset
    shape_properties: List[RigidShapeProperties]
    tendon_properties: List[TendonProperties]
    tendon_lengths: List[TendonLength]
    force_sensors: List[SensorMount] = field(default_factory=list)
    sizes: Dict[float, SceneAsset] = field(default_factory=dict)
    """What `of_size` has made; shared by all of them."""

    def __repr__(self) -> str:
        return f"SceneAsset({self.description.name!r})"

    def of_size(self, scale: float) -> SceneAsset:
        """The loaded asset, `scale` times as large."""
        loaded = self.sizes.setdefault(1.0, self)
        if scale not in self.sizes:
            self.sizes[scale] = replace(loaded, description=scaled_asset(loaded.description, scale))
        return self.sizes[scale]

    @cached_property
    def constants(self) -> Constants:
        """What tells it from other assets."""
        return constants_of(self.description)

    @cached_property
    def kinematics(self) -> LinkKinematics:
        """Where its links are, by the states of its root and its DOFs."""
        return LinkKinematics(self.description)


@dataclass
class Actor:
    """One asset in one environment.

    Properties are replaced when they are set, never changed: until then they are the asset's own,
    the same for all of its actors.
    """

    asset: SceneAsset
    pose: Transform
    name: str
    group: int
    filter: int
    dof_properties: np.ndarray
    body_properties: List[RigidBodyProperties]
    shape_properties: List[RigidShapeProperties]
    tendon_properties: List[TendonProperties]
    tendon_lengths: List[TendonLength]
    force_sensors: List[SensorMount]
    scale: float = 1.0
    shape_scale: float = 1.0
    """What of `scale` is not in `asset` already."""
    dof_forces_enabled: bool = False
    start: Optional[StartState] = None
    """What was set of its state before prepare_sim, if anything was."""
    segmentation_id: int = 0
    looks: Optional[Looks] = None
    """What was set of its looks, if anything was."""

    @property
    def has_own_bodies(self) -> bool:
        """Whether its body properties were set."""
        return self.body_properties is not self.asset.description.body_properties

    def own_looks(self) -> Looks:
        """`looks`, to be changed."""
        if self.looks is None:
            self.looks = Looks()
        return self.looks

    def start_state(self) -> StartState:
        """`start`, to be changed."""
        if self.start is None:
            self.start = at_rest(len(self.dof_properties))
        return self.start

    def start_root(self) -> List[float]:
        """The root's state at the start, 13 numbers as in the root state tensor."""
        p, r = self.pose.p, self.pose.r
        velocity = [0.0] * 6
        if self.start is not None:
            linear, angular = self.start.velocity.linear, self.start.velocity.angular
            velocity = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        return [p.x, p.y, p.z, r.x, r.y, r.z, r.w, *velocity]

    def shape_filters(self) -> List[int]:
        """The collision filter of each shape: the actor's, or with filter -1 the shape's own."""
        if self.filter != -1:
            return [self.filter] * len(self.shape_properties)
        return [shape.filter for shape in self.shape_properties]
