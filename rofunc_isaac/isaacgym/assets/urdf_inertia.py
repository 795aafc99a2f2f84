"""The mass properties of URDF links, from what is stated and from the collision shapes."""

from __future__ import annotations

import warnings
from typing import Dict, List, Optional

import mujoco
import numpy as np

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import AssetError, AssetWarning
from rofunc_isaac.isaacgym.assets.inertia import (
    GYRATION_RADIUS,
    Inertial,
    compact_inertia,
    of_model_body,
    repaired,
)
from rofunc_isaac.isaacgym.assets.urdf_model import Link, Robot, Shape
from rofunc_isaac.isaacgym.assets.urdf_shapes import add_shape


def resolve_inertials(robot: Robot, options: AssetOptions) -> None:
    """Set `inertial` of each link, in the link's frame; the rules are those of `load_urdf`."""
    for link in robot.links.values():
        where = f"{robot.path}: link {link.name!r}"
        link.inertial = _resolve(link, options, where)


def repair_inertials(robot: Robot) -> None:
    """Make each link's inertial a physical one; after merging, which may mend a part's fault."""
    for link in robot.links.values():
        assert link.inertial is not None
        link.inertial = repaired(link.inertial, f"{robot.path}: link {link.name!r}")


def _resolve(link: Link, options: AssetOptions, where: str) -> Inertial:
    stated = link.stated
    if stated.mass == 0.0:
        return _massless()
    if stated.mass is None:
        density = options.density if stated.density is None else stated.density
        return _of_shapes(link.collisions, density, where) or _massless()
    computed = None
    if stated.inertia is None or options.override_com or options.override_inertia:
        computed = _of_shapes(link.collisions, 1.0, where)
    com = stated.com
    if options.override_com and computed is not None:
        com = computed.com
    if stated.inertia is not None and (not options.override_inertia or computed is None):
        inertia = stated.rotation @ stated.inertia @ stated.rotation.T
    elif computed is not None:
        inertia = computed.inertia * (stated.mass / computed.mass)
    else:
        warnings.warn(
            f"{where} states a mass of {stated.mass} kg but neither an <inertia> nor a collision "
            f"shape to "
            f"compute it from; a gyration radius of {GYRATION_RADIUS} m is used",
            AssetWarning,
            stacklevel=2,
        )
        inertia = compact_inertia(stated.mass)
    return Inertial(stated.mass, com, inertia)


def _massless() -> Inertial:
    return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))


def _of_shapes(shapes: List[Shape], density: float, where: str) -> Optional[Inertial]:
    """What MuJoCo computes for shapes of a density in kg/m^3; None without shapes or density."""
    if not shapes or density <= 0.0:
        return None
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="link")
    mesh_names: Dict[tuple, str] = {}
    for shape in shapes:
        add_shape(body, spec, shape, mesh_names).density = density
    try:
        return of_model_body(spec.compile(), 1)
    except ValueError as error:
        raise AssetError(
            f"{where}: MuJoCo does not accept its collision shapes: {error}"
        ) from error
