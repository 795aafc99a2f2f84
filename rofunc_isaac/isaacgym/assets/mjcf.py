"""Import of MJCF files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import List, Set

import mujoco

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym._properties import ActuatorProperties
from rofunc_isaac.isaacgym.assets.asset import UNLIMITED, Actuator, Asset, AssetError
from rofunc_isaac.isaacgym.assets.inertia import override_by_geoms, state_inertials
from rofunc_isaac.isaacgym.assets.mjcf_clean import clean_mjcf, unique_name
from rofunc_isaac.isaacgym.assets.neighbours import exclude_neighbours_of_base
from rofunc_isaac.isaacgym.assets.tables import describe

EMPTY_RANGE = 1e-5
"""Half-width, in the joint's unit (rad or m), given to a limited joint whose range is empty."""


def load_mjcf(path: Path, options: AssetOptions) -> Asset:
    """Load an MJCF file.

    A mass or density that the file states counts; `options.density` replaces only MuJoCo's default
    of 1000 kg/m^3 for geoms without either. As in MuJoCo, geoms that never collide add to the mass.
    `options.armature` goes to the DOFs that state none (with `use_physx_armature`) or to the
    inertias. `collapse_fixed_joints` changes nothing here: bodies without a joint stay bodies of
    their own.

    Raises AssetError, whose text says which element is at fault.
    """
    tree = clean_mjcf(path)
    _default_density(tree, options.density)
    kinds = [element.tag for section in tree.findall("actuator") for element in section]
    try:
        spec = mujoco.MjSpec.from_string(ET.tostring(tree, encoding="unicode"))
        _check_joints(path, spec)
        _mend_ranges(spec)
        if options.replace_cylinder_with_capsule:
            for geom in spec.geoms:
                if geom.type == mujoco.mjtGeom.mjGEOM_CYLINDER:
                    geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
        _name_tendons(spec)
        if options.override_com or options.override_inertia:
            override_by_geoms(spec, options.override_com, options.override_inertia)
        state_inertials(spec, options, str(path))
        exclude_neighbours_of_base(spec)
        actuators = _read_actuators(spec.compile(), kinds)
        for element in list(spec.actuators):
            spec.delete(element)
        for joint in spec.joints:
            if options.use_physx_armature and joint.armature == 0.0:
                joint.armature = options.armature
        for body in spec.bodies[1:]:
            if options.disable_gravity:
                body.gravcomp = 1.0
        return describe(tree.get("model") or path.stem, spec, options, actuators)
    except ValueError as error:
        if isinstance(error, AssetError):
            raise
        raise AssetError(f"{path}: MuJoCo does not accept the model: {error}") from error


def _default_density(tree: ET.Element, density: float) -> None:
    """Make `density` the main default class's, unless the file gives that class one."""
    for section in tree.findall("default"):
        for geom in section.findall("geom"):
            if geom.get("density") is not None:
                return
    section = ET.Element("default")
    ET.SubElement(section, "geom", density=repr(density))
    tree.insert(0, section)


def _check_joints(path: Path, spec: mujoco.MjSpec) -> None:
    for joint in spec.joints:
        if joint.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            kind = "free" if joint.type == mujoco.mjtJoint.mjJNT_FREE else "ball"
            raise AssetError(
                f"{path}: joint {joint.name!r} is a {kind} joint below the root body; only hinge "
                f"and slide "
                "joints are supported there. Replace a ball joint by three hinges"
            )


def _mend_ranges(spec: mujoco.MjSpec) -> None:
    """Swap inverted ranges and give empty ones of limited joints a width that MuJoCo accepts."""
    for joint in spec.joints:
        lower, upper = joint.range
        limited = int(joint.limited) == int(mujoco.mjtLimited.mjLIMITED_TRUE)
        if lower > upper:
            joint.range = [upper, lower]
        elif limited and lower == upper:
            joint.range = [lower - EMPTY_RANGE, upper + EMPTY_RANGE]


def _name_tendons(spec: mujoco.MjSpec) -> None:
    taken: Set[str] = {tendon.name for tendon in spec.tendons}
    for tendon in spec.tendons:
        if not tendon.name:
            tendon.name = unique_name("tendon", taken)
            taken.add(tendon.name)


def _read_actuators(model: mujoco.MjModel, kinds: List[str]) -> List[Actuator]:
    joint_transmissions = (
        int(mujoco.mjtTrn.mjTRN_JOINT),
        int(mujoco.mjtTrn.mjTRN_JOINTINPARENT),
    )
    actuators = []
    for i, kind in enumerate(kinds):
        on_joint = int(model.actuator_trntype[i]) in joint_transmissions
        joint = model.joint(model.actuator_trnid[i, 0]).name if on_joint else ""
        control_limited = bool(model.actuator_ctrllimited[i])
        force_limited = bool(model.actuator_forcelimited[i])
        control = model.actuator_ctrlrange[i] if control_limited else (-UNLIMITED, UNLIMITED)
        force = model.actuator_forcerange[i] if force_limited else (-UNLIMITED, UNLIMITED)
        stiffness, damping = -model.actuator_biasprm[i, 1:3]
        if kind == "general":
            kind = "position" if stiffness > 0.0 else "velocity" if damping > 0.0 else "motor"
        servo = kind in ("position", "velocity", "intvelocity")
        properties = ActuatorProperties()
        properties.type = kind
        properties.motor_effort = model.actuator_gear[i, 0] if kind == "motor" else force[1]
        properties.kp, properties.kv = (stiffness, damping) if servo else (0.0, 0.0)
        properties.control_limited, properties.force_limited = control_limited, force_limited
        properties.lower_control_limit, properties.upper_control_limit = control
        properties.lower_force_limit, properties.upper_force_limit = force
        actuators.append(Actuator(model.actuator(i).name or joint, joint, properties))
    return actuators
