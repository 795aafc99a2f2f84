"""Assets of one body with one shape: boxes, spheres, capsules."""

from __future__ import annotations

from typing import List, Sequence

import mujoco

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import Asset, AssetError
from rofunc_isaac.isaacgym.assets.inertia import state_inertials
from rofunc_isaac.isaacgym.assets.tables import describe


def box(width: float, height: float, depth: float, options: AssetOptions) -> Asset:
    """Edges along x, y and z, in m, about the origin."""
    half = [0.5 * width, 0.5 * height, 0.5 * depth]
    return _one_shape("box", mujoco.mjtGeom.mjGEOM_BOX, half, options)


def sphere(radius: float, options: AssetOptions) -> Asset:
    """About the origin; `radius` in m."""
    return _one_shape("sphere", mujoco.mjtGeom.mjGEOM_SPHERE, [radius, 0.0, 0.0], options)


def capsule(radius: float, width: float, options: AssetOptions) -> Asset:
    """Along x, about the origin: `width` is the distance of its hemispheres' centres, in m."""
    along_x = (1.0, 0.0, 1.0, 0.0)  # a quarter turn about y; MuJoCo's capsules lie along z
    size = [radius, 0.5 * width, 0.0]
    return _one_shape("capsule", mujoco.mjtGeom.mjGEOM_CAPSULE, size, options, along_x)


def _one_shape(
    kind: str,
    geom: mujoco.mjtGeom,
    size: List[float],
    options: AssetOptions,
    quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
) -> Asset:
    if not all(length >= 0.0 for length in size) or size[0] <= 0.0:
        raise AssetError(f"create_{kind}: its lengths must be positive, in m")
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name=kind, gravcomp=1.0 if options.disable_gravity else 0.0)
    body.add_geom(name=kind, type=geom, size=size, quat=quat, density=options.density)
    state_inertials(spec, options, f"create_{kind}")
    return describe(kind, spec, options)
