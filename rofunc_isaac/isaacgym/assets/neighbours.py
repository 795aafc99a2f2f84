"""Contacts that an articulation never has."""

from __future__ import annotations

import mujoco


def exclude_neighbours_of_base(spec: mujoco.MjSpec) -> None:
    """Exclude contact between the base and its children.

    PhysX never lets a link collide with its parent. Nor does MuJoCo, except when the parent does
    not move: then a rail would push the cart that slides through it. The base is the root body and
    all that is welded to it.
    """
    known = {frozenset((e.bodyname1, e.bodyname2)) for e in spec.excludes}
    base = [spec.worldbody.first_body()]
    for parent in base:
        child = parent.first_body()
        while child is not None:
            if frozenset((parent.name, child.name)) not in known:
                spec.add_exclude(bodyname1=parent.name, bodyname2=child.name)
            if not child.joints:
                base.append(child)
            child = parent.next_body(child)
