"""Assets that one compiled model can serve: the same but for sizes, places and masses.

Randomised objects are often a file each, hundreds of boxes of other proportions in one simulation.
A model for each would take long to compile, and much memory beside a robot's meshes; but a world
may have sizes and masses of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Dict, List, Tuple

import mujoco
import numpy as np

from rofunc_isaac.isaacgym.assets.asset import Asset

PLACES = ("body_pos", "body_quat")
"""Of bodies in their parents; the root's is where it is put."""

BODY_FIELDS = (*PLACES, "body_mass", "body_ipos", "body_iquat", "body_inertia")
SHAPE_FIELDS = ("geom_size", "geom_pos", "geom_quat", "geom_rbound", "geom_aabb")
OWN_FIELDS = (*BODY_FIELDS, *SHAPE_FIELDS)
"""Model fields that worlds of one model may have of their own. Only of assets without DOFs:
whether a drive is stable is decided for a model."""

_DERIVED = (
    *("body_subtreemass", "body_invweight0", "body_sameframe", "body_simple", "geom_sameframe"),
    *("bvh_aabb", "bvh_child", "bvh_depth", "bvh_nodeid"),
)
"""What follows from the fields above. MuJoCo's tree of bounding boxes (bvh) does not follow when
worlds differ, and is switched off."""

_LOOKS = ("geom_rgba", "geom_matid", "geom_group", "mat_", "tex_", "name", "_sizes")
"""Beginnings of the names of fields that no physics depends on."""


@dataclass
class Constants:
    """What the physics of an asset depends on.

    Assets with one `signature` can share a model, in which each has its own `fields`: (bodies,
    ...) for BODY_FIELDS and (shapes, ...) for SHAPE_FIELDS, in the asset's order.
    """

    signature: bytes
    fields: Dict[str, np.ndarray]


def constants_of(asset: Asset) -> Constants:
    """Compiles the asset by itself, without what is only to be looked at."""
    spec = asset.spec.copy()
    for name in asset.shape_names:
        geom = spec.geom(name)
        geom.contype = geom.conaffinity = 1  # so that it counts as more than a look
    spec.compiler.discardvisual = True
    model = spec.compile()
    bodies = [model.body(name).id for name in asset.body_names]
    shapes = [model.geom(name).id for name in asset.shape_names]
    fields = {name: getattr(model, name)[bodies] for name in BODY_FIELDS}
    fields.update({name: getattr(model, name)[shapes] for name in SHAPE_FIELDS})
    return Constants(_signature(asset, model), fields)


def _signature(asset: Asset, model: mujoco.MjModel) -> bytes:
    free = _DERIVED if asset.dof_names else (*_DERIVED, *OWN_FIELDS)
    options = asset.options
    digest = hashlib.sha256()
    for part in (
        *(asset.body_names, asset.shape_names, asset.dof_names, asset.joint_names, asset.floating),
        *(options.linear_damping, options.angular_damping),
    ):
        digest.update(repr(part).encode())
    for name, values in _arrays(model):
        if values.size and name not in free and not name.startswith(_LOOKS):
            digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.digest()


def _arrays(model: mujoco.MjModel) -> List[Tuple[str, np.ndarray]]:
    values = [(name, getattr(model, name)) for name in dir(model) if not name.startswith("__")]
    return [(name, value) for name, value in values if isinstance(value, np.ndarray)]
