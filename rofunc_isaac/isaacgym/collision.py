"""Isaac Gym's collision groups and filters as MuJoCo's contype and conaffinity."""

from __future__ import annotations

from typing import List, Tuple

from rofunc_isaac.isaacgym.errors import GymError

MAX_CLASSES = 31
"""Bits of MuJoCo's 32-bit masks, less the one that the ground has."""

EVERY_GROUP = -1
"""The group that meets all groups."""

GROUND_BITS = (1 << MAX_CLASSES - 1, 0)
"""contype and conaffinity of the ground plane."""


def collision_bits(classes: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
    """contype and conaffinity for shapes with the given (group, filter).

    Two shapes of one env collide iff they are of the same group, or one of them of EVERY_GROUP, and
    share no filter bit; every shape collides with the ground. Each distinct class gets one bit of
    contype, and conaffinity holds the bits of the classes that it collides with.

    Raises:
        GymError: more distinct classes than MuJoCo's masks have bits.
    """
    distinct = sorted(set(classes))
    if len(distinct) >= MAX_CLASSES:
        raise GymError(
            f"{len(distinct)} distinct pairs of collision group and filter in one env; "
            f"MuJoCo's masks distinguish {MAX_CLASSES - 1}"
        )
    bit = {key: 1 << index for index, key in enumerate(distinct)}

    def collides(a: Tuple[int, int], b: Tuple[int, int]) -> bool:
        same_group = a[0] == b[0] or EVERY_GROUP in (a[0], b[0])
        return same_group and (a[1] & b[1]) == 0

    affinity = {
        a: GROUND_BITS[0] | sum(bit[b] for b in distinct if collides(a, b)) for a in distinct
    }
    return [(bit[key], affinity[key]) for key in classes]
