"""Assets and bodies of another size, of the same density."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from rofunc_isaac.isaacgym._properties import RigidBodyProperties
from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.assets.tables import mat33, matrix_of


def scaled_asset(asset: Asset, scale: float) -> Asset:
    """`asset` with every length `scale` times as large; what its joints may do stays."""
    spec = asset.spec.copy()
    for body in spec.bodies[1:]:  # but the world
        body.pos *= scale
        body.ipos *= scale
        body.mass *= scale**3
        body.inertia *= scale**5
        body.fullinertia *= scale**5
    for part in (*spec.geoms, *spec.sites):
        part.pos *= scale
        part.size *= scale
        part.fromto *= scale
    for joint in spec.joints:
        joint.pos *= scale
    for mesh in spec.meshes:
        mesh.scale *= scale
    return replace(
        asset,
        spec=spec,
        body_pos=asset.body_pos * scale,
        body_properties=[scaled_body(body, scale) for body in asset.body_properties],
    )


def scaled_body(body: RigidBodyProperties, scale: float) -> RigidBodyProperties:
    """The body made `scale` times as large."""
    result = deepcopy(body)
    result.mass = scale**3 * body.mass
    result.com = body.com * scale
    result.inertia = mat33(scale**5 * matrix_of(body.inertia))
    return result
