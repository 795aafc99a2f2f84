"""Calls about attractors, the springs that pull bodies to targets."""

from __future__ import annotations

from copy import deepcopy

from rofunc_isaac.isaacgym._math import Transform
from rofunc_isaac.isaacgym._params import AttractorProperties
from rofunc_isaac.isaacgym.attractors import check_attractor
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env


class AttractorCalls:
    """Mixed into `Gym`. Handles count the attractors of an environment."""

    def create_rigid_body_attractor(self, env: Env, properties: AttractorProperties) -> int:
        """A spring from `offset` on the body `rigid_handle` to `target`, in the env's frame.

        Stiffness in N/m and damping in N s/m, for the axes AXIS_TRANSLATION or AXIS_ALL.
        """
        call = "create_rigid_body_attractor"
        env.scene.check_open(call)
        check_attractor(call, env, properties)
        env.attractors.append(deepcopy(properties))
        return len(env.attractors) - 1

    def get_attractor_properties(self, env: Env, handle: int) -> AttractorProperties:
        return deepcopy(find("get_attractor_properties", env, handle))

    def set_attractor_properties(
        self, env: Env, handle: int, properties: AttractorProperties
    ) -> None:
        """Set an attractor's target, stiffness and damping; body, offset and axes stay."""
        call = "set_attractor_properties"
        old = find(call, env, handle)
        what_stays = (old.rigid_handle, old.axes, old.offset)
        if what_stays != (properties.rigid_handle, properties.axes, properties.offset):
            raise GymError(f"{call}: the body, the axes and the offset of an attractor are fixed")
        env.attractors[handle] = deepcopy(properties)
        env.scene.attractors_changed = True

    def set_attractor_target(self, env: Env, handle: int, target: Transform) -> None:
        """Pull to `target`, in the environment's frame, from the next simulate on."""
        find("set_attractor_target", env, handle).target = target
        env.scene.attractors_changed = True


def find(call: str, env: Env, handle: int) -> AttractorProperties:
    if not 0 <= handle < len(env.attractors):
        raise GymError(
            f"{call}: env {env.index} has no attractor {handle}, it has {len(env.attractors)}"
        )
    return env.attractors[handle]
