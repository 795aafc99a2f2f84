"""Reading a URDF file into links and joints."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np

from rofunc_isaac.isaacgym.assets.asset import AssetError, AssetWarning
from rofunc_isaac.isaacgym.assets.meshes import LOADABLE_MESHES, find_mesh
from rofunc_isaac.isaacgym.assets.rotations import quat_of_rpy, rotation_of
from rofunc_isaac.isaacgym.assets.urdf_model import Joint, Link, Robot, Shape, StatedInertial

_JOINT_KINDS = ("fixed", "revolute", "continuous", "prismatic")


def parse_urdf(path: Path) -> Robot:
    """Parse a URDF; raises AssetError naming the element for whatever cannot be understood."""
    try:
        root = ET.parse(str(path)).getroot()
    except ET.ParseError as error:
        raise AssetError(f"{path}: not well-formed XML ({error}); mend the file there") from error
    if root.tag != "robot":
        raise AssetError(f"{path}: the top element is <{root.tag}>, a URDF begins with <robot>")
    colors = _named_colors(root, path)
    links: Dict[str, Link] = {}
    left_out: List[str] = []
    for element in root.findall("link"):
        link = _parse_link(element, colors, path, left_out)
        if link.name in links:
            raise AssetError(f"{path}: two links are called {link.name!r}; rename one of them")
        links[link.name] = link
    if left_out:
        warnings.warn(
            f"{path}: {len(left_out)} visual shapes are left out: their mesh files are missing "
            f"or not one of {', '.join(LOADABLE_MESHES)}: {', '.join(left_out)}",
            AssetWarning,
            stacklevel=2,
        )
    joints = [_parse_joint(element, links, path) for element in root.findall("joint")]
    _check_tree(links, joints, path)
    children = {joint.child for joint in joints}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        raise AssetError(
            f"{path}: exactly one link must be no joint's child (the root), found {len(roots)}: "
            f"{', '.join(roots) or 'none'}. Connect the links by joints into one tree"
        )
    return Robot(root.get("name") or path.stem, path, roots[0], links, joints)


def _check_tree(links: Dict[str, Link], joints: List[Joint], path: Path) -> None:
    names, parents = set(), {}
    for joint in joints:
        if joint.name in names:
            raise AssetError(f"{path}: two joints are called {joint.name!r}; rename one of them")
        names.add(joint.name)
        if joint.child in parents:
            raise AssetError(
                f"{path}: link {joint.child!r} is the child of two joints; a URDF must be a tree"
            )
        parents[joint.child] = joint.parent
    for name in links:
        seen = set()
        while name in parents:
            if name in seen:
                raise AssetError(f"{path}: the joints around link {name!r} form a loop; cut it")
            seen.add(name)
            name = parents[name]


def _numbers(text: str, count: int, where: str) -> np.ndarray:
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError as error:
        raise AssetError(f"{where}: {text!r} is not a list of numbers") from error
    if values.shape != (count,):
        raise AssetError(f"{where}: {text!r} should hold {count} number(s)")
    return values


def _number(element: Optional[ET.Element], attribute: str, where: str) -> Optional[float]:
    """An optional scalar attribute of an optional element."""
    if element is None or element.get(attribute) is None:
        return None
    return float(_numbers(element.get(attribute, ""), 1, f"{where}: {attribute}")[0])


def _origin(parent: ET.Element, where: str) -> Tuple[np.ndarray, np.ndarray]:
    element = parent.find("origin")
    if element is None:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    pos = _numbers(element.get("xyz", "0 0 0"), 3, f"{where}: origin xyz")
    rpy = _numbers(element.get("rpy", "0 0 0"), 3, f"{where}: origin rpy")
    return pos, quat_of_rpy(rpy)


def _named_colors(root: ET.Element, path: Path) -> Dict[str, List[float]]:
    colors = {}
    for material in root.iter("material"):
        color = material.find("color")
        if color is not None and material.get("name"):
            where = f"{path}: material {material.get('name')!r}"
            colors[material.get("name", "")] = list(_numbers(color.get("rgba", ""), 4, where))
    return colors


def _parse_link(
    element: ET.Element, colors: Dict[str, List[float]], path: Path, left_out: List[str]
) -> Link:
    name = element.get("name")
    if not name:
        raise AssetError(f"{path}: a <link> has no name; give it one")
    where = f"{path}: link {name!r}"
    link = Link(name, _parse_inertial(element.find("inertial"), where))
    for collision in element.findall("collision"):
        shape = _parse_shape(collision, path, f"{where} collision")
        if shape is not None:
            link.collisions.append(shape)
    for visual in element.findall("visual"):
        shape = _parse_shape(visual, path, f"{where} visual", left_out)
        if shape is None:
            continue
        material = visual.find("material")
        if material is not None:
            color = material.find("color")
            if color is not None:
                shape.rgba = list(_numbers(color.get("rgba", ""), 4, f"{where} color"))
            else:
                shape.rgba = colors.get(material.get("name", ""))
        link.visuals.append(shape)
    return link


def _parse_inertial(element: Optional[ET.Element], where: str) -> StatedInertial:
    stated = StatedInertial()
    if element is None:
        return stated
    where = f"{where} inertial"
    stated.com, quat = _origin(element, where)
    stated.rotation = rotation_of(quat)
    stated.mass = _number(element.find("mass"), "value", f"{where}: mass")
    stated.density = _number(element.find("density"), "value", f"{where}: density")
    if stated.mass is not None and stated.mass < 0.0:
        raise AssetError(f"{where}: mass {stated.mass} kg is negative")
    inertia = element.find("inertia")
    if inertia is not None:
        entries = {
            key: _number(inertia, key, f"{where}: inertia") or 0.0
            for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        }
        stated.inertia = np.array(
            [
                [entries["ixx"], entries["ixy"], entries["ixz"]],
                [entries["ixy"], entries["iyy"], entries["iyz"]],
                [entries["ixz"], entries["iyz"], entries["izz"]],
            ]
        )
    return stated


def _parse_shape(
    element: ET.Element, path: Path, where: str, left_out: Optional[List[str]] = None
) -> Optional[Shape]:
    """A `<collision>` or `<visual>`. With `left_out`, an unusable mesh is noted there: None."""
    pos, quat = _origin(element, where)
    geometry = element.find("geometry")
    kind = geometry[0] if geometry is not None and len(geometry) else None
    if kind is None:
        raise AssetError(f"{where}: <geometry> is missing or empty")

    def number(attribute: str) -> float:
        value = _number(kind, attribute, where)
        if value is None or value <= 0.0:
            raise AssetError(f"{where}: <{kind.tag}> needs a positive {attribute!r}")
        return value

    if kind.tag == "box":
        return Shape("box", list(0.5 * _numbers(kind.get("size", ""), 3, where)), pos, quat)
    if kind.tag == "sphere":
        return Shape("sphere", [number("radius")], pos, quat)
    if kind.tag in ("cylinder", "capsule"):
        return Shape(kind.tag, [number("radius"), 0.5 * number("length")], pos, quat)
    if kind.tag != "mesh":
        raise AssetError(
            f"{where}: <{kind.tag}> is unknown; use box, sphere, cylinder, capsule or mesh"
        )
    name = kind.get("filename", "")
    file = find_mesh(name, [path.parent])
    if file is None or file.suffix.lower() not in LOADABLE_MESHES:
        if left_out is not None:
            left_out.append(name)
            return None
        reason = (
            f"was not found from {path.parent} upwards"
            if file is None
            else f"is not one of {', '.join(LOADABLE_MESHES)}"
        )
        raise AssetError(f"{where}: mesh file {name!r} {reason}; add or convert it")
    scale = list(_numbers(kind.get("scale", "1 1 1"), 3, f"{where}: scale"))
    return Shape("mesh", scale, pos, quat, mesh=str(file))


def _parse_joint(element: ET.Element, links: Dict[str, Link], path: Path) -> Joint:
    name = element.get("name")
    if not name:
        raise AssetError(f"{path}: a <joint> has no name; give it one")
    where = f"{path}: joint {name!r}"
    kind = element.get("type", "")
    if kind not in _JOINT_KINDS:
        raise AssetError(
            f"{where} is of type {kind!r}; supported are {', '.join(_JOINT_KINDS)}. A root moves "
            f"freely by "
            "fix_base_link=False without a floating joint; build planar ones from single joints"
        )
    ends = []
    for end in ("parent", "child"):
        link = element.find(end)
        link_name = link.get("link", "") if link is not None else ""
        if link_name not in links:
            raise AssetError(f"{where}: its {end} link {link_name!r} is not defined")
        ends.append(link_name)
    pos, quat = _origin(element, where)
    axis_element = element.find("axis")
    axis_text = axis_element.get("xyz", "1 0 0") if axis_element is not None else "1 0 0"
    axis = _numbers(axis_text, 3, f"{where}: axis")
    if kind != "fixed" and np.linalg.norm(axis) < 1e-9:
        raise AssetError(f"{where}: its axis is zero; give it a direction")
    if element.find("mimic") is not None:
        warnings.warn(f"{where}: <mimic> is ignored, it moves freely", AssetWarning, stacklevel=2)

    limit, dynamics = element.find("limit"), element.find("dynamics")
    lower, upper = _number(limit, "lower", where), _number(limit, "upper", where)
    if kind == "continuous" or (lower is None and upper is None):
        lower = upper = None
    else:
        # URDF: the default of either limit is 0.
        lower, upper = lower or 0.0, upper or 0.0
    return Joint(
        name=name,
        kind=kind,
        parent=ends[0],
        child=ends[1],
        pos=pos,
        quat=quat,
        axis=axis,
        lower=lower,
        upper=upper,
        effort=_number(limit, "effort", where),
        velocity=_number(limit, "velocity", where),
        damping=_number(dynamics, "damping", where) or 0.0,
        friction=_number(dynamics, "friction", where) or 0.0,
        dont_collapse=element.get("dont_collapse", "false").lower() == "true",
    )
