"""Springs that pull bodies to targets in their environment.

Isaac Gym's attractor is a spring and damper whose position and velocity are those of the step's
end. Here it is an equality constraint between a site on the body and one on a target body that
nothing moves but the program, with the parameters of `soft_springs`.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

import mujoco
import numpy as np
import torch

from rofunc_isaac.isaacgym._constants import AXIS_ALL, AXIS_NONE, AXIS_TRANSLATION
from rofunc_isaac.isaacgym._math import Quat, Transform, Vec3
from rofunc_isaac.isaacgym._params import AttractorProperties
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env, Scene
from rofunc_isaac.isaacgym.soft_springs import constraint_parameters
from rofunc_isaac.physics.batch import Batch


def check_attractor(call: str, env: Env, properties: AttractorProperties) -> None:
    """Raises GymError: axes that are not available, or a body that `env` does not have."""
    if properties.axes not in (AXIS_NONE, AXIS_TRANSLATION, AXIS_ALL):
        raise GymError(
            f"{call}: axes={properties.axes} is not available; use AXIS_TRANSLATION, AXIS_ALL or "
            "AXIS_NONE"
        )
    if not 0 <= properties.rigid_handle < env.num_bodies:
        raise GymError(
            f"{call}: env {env.index} has no body {properties.rigid_handle}, it has "
            f"{env.num_bodies}"
        )


def add_attractors(spec: mujoco.MjSpec, env: Env, bodies: List[str]) -> None:
    """Add the environment's attractors to the spec in which its bodies have the names `bodies`."""
    for index, attractor in enumerate(env.attractors):
        if attractor.axes == AXIS_NONE:
            continue
        name = f"attractor{index}"
        pos, quat = pose(attractor.offset)
        spec.body(bodies[attractor.rigid_handle]).add_site(name=f"{name}/held", pos=pos, quat=quat)
        pos, quat = pose(attractor.target)
        target = spec.worldbody.add_body(name=name, mocap=True, pos=pos, quat=quat)
        target.add_site(name=f"{name}/target")
        kind = mujoco.mjtEq.mjEQ_WELD if attractor.axes == AXIS_ALL else mujoco.mjtEq.mjEQ_CONNECT
        equality = spec.add_equality(
            name=name,
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=f"{name}/held",
            name2=f"{name}/target",
        )
        equality.data[10] = 1.0  # how much a weld's rotation counts


def pose(transform: Transform) -> Tuple[List[float], List[float]]:
    """Position and quaternion wxyz."""
    p, r = transform.p, transform.r
    return [p.x, p.y, p.z], [r.w, r.x, r.y, r.z]


def inverse_masses(model: mujoco.MjModel) -> np.ndarray:
    """Of the bodies that attractors hold, as MuJoCo estimates them, 1/kg, (attractors,)."""
    names = [model.equality(row).name for row in range(model.neq)]
    own = [row for row, name in enumerate(names) if name.startswith("attractor")]
    return model.body_invweight0[model.site_bodyid[model.eq_obj1id[own]], 0]


class Attractors:
    """Writes targets and gains of all environments' attractors into the batch.

    A weld's rotation is as stiff as its translation in units of the body's own inertia; Isaac Gym
    gives it the same number.
    """

    def __init__(self, batch: Batch, scene: Scene, inverse_mass: np.ndarray) -> None:
        """`inverse_mass` is what `inverse_masses` finds, (envs or 1, attractors)."""
        self._batch, self._scene, self._inverse_mass = batch, scene, inverse_mass
        model = batch.model
        held = [a.axes != AXIS_NONE for a in scene.envs[0].attractors]
        self._indices = [index for index, holds in enumerate(held) if holds]
        names = [f"attractor{index}" for index in self._indices]
        self._rows = [model.equality(name).id for name in names]
        self._mocap = [int(model.body_mocapid[model.body(name).id]) for name in names]
        self.update()

    def update(self) -> None:
        """Take over what was set on the attractors since the last call."""
        self._scene.attractors_changed = False
        if not self._indices:
            return
        chosen = [[env.attractors[index] for index in self._indices] for env in self._scene.envs]
        poses = [[pose(attractor.target) for attractor in row] for row in chosen]
        self._put("mocap_pos", np.array([[pos for pos, _ in row] for row in poses]))
        self._put("mocap_quat", np.array([[quat for _, quat in row] for row in poses]))
        stiffness = np.array([[attractor.stiffness for attractor in row] for row in chosen])
        damping = np.array([[attractor.damping for attractor in row] for row in chosen])
        self._write_gains(stiffness, damping)

    def _put(self, field: str, values: np.ndarray) -> None:
        view = self._batch.view(field)
        view[:, self._mocap] = torch.as_tensor(values, dtype=view.dtype, device=view.device)

    def _write_gains(self, stiffness: np.ndarray, damping: np.ndarray) -> None:
        timestep = self._batch.model.opt.timestep
        solref, solimp = constraint_parameters(stiffness, damping, self._inverse_mass, timestep)
        for field, values in (("eq_solref", solref), ("eq_solimp", solimp)):
            parameter = self._batch.parameter(field)
            parameter[:, self._rows] = torch.as_tensor(
                values, dtype=parameter.dtype, device=parameter.device
            )

    def read(self) -> Dict[str, torch.Tensor]:
        """What stands on the attractors of every environment, as plain tensors."""
        rows = [env.attractors for env in self._scene.envs]
        poses = [[[*pos, *quat] for pos, quat in (pose(a.target) for a in row)] for row in rows]
        gains = [[[a.stiffness, a.damping] for a in row] for row in rows]
        return {"targets": torch.tensor(poses), "gains": torch.tensor(gains)}

    def write(self, state: Dict[str, torch.Tensor]) -> None:
        """Put what `read` found on the attractors; the batch has it already."""
        targets, gains = state["targets"].tolist(), state["gains"].tolist()
        for env in self._scene.envs:
            for index, attractor in enumerate(env.attractors):
                x, y, z, qw, qx, qy, qz = targets[env.index][index]
                attractor.target = Transform(Vec3(x, y, z), Quat(qx, qy, qz, qw))
                attractor.stiffness, attractor.damping = gains[env.index][index]
        self._scene.attractors_changed = False
