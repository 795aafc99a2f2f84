"""Import of URDF files: XML -> links and joints -> MjSpec.

MuJoCo's own URDF reader is not used: it fuses links without joints and loses their names.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Dict, Set

import mujoco

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import Asset, AssetError, AssetWarning
from rofunc_isaac.isaacgym.assets.inertia import set_inertial, state_inertials
from rofunc_isaac.isaacgym.assets.mjcf_clean import unique_name
from rofunc_isaac.isaacgym.assets.neighbours import exclude_neighbours_of_base
from rofunc_isaac.isaacgym.assets.tables import describe
from rofunc_isaac.isaacgym.assets.urdf_collapse import collapse_fixed_joints
from rofunc_isaac.isaacgym.assets.urdf_inertia import repair_inertials, resolve_inertials
from rofunc_isaac.isaacgym.assets.urdf_model import Joint, Link, Robot, Shape
from rofunc_isaac.isaacgym.assets.urdf_parse import parse_urdf
from rofunc_isaac.isaacgym.assets.urdf_shapes import add_shape

EMPTY_RANGE = 1e-6
"""Half-width, in rad or m, given to a joint whose lower and upper limits are equal."""

_COLLISION_GROUP, _VISUAL_GROUP = 3, 2


def load_urdf(path: Path, options: AssetOptions, sibling_order: str = "joint_name") -> Asset:
    """Load a URDF file.

    Masses: what `<inertial>` states counts. A mass without an inertia takes the inertia of the
    collision shapes scaled to that mass, about the stated centre of mass (the link's origin when
    not stated). `<density>` in `<inertial>`, else `options.density`, serves links without a mass.
    Impossible inertias are repaired, with an `AssetWarning`.

    Joints: a revolute joint with neither `lower` nor `upper` is unlimited; inverted limits are
    swapped. `<mimic>` is ignored, as Isaac Gym does: both joints move on their own. Floating and
    planar joints are refused. `<dynamics>` (damping, friction) and `<limit>` (effort, velocity)
    fill the DOF table. With `collapse_fixed_joints`, links behind fixed joints without
    `dont_collapse="true"` become parts of their parents.

    With `vhacd_enabled` an `AssetWarning` says that a mesh is not taken apart.

    `flip_visual_attachments` has no effect: it turns display meshes only.

    Raises AssetError, whose text says which element is at fault.
    """
    if sibling_order not in ("joint_name", "declaration"):
        raise AssetError(
            f"urdf_sibling_order={sibling_order!r}: choose 'joint_name' or 'declaration'"
        )
    robot = parse_urdf(path)
    if options.replace_cylinder_with_capsule:
        for link in robot.links.values():
            for shape in link.collisions:
                if shape.kind == "cylinder":
                    shape.kind = "capsule"
    if options.vhacd_enabled:
        warn_of_hulls(robot)
    resolve_inertials(robot, options)
    if options.collapse_fixed_joints:
        collapse_fixed_joints(robot)
    repair_inertials(robot)

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.modelname = robot.name
    fixed_joints = _SpecBuilder(robot, spec, options, sibling_order).build()
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    try:
        state_inertials(spec, options, str(path))
        exclude_neighbours_of_base(spec)
        return describe(
            robot.name,
            spec,
            options,
            fixed_joints=fixed_joints,
            effort={j.name: j.effort for j in moving if j.effort is not None},
            velocity={j.name: j.velocity for j in moving if j.velocity is not None},
        )
    except ValueError as error:
        raise AssetError(f"{path}: MuJoCo does not accept the model: {error}") from error


def warn_of_hulls(robot: Robot) -> None:
    links = [
        link.name
        for link in robot.links.values()
        if any(shape.kind == "mesh" for shape in link.collisions)
    ]
    if links:
        warnings.warn(
            f"{robot.path}: vhacd_enabled has no effect: the meshes of {', '.join(links)} collide "
            "as one convex hull each, and what is hollow is full",
            AssetWarning,
            stacklevel=3,
        )


class _SpecBuilder:
    """Adds the links of a robot to a spec, depth first."""

    def __init__(
        self, robot: Robot, spec: mujoco.MjSpec, options: AssetOptions, sibling_order: str
    ) -> None:
        self.robot = robot
        self.spec = spec
        self.options = options
        self.sort_siblings = sibling_order == "joint_name"
        self.geom_names: Set[str] = set()
        self.mesh_names: Dict[tuple, str] = {}
        self.fixed_joints: Dict[str, str] = {}

    def build(self) -> Dict[str, str]:
        """Returns body name -> name of the fixed joint that holds it."""
        body = self.spec.worldbody.add_body(name=self.robot.root)
        self._fill(body, self.robot.links[self.robot.root])
        return self.fixed_joints

    def _fill(self, body: mujoco.MjsBody, link: Link) -> None:
        assert link.inertial is not None
        if link.inertial.mass > 0.0:
            set_inertial(body, link.inertial)
        else:
            body.explicitinertial = True
        body.gravcomp = 1.0 if self.options.disable_gravity else 0.0
        for shape in link.collisions:
            self._add_geom(body, link.name, shape, visual=False, group=bool(link.visuals))
        for shape in link.visuals:
            self._add_geom(body, link.name, shape, visual=True, group=True)

        children = [joint for joint in self.robot.joints if joint.parent == link.name]
        if self.sort_siblings:
            children.sort(key=lambda joint: joint.name)
        for joint in children:
            child = body.add_body(name=joint.child, pos=joint.pos, quat=joint.quat)
            self._add_joint(child, joint)
            self._fill(child, self.robot.links[joint.child])

    def _add_joint(self, body: mujoco.MjsBody, joint: Joint) -> None:
        if joint.kind == "fixed":
            self.fixed_joints[joint.child] = joint.name
            return
        hinge = joint.kind in ("revolute", "continuous")
        element = body.add_joint(
            name=joint.name,
            type=mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE,
            axis=joint.axis,
            frictionloss=joint.friction,
            armature=self.options.armature if self.options.use_physx_armature else 0.0,
            limited=mujoco.mjtLimited.mjLIMITED_FALSE,
        )
        element.damping = [joint.damping, 0.0, 0.0]
        if joint.lower is not None and joint.upper is not None:
            lower, upper = sorted((joint.lower, joint.upper))
            if lower == upper:
                lower, upper = lower - EMPTY_RANGE, upper + EMPTY_RANGE
            element.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            element.range = [lower, upper]

    def _add_geom(
        self, body: mujoco.MjsBody, link: str, shape: Shape, visual: bool, group: bool
    ) -> None:
        name = unique_name(f"{link}_{'visual' if visual else 'collision'}", self.geom_names)
        self.geom_names.add(name)
        geom = add_shape(body, self.spec, shape, self.mesh_names)
        geom.name = name
        if visual:
            geom.contype, geom.conaffinity, geom.mass = 0, 0, 0.0
            geom.group = _VISUAL_GROUP
            if shape.rgba is not None:
                geom.rgba = shape.rgba
        else:
            geom.density = self.options.density
            geom.group = _COLLISION_GROUP if group else 0
