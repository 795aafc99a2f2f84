"""One environment's world on the host, for what batches do not hold: contacts, images."""

from __future__ import annotations

import copy
from functools import cached_property

import mujoco
import numpy as np

from rofunc_isaac.isaacgym.painter import Painter
from rofunc_isaac.isaacgym.variants import BODY_FIELDS
from rofunc_isaac.isaacgym.worlds import Group
from rofunc_isaac.physics.batch import Batch

_STATE = ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart")
_CONSTANTS_FROM = {"dof_armature", "geom_pos", "geom_quat", *BODY_FIELDS}


class HostWorld:
    """MuJoCo C's data of one environment of a group at a time, with its own parameters.

    Attributes:
        rows: the places of the group's environments among its worlds, by their numbers.
        places: the environment's numbers of its bodies, by MuJoCo's.
    """

    def __init__(self, group: Group, batch: Batch) -> None:
        """Args: batch: of all groups."""
        self._group, self._batch = group.batch, batch
        self.rows = {number: row for row, number in enumerate(group.rows)}
        bodies = group.model_map.bodies.tolist()
        self.places = {body: place for place, body in enumerate(bodies)}

    @cached_property
    def model(self) -> mujoco.MjModel:
        return copy.copy(self._group.model)

    @cached_property
    def painter(self) -> Painter:
        """Draws what the data holds."""
        return Painter(self.model, self.places)

    @cached_property
    def data(self) -> mujoco.MjData:
        return mujoco.MjData(self.model)

    def load(self, env: int) -> None:
        """Take over the present state of environment `env`. The host waits for it."""
        own = {name: values[self.rows[env]] for name, values in self._group.parameters.items()}
        own.update({name: values[env] for name, values in self._batch.parameters.items()})
        for name, values in own.items():
            owner = self.model if hasattr(self.model, name) else self.model.opt
            target = getattr(owner, name)
            target[...] = values.cpu().numpy().reshape(np.shape(target))
        if _CONSTANTS_FROM.intersection(own):
            mujoco.mj_setConst(self.model, self.data)
        for name in _STATE:
            getattr(self.data, name)[...] = self._batch.view(name)[env].cpu().numpy()

    def load_with_forces(self, env: int) -> None:
        """The same, with contacts and their forces as the next step would begin."""
        self.load(env)
        mujoco.mj_forward(self.model, self.data)

    def load_with_poses(self, env: int) -> None:
        """The same, with the poses of everything that is seen."""
        self.load(env)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)
        mujoco.mj_tendon(self.model, self.data)
