"""Loading a robot file by its suffix."""

from __future__ import annotations

import os
from pathlib import Path

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import Asset, AssetError
from rofunc_isaac.isaacgym.assets.mjcf import load_mjcf
from rofunc_isaac.isaacgym.assets.urdf import load_urdf


def load_asset(
    root: str, file: str, options: AssetOptions, urdf_sibling_order: str = "joint_name"
) -> Asset:
    """Load `root/file` (`.xml` and `.mjcf` are MJCF, `.urdf` is URDF).

    Args:
        root: folder; `file` is relative to it.
        file: the robot file.
        options: an `AssetOptions`; only its attributes are read.
        urdf_sibling_order: order of the joints that leave one URDF link: `joint_name` sorts them by
            name, as NVIDIA's importers do, which keep joints in a sorted map; `declaration` keeps
            the file's order.

    Raises:
        AssetError: the file is missing, malformed, or uses what cannot be simulated.
    """
    path = Path(os.path.abspath(os.path.join(root, file)))
    if not path.is_file():
        raise AssetError(
            f"no robot file at {path}; check the asset root {root!r} and the file name"
        )
    suffix = path.suffix.lower()
    if suffix in (".xml", ".mjcf"):
        return load_mjcf(path, options)
    if suffix == ".urdf":
        return load_urdf(path, options, urdf_sibling_order)
    raise AssetError(f"{path}: unknown kind of robot file {suffix!r}; use .xml, .mjcf or .urdf")
