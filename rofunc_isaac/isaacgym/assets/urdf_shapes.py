"""Shapes of URDF links as MjSpec geoms."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import mujoco
import numpy as np

from rofunc_isaac.isaacgym.assets.mjcf_clean import unique_name
from rofunc_isaac.isaacgym.assets.urdf_model import Shape


def add_shape(
    body: mujoco.MjsBody, spec: mujoco.MjSpec, shape: Shape, mesh_names: Dict[tuple, str]
) -> mujoco.MjsGeom:
    """Add a geom for `shape`. `mesh_names` maps (file, scale) to mesh assets already in `spec`."""
    geom = body.add_geom(pos=shape.pos, quat=shape.quat)
    if shape.kind == "mesh":
        key = (shape.mesh, *shape.size)
        if key not in mesh_names:
            mesh_names[key] = unique_name(Path(shape.mesh).stem, set(mesh_names.values()))
            # The mass properties of the convex hull, which is the shape that collides: it exists
            # for open and inconsistently oriented surfaces too.
            spec.add_mesh(
                name=mesh_names[key],
                file=shape.mesh,
                scale=shape.size,
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
            )
        geom.type = mujoco.mjtGeom.mjGEOM_MESH
        geom.meshname = mesh_names[key]
        return geom
    geom.type = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    }[shape.kind]
    size: List[float] = [*shape.size, 0.0, 0.0, 0.0]
    geom.size = np.array(size[:3])
    return geom
