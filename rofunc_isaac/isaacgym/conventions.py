"""What no published source of Isaac Gym settles, or what costs time: choices with a default.

Programs run unmodified, so the choices are made in their environment,

    ROFUNC_ISAACGYM="friction_cone=elliptic passive_joints=none" python -m rofunc_isaac run ...

or by `os.environ` before the first call to the interface.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass

from rofunc_isaac.errors import did_you_mean
from rofunc_isaac.isaacgym.errors import GymError

VARIABLE = "ROFUNC_ISAACGYM"

CHOICES = {
    "urdf_sibling_order": ("joint_name", "declaration"),
    "passive_joints": ("spring_damper", "none"),
    "friction_cone": ("pyramidal", "elliptic"),
}
"""By name, what can be chosen; the first is the default."""


@dataclass(frozen=True)
class Conventions:
    """See docs/isaacgym.md.

    Args:
        urdf_sibling_order: of the joints that leave one link of a URDF: sorted by name, or as the
            file has them.
        passive_joints: what the stiffness and damping of a DOF are in the modes NONE and EFFORT.
        friction_cone: MuJoCo's. The pyramid has less friction across the axes of the contact, by
            up to 30 %; the cone takes longer.
    """

    urdf_sibling_order: str = "joint_name"
    passive_joints: str = "spring_damper"
    friction_cone: str = "pyramidal"


def conventions() -> Conventions:
    """Those of the process's environment.

    Raises:
        GymError: the variable names what cannot be chosen.
    """
    chosen = {}
    for word in os.environ.get(VARIABLE, "").split():
        name, _, value = word.partition("=")
        if name not in CHOICES:
            raise GymError(
                f"{VARIABLE}: {word!r} is not one of {', '.join(CHOICES)}, each with =VALUE"
                f"{did_you_mean(name, CHOICES)}"
            )
        if value not in CHOICES[name]:
            raise GymError(f"{VARIABLE}: {word!r}: choose one of {', '.join(CHOICES[name])}")
        chosen[name] = value
    return dataclasses.replace(Conventions(), **chosen)
