"""The forces and torques on bodies that carry a force sensor."""

from __future__ import annotations

from typing import List, Optional

import numpy as np
import torch

from rofunc_isaac.isaacgym.assets.rotations import rotation_of
from rofunc_isaac.isaacgym.body_inertials import Inertials
from rofunc_isaac.isaacgym.constraint_motions import ConstraintMotions
from rofunc_isaac.isaacgym.model_map import SENSOR_ROWS, SensorMap
from rofunc_isaac.physics.batch import Batch


class ForceSensors:
    """The force sensor tensor.

    `tensor` is float32 (envs * sensors, 6): force in N on the body's centre of mass and torque in
    N m about it, both in the sensor's frame, or along the world's axes with `use_world_frame`. They
    are *net* (Newton's m a, Euler's equation), over the last physics step: a body at rest on the
    ground reads zero, a falling one its weight.

    Without `enable_forward_dynamics_forces` they are what constraints (contacts, joint limits and
    friction of the whole robot) add to that motion: a body at rest on the ground reads its weight,
    upwards. Without `enable_constraint_solver_forces` they are the rest.
    """

    def __init__(self, num_envs: int, num_sensors: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_sensors, 6, device=device)
        self._by_env = self.tensor.view(num_envs, num_sensors, 6)

    def connect(
        self, batch: Batch, sensors: List[SensorMap], bodies: np.ndarray, inertials: Inertials
    ) -> None:
        """Attach to the compiled worlds. Sensors lie one after the other in `sensordata`.

        Args:
            bodies: MuJoCo's numbers of the environment's bodies, (bodies,).
        """
        self._num_sensors = len(sensors)
        if not sensors:
            return
        first, size = sensors[0].address, 3 * SENSOR_ROWS * len(sensors)
        data = batch.view("sensordata")[:, first : first + size]
        self._readings = data.unflatten(1, (len(sensors), SENSOR_ROWS, 3))

        # Component-major copies, (..., envs, sensors): rows of three numbers next to each other
        # would cost the CPU several times as much.
        self._components = data.new_empty(SENSOR_ROWS, 3, batch.num_envs, len(sensors))
        # What accelerometers call acceleration holds minus gravity.
        self._gravity = batch.parameter("gravity").T[:, :, None]
        self._bodies = [sensor.body for sensor in sensors]
        self._in_body = np.stack([sensor.rotation for sensor in sensors])
        properties = [sensor.properties for sensor in sensors]
        self._in_world = self._constant(np.array([p.use_world_frame for p in properties])) > 0.0
        self._any_in_world = any(p.use_world_frame for p in properties)
        forward = np.array([p.enable_forward_dynamics_forces for p in properties], float)
        constraint = np.array([p.enable_constraint_solver_forces for p in properties], float)
        # A reading is these shares of the net force, and of what constraints contribute to it.
        self._net_share = self._constant(forward)
        self._constraint_share = self._constant(constraint - forward)
        self._constraints: Optional[ConstraintMotions] = None
        if (forward != constraint).any():
            self._constraints = ConstraintMotions(batch, bodies[self._bodies])
        self.set_inertials(inertials)

    def set_inertials(self, inertials: Inertials) -> None:
        """Take over what the bodies weigh."""
        if not self._num_sensors:
            return
        self._mass = self._constant(inertials.mass[:, self._bodies])
        self._inertia = self._constant(inertials.moments[:, self._bodies]).permute(2, 0, 1)
        axes = np.array(
            [rotation_of(quat) for quat in inertials.quat[:, self._bodies].reshape(-1, 4)]
        )
        # From the body's inertial frame to the sensor's.
        rotation = self._in_body.swapaxes(-1, -2) @ axes.reshape(-1, self._num_sensors, 3, 3)
        self._rotation = self._constant(rotation).permute(2, 3, 0, 1)
        self._is_rotated = not np.allclose(rotation, np.eye(3), rtol=0.0, atol=1e-7)

    def _constant(self, values: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self.tensor.device)

    def refresh(self) -> None:
        """Compute `tensor` from the accelerations of the last physics step."""
        if self._num_sensors:
            self._by_env.unflatten(2, (2, 3)).copy_(self._wrench())

    def read(self) -> torch.Tensor:
        """What `refresh` puts into `tensor`, (envs, sensors, 6)."""
        return self._wrench().flatten(2)

    def _wrench(self) -> torch.Tensor:
        """Forces and torques, (envs, sensors, 2, 3)."""
        self._components.copy_(self._readings.permute(2, 3, 0, 1))
        motion, axes = self._components[0:3], self._components[3:6]
        motion[0] += self._gravity
        # In the inertial frame: linear acceleration, angular acceleration, angular velocity.
        acceleration, angular_acceleration, spin = dot(motion[:, None], axes[None])
        force = self._mass * acceleration
        # Euler's equation.
        torque = self._inertia * angular_acceleration + cross(spin, self._inertia * spin)
        wrench = torch.stack([force, torque])
        if self._constraints is not None:
            motion = self._constraints.read().permute(2, 3, 0, 1)
            motion = dot(motion[:, None], axes[None])
            added = torch.stack([self._mass * motion[0], self._inertia * motion[1]])
            wrench = wrench * self._net_share + added * self._constraint_share
        if self._any_in_world:
            rotation = torch.where(self._in_world, axes.transpose(0, 1), self._rotation)
            wrench = dot(wrench[:, None], rotation[None])
        elif self._is_rotated:
            wrench = dot(wrench[:, None], self._rotation[None])
        return wrench.permute(2, 3, 0, 1)


def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Dot products over the third dimension, of size three."""
    products = a[:, :, 0] * b[:, :, 0]
    return products.addcmul_(a[:, :, 1], b[:, :, 1]).addcmul_(a[:, :, 2], b[:, :, 2])


def cross(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Cross products over the first dimension."""
    x, y, z = a
    u, v, w = b
    return torch.stack([y * w - z * v, z * u - x * w, x * v - y * u])
