"""Mass properties of links: change of frame, merging, repair, and computing them from shapes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Sequence

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

    Non-positive principal moments become 1e-6 of the largest (of the mass times 1 m^2 if none is
    positive); then the smaller ones are raised until the triangle inequality holds, which MuJoCo
    demands. A change beyond rounding is announced with an `AssetWarning` that begins with `where`.
    """
    symmetric = 0.5 * (inertial.inertia + inertial.inertia.T)
    if inertial.mass <= 0.0:
        return Inertial(0.0, inertial.com, np.zeros((3, 3)))
    moments, axes = np.linalg.eigh(symmetric)
    largest = moments[2] if moments[2] > 0.0 else inertial.mass * _MIN_RELATIVE_INERTIA
    fixed = np.maximum(moments, _MIN_RELATIVE_INERTIA * largest)
    lack = fixed[2] - fixed[0] - fixed[1]
    if lack > 0.0:
        # Published tables are rounded: the small excess keeps the sum on the right side in float64.
        fixed[:2] += 0.5 * lack * (1.0 + 1e-9)
    if not np.allclose(fixed, moments, rtol=1e-3, atol=0.0):
        warnings.warn(
            f"{where}: inertia with principal moments {moments} kg m^2 is not that of a rigid "
            f"body; "
            f"{fixed} is used",
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
    _write(body, inertial.mass, inertial.com, quat, np.maximum(moments, 0.0))


def _write(
    body: mujoco.MjsBody, mass: float, ipos: np.ndarray, iquat: np.ndarray, inertia: np.ndarray
) -> None:
    body.explicitinertial = True
    body.mass = mass
    body.ipos = ipos
    body.iquat = iquat
    body.inertia = inertia
    # An orientation or full matrix from the file would win over what is written here.
    body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
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
        computed, inertial = of_model_body(by_geoms, body.id), of_model_body(stated, body.id)
        if computed.mass > _PROBE_MASS:
            if com:
                inertial.com = computed.com
            if inertia:
                inertial.inertia = computed.inertia * (inertial.mass / computed.mass)
        set_inertial(body, inertial)
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def _admit_massless(spec: mujoco.MjSpec) -> None:
    """Let the compiler accept massless bodies, by a mass that tells them apart."""
    spec.compiler.boundmass = max(spec.compiler.boundmass, _PROBE_MASS)
    spec.compiler.boundinertia = max(spec.compiler.boundinertia, _PROBE_INERTIA)
    spec.compiler.balanceinertia = True


def state_inertials(spec: mujoco.MjSpec, options: AssetOptions, where: str) -> None:
    """Give each body of `spec` its mass and inertia explicitly, as its own compile finds them.

    Compiler settings of a file (`inertiafromgeom`, `settotalmass`, ...) then need not travel with
    the bodies into the specs that they are attached to. Without `use_physx_armature`,
    `options.armature` is added to the diagonal of every body's inertia. Moving bodies without any
    mass get `MASSLESS_BODY_MASS`, with an `AssetWarning`.
    """
    _admit_massless(spec)
    model = spec.compile()
    inertials = {b.name: of_model_body(model, b.id) for b in spec.bodies[1:]}

    armature = 0.0 if options.use_physx_armature else options.armature
    for body in spec.bodies[1:]:
        inertial = inertials[body.name]
        if inertial.mass <= _PROBE_MASS:
            inertial = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
            if _moves_alone(model, inertials, body.id, options):
                warnings.warn(
                    f"{where}: body {body.name!r} moves but has no mass and no shape with volume; "
                    f"it gets {MASSLESS_BODY_MASS} kg",
                    AssetWarning,
                    stacklevel=2,
                )
                inertial = Inertial(
                    MASSLESS_BODY_MASS, np.zeros(3), compact_inertia(MASSLESS_BODY_MASS)
                )
        if armature and inertial.mass > 0.0:
            inertial = Inertial(
                inertial.mass, inertial.com, inertial.inertia + armature * np.eye(3)
            )
        set_inertial(body, inertial)

    compiler = spec.compiler
    compiler.boundmass = 0.0
    compiler.boundinertia = 0.0
    compiler.settotalmass = -1.0
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def _moves_alone(model: mujoco.MjModel, inertials: Any, body: int, options: AssetOptions) -> bool:
    """Whether the body moves and no body welded to it has mass."""
    root = body == 1
    if model.body_jntnum[body] == 0 and not (root and not options.fix_base_link):
        return False
    welded = {body}
    for child in range(body + 1, model.nbody):
        if model.body_parentid[child] in welded and model.body_jntnum[child] == 0:
            welded.add(child)
            if inertials[model.body(child).name].mass > _PROBE_MASS:
                return False
    return True
