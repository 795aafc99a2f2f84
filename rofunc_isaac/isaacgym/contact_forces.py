"""The net force of all contacts on each body."""

from __future__ import annotations

import mujoco
import numpy as np
import torch

from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.dof_states import columns
from rofunc_isaac.physics.batch import Batch

_FORCE = 1 << 1  # of what a contact sensor can report
_NET_FORCE = 3  # all contacts are added up, in the world frame
_SIZE = 3


def add_contact_sensors(spec: mujoco.MjSpec, prefix: str, asset: Asset) -> None:
    """Give each body of an attached asset that has shapes a sensor of its contacts."""
    for body in np.unique(asset.shape_body).tolist():
        spec.add_sensor(
            name=f"{prefix}contact/{asset.body_names[body]}",
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            objname=prefix + asset.body_names[body],
            intprm=[_FORCE, _NET_FORCE, 1],
        )


class ContactForces:
    """The net contact force tensor.

    `tensor` is float32 (envs * bodies, 3), N in the world frame: what all contacts together exert
    on a body, in the last physics step. A body at rest on the ground reads its weight, upwards.
    """

    def __init__(self, num_envs: int, num_bodies: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_envs * num_bodies, 3, device=device)
        self._by_env = self.tensor.view(num_envs, num_bodies, 3)

    def connect(self, batch: Batch, bodies: np.ndarray) -> None:
        """Attach to the compiled worlds, with `add_contact_sensors` in their model.

        Args:
            bodies: MuJoCo's numbers of the bodies, (bodies,).
        """
        model = batch.model
        sensors = np.flatnonzero(model.sensor_type == int(mujoco.mjtSensor.mjSENS_CONTACT))
        self._num_sensors = len(sensors)
        if not self._num_sensors:
            return
        place = {body: index for index, body in enumerate(bodies.tolist())}
        sensed = np.array([place[body] for body in model.sensor_objid[sensors].tolist()])
        self._columns = columns(sensed, batch.device)
        first = int(model.sensor_adr[sensors[0]])
        data = batch.view("sensordata")[:, first : first + _SIZE * len(sensors)]
        self._readings = data.unflatten(1, (len(sensors), _SIZE))

    def refresh(self) -> None:
        """Copy the worlds' forces into `tensor`."""
        if self._num_sensors:
            # MuJoCo's sensor reads what its body exerts on the others.
            self._by_env[:, self._columns] = -self._readings
