"""The net force and torque on bodies that carry a force sensor."""

from __future__ import annotations

from typing import List

import numpy as np
import torch

from rofunc_isaac.isaacgym.compile import SENSOR_ROWS, SensorMap
from rofunc_isaac.physics.batch import Batch


class ForceSensors:
    """The force sensor tensor.

    `tensor` is float32 (envs * sensors, 6): force in N on the body's centre of mass and torque in
    N m about it, both in the sensor's frame. They are *net* (Newton's m a, Euler's equation), over
    the last physics step: a body at rest on the ground reads zero, a falling one its weight.
    """

    def __init__(self, num_envs: int, num_sensors: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_sensors, 6, device=device)
        self._by_env = self.tensor.view(num_envs, num_sensors, 6)

    def connect(self, batch: Batch, sensors: List[SensorMap]) -> None:
        """Attach to the compiled worlds. Sensors lie one after the other in `sensordata`."""
        self._num_sensors = len(sensors)
        if not sensors:
            return
        first, size = sensors[0].address, 3 * SENSOR_ROWS * len(sensors)
        data = batch.view("sensordata")[:, first : first + size]
        self._readings = data.unflatten(1, (len(sensors), SENSOR_ROWS, 3))

        def constant(values: List[np.ndarray]) -> torch.Tensor:
            return torch.as_tensor(np.stack(values), dtype=torch.float32, device=batch.device)

        # What accelerometers call acceleration holds minus gravity.
        self._gravity = batch.parameter("gravity")[:, None, :]
        self._mass = constant([np.array([sensor.mass]) for sensor in sensors])
        self._inertia = constant([sensor.inertia for sensor in sensors])
        self._rotation = constant([sensor.rotation for sensor in sensors])
        self._rotated = not bool((self._rotation == torch.eye(3)).all())

    def refresh(self) -> None:
        """Compute `tensor` from the accelerations of the last physics step."""
        if not self._num_sensors:
            return
        motion, axes = self._readings[:, :, 0:3], self._readings[:, :, 3:6]
        motion = motion.clone()
        motion[:, :, 0] += self._gravity
        # In the inertial frame: linear acceleration, angular acceleration, angular velocity.
        # The dot product of each vector with each axis, a world component at a time: a reduction
        # over three neighbours would be ten times slower on the CPU.
        local = motion[..., 0, None] * axes[:, :, None, :, 0]
        local.addcmul_(motion[..., 1, None], axes[:, :, None, :, 1])
        local.addcmul_(motion[..., 2, None], axes[:, :, None, :, 2])
        spin = local[:, :, 2]
        force = self._mass * local[:, :, 0]
        torque = self._inertia * local[:, :, 1]
        torque = torque + torch.linalg.cross(spin, self._inertia * spin)
        if self._rotated:
            force = (self._rotation @ force[..., None]).squeeze(-1)
            torque = (self._rotation @ torque[..., None]).squeeze(-1)
        self._by_env[..., 0:3] = force
        self._by_env[..., 3:6] = torque
