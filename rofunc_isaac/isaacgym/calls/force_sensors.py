"""Calls about force sensors on bodies, and what one of them reads."""

from __future__ import annotations

from copy import deepcopy
from typing import List, Optional

from rofunc_isaac.isaacgym._math import SpatialForce, Transform, Vec3
from rofunc_isaac.isaacgym._properties import ForceSensorProperties
from rofunc_isaac.isaacgym.actor import SceneAsset, SensorMount
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.locate import locate_body
from rofunc_isaac.isaacgym.scene import Env


class ForceSensor:
    """One sensor of one actor, as `get_actor_force_sensor` returns it."""

    def __init__(self, env: Env, index: int) -> None:
        """Args: index: of the sensor within its environment."""
        self._env, self._index = env, index

    def get_forces(self) -> SpatialForce:
        """Force in N and torque in N m after the last simulate: see `ForceSensors`.

        The host waits for them.
        """
        sim = self._env.scene.simulation
        sim.worlds("get_forces")
        readings = sim.host.get("force sensors", sim.sensors.read)
        row = readings[self.get_global_index()].tolist()
        result = SpatialForce()
        result.force, result.torque = Vec3(*row[:3]), Vec3(*row[3:])
        return result

    def get_global_index(self) -> int:
        """The sensor's row in the force sensor tensor."""
        # As with bodies and DOFs, the first environment says how many there are in each.
        return self._env.index * num_sensors(self._env.scene.envs[0]) + self._index


class ForceSensorCalls:
    """Mixed into `Gym`."""

    def create_asset_force_sensor(
        self,
        asset: SceneAsset,
        body_idx: int,
        local_pose: Transform,
        props: Optional[ForceSensorProperties] = None,
    ) -> int:
        """Put a sensor on a body of every actor created from `asset` later on.

        Returns the sensor's index within the asset. See `ForceSensors` for what it reads. Of
        `local_pose` the rotation counts.
        """
        body_idx, count = int(body_idx), len(asset.description.body_names)
        if not 0 <= body_idx < count:
            raise GymError(
                f"create_asset_force_sensor: the asset '{asset.description.name}' has no body "
                f"{body_idx}; it has {count}"
            )
        return add(asset.force_sensors, body_idx, local_pose, props)

    def create_force_sensor(
        self,
        env: Env,
        body: int,
        local_pose: Transform,
        props: Optional[ForceSensorProperties] = None,
    ) -> int:
        """Put a sensor on a body of one environment. Isaac Gym had this call until Preview 2.

        `body` is a handle within the environment. Returns the sensor's index within its actor,
        after those of the asset.
        """
        env.scene.check_open("create_force_sensor")
        handle, body = locate_body("create_force_sensor", env, body)
        return add(env.actors[handle].force_sensors, body, local_pose, props)

    def get_actor_force_sensor_count(self, env: Env, handle: int) -> int:
        return len(env.actor(handle).force_sensors)

    def get_actor_force_sensor(self, env: Env, handle: int, index: int) -> Optional[ForceSensor]:
        """The actor's sensor number `index`; None if it has no such sensor."""
        if not 0 <= index < len(env.actor(handle).force_sensors):
            return None
        before = sum(len(actor.force_sensors) for actor in env.actors[:handle])
        return ForceSensor(env, before + index)


def add(
    sensors: List[SensorMount],
    body: int,
    pose: Transform,
    properties: Optional[ForceSensorProperties],
) -> int:
    chosen = ForceSensorProperties() if properties is None else deepcopy(properties)
    sensors.append(SensorMount(body, deepcopy(pose), chosen))
    return len(sensors) - 1


def num_sensors(env: Env) -> int:
    return sum(len(actor.force_sensors) for actor in env.actors)
