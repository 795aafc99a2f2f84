"""Finding the mesh files that a robot file names."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Sequence

LOADABLE_MESHES = (".obj", ".stl", ".msh")
"""Mesh formats that MuJoCo reads."""


def find_mesh(name: str, folders: Sequence[Path]) -> Optional[Path]:
    """The file that `name` means, or None.

    Prefixes `package://` and `file://` are taken off. An absolute path counts as it is. Otherwise
    each folder of `folders` is tried, then its parents one after another, because a robot's package
    root is some folder above the robot file. For `package://robot/meshes/a.stl` the path is tried
    with and without its first part, since the package's folder may have another name.
    """
    relative = name
    for prefix in ("package://", "file://"):
        if relative.startswith(prefix):
            relative = relative[len(prefix) :]
    if Path(relative).is_absolute():
        return Path(relative) if Path(relative).is_file() else None
    tails = [Path(relative)]
    if name.startswith("package://") and len(tails[0].parts) > 1:
        tails.append(Path(*tails[0].parts[1:]))
    for folder in folders:
        for place in (folder, *folder.parents):
            for tail in tails:
                if (place / tail).is_file():
                    return (place / tail).resolve()
    return None
