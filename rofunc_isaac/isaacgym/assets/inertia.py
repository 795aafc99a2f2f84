"""Mass properties of links: change of frame, merging, repair, and computing them from shapes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Sequence

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import AssetWarning
from rofunc_isaac.isaacgym.assets.rotations import rotation_of

MASSLESS_BODY_MASS = 1e-3  # kg
GYRATION_RADIUS = 0.03  # m
"""For moving bodies that have neither mass nor shapes, and for masses without any extent: MuJoCo
refuses to simulate them. The inertia is mass * GYRATION_RADIUS^2 about every axis."""

_PROBE_MASS = 1e-12
_PROBE_INERTIA = 1e-14
_MIN_RELATIVE_INERTIA = 1e-6
_TRIANGLE_EXCESS = 1e-9


@dataclass
class Inertial:
    """Mass in kg, centre of mass (3,) in m, inertia about it (3, 3) in kg m^2, both in one
    frame."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    def in_parent(self, rotation: np.ndarray, translation: np.ndarray) -> Inertial:
        """The same body seen from a frame in which this one has the given rotation and origin."""
        com = rotation @ self.com + translation
        return Inertial(self.mass, com, rotation @ self.inertia @ rotation.T)


def compact_inertia(mass: float) -> np.ndarray:
    """Inertia (3, 3) in kg m^2 of a mass in kg without known extent."""
    return mass * GYRATION_RADIUS**2 * np.eye(3)


def merge(parts: Sequence[Inertial]) -> Inertial:
    """The inertial of rigidly joined parts, all given in one frame (parallel axis theorem)."""
    mass = sum(part.mass for part in parts)
    if mass <= 0.0:
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    com = np.sum([part.mass * part.com for part in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.com - com
        inertia += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial(mass, com, inertia)


def repaired(inertial: Inertial, where: str) -> Inertial:
    """A physical inertia near the given one: symmetric, positive, moments satisfying A + B >= C.

    Non-positive principal moments become 1e-6 of the largest (if none is positive, the inertia is
    `compact_inertia`); then the smaller ones are raised until the triangle inequality holds, which
    MuJoCo demands. A change beyond rounding is announced with an `AssetWarning` that begins with
    `where`.
    """
    if inertial.mass <= 0.0:
        return Inertial(0.0, inertial.com, np.zeros((3, 3)))
    moments, axes = np.linalg.eigh(0.5 * (inertial.inertia + inertial.inertia.T))
    if moments[2] > 0.0:
        fixed = np.maximum(moments, _MIN_RELATIVE_INERTIA * moments[2])
    else:
        fixed = np.diag(compact_inertia(inertial.mass)).copy()
    # The small excess keeps the sum on the right side when the axes are found again.
    lack = (1.0 + _TRIANGLE_EXCESS) * fixed[2] - fixed[0] - fixed[1]
    if lack > 0.0:
        fixed[:2] += 0.5 * lack
    if not np.allclose(fixed, moments, rtol=1e-3, atol=0.0):
        warnings.warn(
            f"{where}: an inertia with principal moments {moments} kg m^2 is not that of a rigid "
            f"body; {fixed} is used",
            AssetWarning,
            stacklevel=2,
        )
    return Inertial(inertial.mass, inertial.com, axes @ np.diag(fixed) @ axes.T)


def set_inertial(body: mujoco.MjsBody, inertial: Inertial) -> None:
    """Write the inertial, given in the body's frame, into an MjSpec body."""
    moments, axes = np.linalg.eigh(inertial.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, axes.flatten())
    _write(body, inertial.mass, inertial.com, quat, moments)


def _write(
    body: mujoco.MjsBody, mass: float, ipos: np.ndarray, iquat: np.ndarray, inertia: np.ndarray
) -> None:
    body.explicitinertial = True
    body.mass = mass
    body.ipos = ipos
    body.iquat = iquat
    body.inertia = inertia
    # A full matrix from the file would win over what is written here.
    body.fullinertia = [np.nan] * 6


def of_model_body(model: mujoco.MjModel, body: int) -> Inertial:
    """The inertial of a compiled body, in the body's frame."""
    axes = rotation_of(model.body_iquat[body])
    inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
    return Inertial(float(model.body_mass[body]), model.body_ipos[body].copy(), inertia)


def override_by_geoms(spec: mujoco.MjSpec, com: bool, inertia: bool) -> None:
    """Replace centres of mass and inertias by those of the geoms, scaled to the body's mass.

    Bodies without geoms that have mass keep what they state.
    """
    _admit_massless(spec)
    stated = spec.compile()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    by_geoms = spec.compile()
    for body in spec.bodies[1:]:
        i, mass, computed = body.id, stated.body_mass[body.id], by_geoms.body_mass[body.id]
        place = by_geoms if com and computed > _PROBE_MASS else stated
        shape = by_geoms if inertia and computed > _PROBE_MASS else stated
        scale = mass / computed if shape is by_geoms else 1.0
        _write(body, mass, place.body_ipos[i], shape.body_iquat[i], scale * shape.body_inertia[i])
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def state_inertials(spec: mujoco.MjSpec, options: AssetOptions, where: str) -> None:
    """Give each body of `spec` its mass and inertia explicitly, as its own compile finds them.

    Compiler settings of a file (`inertiafromgeom`, `settotalmass`, ...) then need not travel with
    the bodies into the specs that they are attached to. Without `use_physx_armature`,
    `options.armature` is added to the diagonal of every body's inertia. Moving bodies without any
    mass get `MASSLESS_BODY_MASS`, with an `AssetWarning`.
    """
    _admit_massless(spec)
    model = spec.compile()
    armature = 0.0 if options.use_physx_armature else options.armature
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    for body in spec.bodies[1:]:
        i = body.id
        if model.body_mass[i] > _PROBE_MASS:
            moments = model.body_inertia[i] + armature
            _write(body, model.body_mass[i], model.body_ipos[i], model.body_iquat[i], moments)
        elif _moves_alone(model, i, options):
            warnings.warn(
                f"{where}: body {body.name!r} moves but has no mass and no shape with volume; "
                f"it gets {MASSLESS_BODY_MASS} kg",
                AssetWarning,
                stacklevel=2,
            )
            moments = np.diag(compact_inertia(MASSLESS_BODY_MASS)) + armature
            _write(body, MASSLESS_BODY_MASS, np.zeros(3), identity, moments)
        else:
            _write(body, 0.0, np.zeros(3), identity, np.zeros(3))
    spec.compiler.boundmass = 0.0
    spec.compiler.boundinertia = 0.0
    spec.compiler.settotalmass = -1.0
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def _admit_massless(spec: mujoco.MjSpec) -> None:
    """Let the compiler accept massless bodies, by a mass that tells them apart."""
    spec.compiler.boundmass = max(spec.compiler.boundmass, _PROBE_MASS)
    spec.compiler.boundinertia = max(spec.compiler.boundinertia, _PROBE_INERTIA)


def _moves_alone(model: mujoco.MjModel, body: int, options: AssetOptions) -> bool:
    """Whether the massless body moves and no body welded to it has mass."""
    is_free_root = body == 1 and not options.fix_base_link
    if model.body_jntnum[body] == 0 and not is_free_root:
        return False
    welded = {body}
    for child in range(body + 1, model.nbody):
        if model.body_parentid[child] in welded and model.body_jntnum[child] == 0:
            welded.add(child)
            if model.body_mass[child] > _PROBE_MASS:
                return False
    return True
