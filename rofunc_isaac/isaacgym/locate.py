"""Which actor has the parts that programs name by their numbers within an environment."""

from __future__ import annotations

from typing import List, Tuple

from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env


def locate_body(call: str, env: Env, body: int) -> Tuple[int, int]:
    """The actor's handle and the index within it of the environment's body number `body`.

    Raises:
        GymError: there is no such body.
    """
    counts = [len(actor.body_properties) for actor in env.actors]
    return _locate(call, env, "body", counts, body)


def locate_dof(call: str, env: Env, dof: int) -> Tuple[int, int]:
    """As `locate_body`, of the environment's DOF number `dof`."""
    counts = [len(actor.dof_properties) for actor in env.actors]
    return _locate(call, env, "DOF", counts, dof)


def locate_joint(call: str, env: Env, joint: int) -> Tuple[int, int]:
    """As `locate_body`, of the environment's joint number `joint`, fixed ones counted."""
    counts = [len(actor.asset.description.joint_names) for actor in env.actors]
    return _locate(call, env, "joint", counts, joint)


def _locate(call: str, env: Env, kind: str, counts: List[int], number: int) -> Tuple[int, int]:
    within = int(number)
    for handle, count in enumerate(counts):
        if 0 <= within < count:
            return handle, within
        within -= count
    raise GymError(f"{call}: env {env.index} has no {kind} {number}; it has {sum(counts)}")
