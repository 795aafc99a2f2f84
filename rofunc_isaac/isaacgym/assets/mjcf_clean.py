"""An MJCF file as an XML tree that holds one robot and nothing of the scene around it."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Dict, List, Set

from rofunc_isaac.isaacgym.assets.asset import AssetError, AssetWarning
from rofunc_isaac.isaacgym.assets.meshes import LOADABLE_MESHES, find_mesh

# Top-level sections about simulation, display or measurement. Gym has calls of its own for them.
_DROPPED_SECTIONS = (
    "option",
    "size",
    "visual",
    "statistic",
    "custom",
    "keyframe",
    "sensor",
)
# Compiler attributes whose work is done here (paths), that MuJoCo no longer knows, or that lose
# names.
_DROPPED_COMPILER = (
    "meshdir",
    "assetdir",
    "texturedir",
    "strippath",
    "coordinate",
    "discardvisual",
    "fusestatic",
    "saveinertial",
)
_POSE = ("pos", "quat", "axisangle", "euler", "xyaxes", "zaxis")
_KIND_OF_TAG = {
    "body": "body",
    "joint": "joint",
    "freejoint": "joint",
    "geom": "geom",
    "site": "site",
}
# Kind of element -> the attributes by which others name it.
_REFERENCES = {
    "body": ("body", "body1", "body2"),
    "joint": ("joint", "joint1", "joint2", "jointinparent"),
    "geom": ("geom", "geom1", "geom2"),
    "site": ("site", "site1", "site2", "refsite", "cranksite", "slidersite", "sidesite"),
}


def clean_mjcf(path: Path) -> ET.Element:
    """Read `path` with its includes and reduce it to its robot.

    Dropped: simulation and display sections, textures, lights, cameras, everything in the world
        that is not a body, the pose and the joints of the root body (a Gym root moves as
        `fix_base_link` says, and its pose is the actor's), references to materials that are not
        defined, and whatever refers to a dropped element. Repeated names get a number. Mesh paths
        become absolute.

    Raises AssetError: unreadable XML, no or several root bodies, missing mesh of a collision geom.
    """
    root = _read(path, path.parent, ())
    if root.tag != "mujoco":
        raise AssetError(f"{path}: the top element is <{root.tag}>, an MJCF begins with <mujoco>")
    mesh_folders = _take_compiler_paths(path, root)
    for section in list(root):
        if section.tag in _DROPPED_SECTIONS:
            root.remove(section)
    _remove_everywhere(root, ("light", "camera"))
    _clean_materials(root)
    dropped = _isolate_root_body(path, root)
    _make_names_unique(path, root)
    dropped["mesh"] = _resolve_meshes(path, root, mesh_folders)
    _drop_references(root, dropped)
    return root


def _read(path: Path, main_folder: Path, including: tuple) -> ET.Element:
    """Parse a file and put the children of included files in place of each `<include>`."""
    if path in including:
        raise AssetError(f"{path}: includes itself; remove the <include> that leads back to it")
    try:
        root = ET.parse(str(path)).getroot()
    except ET.ParseError as error:
        raise AssetError(f"{path}: not well-formed XML ({error}); mend the file there") from error
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag != "include":
                continue
            name = child.get("file", "")
            # MuJoCo's rule is the main file's folder; the including file's own is common as well.
            found = [f / name for f in (main_folder, path.parent) if (f / name).is_file()]
            if not found:
                raise AssetError(
                    f"{path}: <include file={name!r}> is neither in {main_folder} nor in "
                    f"{path.parent}"
                )
            at = list(parent).index(child)
            parent.remove(child)
            included = _read(found[0].resolve(), main_folder, (*including, path))
            for offset, element in enumerate(list(included)):
                parent.insert(at + offset, element)
    return root


def _take_compiler_paths(path: Path, root: ET.Element) -> List[Path]:
    """Take paths and dead attributes off `<compiler>`; returns where meshes may lie."""
    folders: List[Path] = []
    for compiler in root.findall("compiler"):
        if compiler.get("coordinate", "local") != "local":
            raise AssetError(
                f"{path}: <compiler coordinate={compiler.get('coordinate')!r}> is no longer "
                f"supported "
                "by MuJoCo; convert the model to local coordinates"
            )
        folder = compiler.get("meshdir", compiler.get("assetdir"))
        if folder is not None:
            folders.insert(0, (path.parent / folder).resolve())
        for attribute in _DROPPED_COMPILER:
            compiler.attrib.pop(attribute, None)
    return [*folders, path.parent]


def _remove_everywhere(root: ET.Element, tags: tuple) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in tags:
                parent.remove(child)


def _clean_materials(root: ET.Element) -> None:
    """Drop textures, and references to them and to materials that no asset section defines."""
    for asset in root.findall("asset"):
        for texture in asset.findall("texture"):
            asset.remove(texture)
    defined = set()
    for material in root.iter("material"):
        material.attrib.pop("texture", None)
        for layer in list(material):
            material.remove(layer)
        defined.add(material.get("name"))
    for element in root.iter():
        if element.tag != "material" and element.get("material", "") not in defined:
            element.attrib.pop("material", None)


def _isolate_root_body(path: Path, root: ET.Element) -> Dict[str, Set[str]]:
    """Leave one bare root body in one worldbody. Returns the dropped names by kind of element."""
    dropped: Dict[str, Set[str]] = {kind: set() for kind in _REFERENCES}
    dropped["body"].add("world")
    bodies: List[ET.Element] = []
    for world in root.findall("worldbody"):
        root.remove(world)
        _collect_root_bodies(world, world.get("childclass"), bodies, dropped)
    if len(bodies) != 1:
        names = ", ".join(body.get("name", "(no name)") for body in bodies) or "none"
        raise AssetError(
            f"{path}: <worldbody> must hold exactly one root body, found {len(bodies)}: {names}. "
            "Put each robot in a file of its own, or join the bodies under one"
        )
    body = bodies[0]
    for attribute in (*_POSE, "mocap"):
        body.attrib.pop(attribute, None)
    for joint in [child for child in body if _KIND_OF_TAG.get(child.tag) == "joint"]:
        body.remove(joint)
        dropped["joint"].add(joint.get("name", ""))
        if joint.tag == "joint" and joint.get("type") != "free":
            warnings.warn(
                f"{path}: joint {joint.get('name')!r} of the root body {body.get('name')!r} is "
                f"ignored, as "
                "Isaac Gym does; put the jointed part into a child body to keep it",
                AssetWarning,
                stacklevel=2,
            )
    world = ET.SubElement(root, "worldbody")
    world.append(body)
    return dropped


def _collect_root_bodies(
    parent: ET.Element, childclass: object, bodies: List[ET.Element], dropped: Dict[str, Set[str]]
) -> None:
    """Bodies of the world, also those in `<frame>`s, whose pose does not matter for a root."""
    for child in parent:
        if child.tag == "frame":
            _collect_root_bodies(child, child.get("childclass", childclass), bodies, dropped)
        elif child.tag == "body":
            if isinstance(childclass, str):
                child.attrib.setdefault("childclass", childclass)
            bodies.append(child)
        elif child.tag in _KIND_OF_TAG:
            dropped[_KIND_OF_TAG[child.tag]].add(child.get("name", ""))


def _make_names_unique(path: Path, root: ET.Element) -> None:
    """Name what has no name and number repeated names (MuJoCo refuses those, Isaac Gym does
    not)."""
    taken: Dict[str, Set[str]] = {kind: set() for kind in _REFERENCES}
    taken["body"].add("world")
    world = root.find("worldbody")
    assert world is not None
    for element in world.iter():
        if element.tag in _KIND_OF_TAG and element.get("name"):
            kind, name = _KIND_OF_TAG[element.tag], element.get("name", "")
            if name in taken[kind]:
                element.set("name", unique_name(name, taken[kind]))
                warnings.warn(
                    f"{path}: a second {kind} is called {name!r}; it becomes "
                    f"{element.get('name')!r}",
                    AssetWarning,
                    stacklevel=2,
                )
            taken[kind].add(element.get("name", ""))
    for parent in world.iter():
        for child in parent:
            if child.tag in ("body", "joint", "geom") and not child.get("name"):
                owner = parent.get("name") or "body"
                base = "body" if child.tag == "body" else f"{owner}_{child.tag}"
                child.set("name", unique_name(base, taken[child.tag]))
                taken[child.tag].add(child.get("name", ""))


def unique_name(base: str, taken: Set[str]) -> str:
    """`base`, or `base_1`, `base_2`, ...: the first that is not in `taken`."""
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _resolve_meshes(path: Path, root: ET.Element, folders: List[Path]) -> Set[str]:
    """Make mesh paths absolute. Meshes for display that cannot be read go, with their geoms."""
    missing: Dict[str, str] = {}
    for asset in root.findall("asset"):
        for mesh in asset.findall("mesh"):
            file = mesh.get("file")
            if file is None:
                continue
            mesh.set("name", mesh.get("name", Path(file).stem))
            found = find_mesh(file, folders)
            if found is not None and found.suffix.lower() in LOADABLE_MESHES:
                mesh.set("file", str(found))
                continue
            reason = "does not exist" if found is None else f"is not one of {LOADABLE_MESHES}"
            missing[mesh.get("name", "")] = f"{file!r} {reason}"
            asset.remove(mesh)

    for parent in root.iter():
        for geom in [g for g in parent if g.tag == "geom" and g.get("mesh") in missing]:
            name, mesh_name = geom.get("name"), geom.get("mesh", "")
            if geom.get("contype") != "0" or geom.get("conaffinity") != "0":
                raise AssetError(
                    f"{path}: mesh {mesh_name!r} of geom {name!r} cannot be used, its file "
                    f"{missing[mesh_name]}; searched from {folders[0]} upwards. Add or convert "
                    f"the file"
                )
            warnings.warn(
                f"{path}: visual geom {name!r} is left out, its mesh file {missing[mesh_name]}",
                AssetWarning,
                stacklevel=2,
            )
            parent.remove(geom)
    return set(missing)


def _drop_references(root: ET.Element, dropped: Dict[str, Set[str]]) -> None:
    """Remove contacts, equalities, tendon parts and actuators that name a dropped element."""

    def names_dropped(element: ET.Element) -> bool:
        return any(
            element.get(attribute) in dropped[kind]
            for kind, attributes in _REFERENCES.items()
            for attribute in attributes
            if element.get(attribute)
        )

    gone_tendons = set()
    for section in root.findall("tendon"):
        for tendon in list(section):
            for part in list(tendon):
                if names_dropped(part):
                    tendon.remove(part)
            if len(tendon) == 0:
                section.remove(tendon)
                gone_tendons.add(tendon.get("name"))
    for tag in ("contact", "equality", "actuator"):
        for section in root.findall(tag):
            for element in list(section):
                if names_dropped(element) or (
                    element.get("tendon") is not None and element.get("tendon") in gone_tendons
                ):
                    section.remove(element)
