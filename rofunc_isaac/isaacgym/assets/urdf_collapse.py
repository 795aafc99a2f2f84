"""Merging of links that fixed joints hold together."""

from __future__ import annotations

from typing import List

import numpy as np

from rofunc_isaac.isaacgym.assets.inertia import merge
from rofunc_isaac.isaacgym.assets.rotations import compose, rotation_of
from rofunc_isaac.isaacgym.assets.urdf_model import Robot, Shape


def collapse_fixed_joints(robot: Robot) -> None:
    """Merge each link behind a fixed joint into its parent, unless the joint says `dont_collapse`.

    Shapes and inertials (already resolved) move into the parent, joints of the merged link start at
    the parent instead; names of merged links and joints are gone, as in Isaac Gym.
    """
    for joint in list(robot.joints):
        if joint.kind != "fixed" or joint.dont_collapse:
            continue
        parent, child = robot.links[joint.parent], robot.links[joint.child]
        assert parent.inertial is not None
        assert child.inertial is not None
        moved = child.inertial.in_parent(rotation_of(joint.quat), joint.pos)
        parent.inertial = merge([parent.inertial, moved])
        for shapes, target in (
            (child.collisions, parent.collisions),
            (child.visuals, parent.visuals),
        ):
            _move(shapes, joint.pos, joint.quat)
            target.extend(shapes)
        for other in robot.joints:
            if other.parent == child.name:
                other.parent = parent.name
                other.pos, other.quat = compose(joint.pos, joint.quat, other.pos, other.quat)
        robot.joints.remove(joint)
        del robot.links[child.name]


def _move(shapes: List[Shape], pos: np.ndarray, quat: np.ndarray) -> None:
    for shape in shapes:
        shape.pos, shape.quat = compose(pos, quat, shape.pos, shape.quat)
