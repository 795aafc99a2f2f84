"""Calls about what the length of a fixed tendon is: an offset and the joints' positions, weighted.

length = offset + sum of coefficient times position
"""

from __future__ import annotations

from dataclasses import replace
from typing import List, Sequence

from rofunc_isaac.isaacgym._record import to_float
from rofunc_isaac.isaacgym.actor import SceneAsset
from rofunc_isaac.isaacgym.calls.assets import index_of
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.scene import Env
from rofunc_isaac.isaacgym.tendon_length import TendonLength


class FixedTendonCalls:
    """Mixed into `Gym`. Joints of a tendon are counted in the order of its asset.

    What is set on an asset reaches actors created from it later on, what is set on an actor its own
    environment alone; both before prepare_sim.
    """

    def get_asset_fixed_tendon_joint_name(self, asset: SceneAsset, tendon: int, joint: int) -> str:
        return asset.description.tendons[tendon].joints[joint]

    def get_asset_fixed_tendon_joint_coefficients(
        self, asset: SceneAsset, tendon: int
    ) -> List[float]:
        return list(asset.tendon_lengths[tendon].coefficients)

    def set_asset_fixed_tendon_joint_coefficients(
        self, asset: SceneAsset, tendon: int, coefficients: Sequence[float]
    ) -> bool:
        call, lengths = "set_asset_fixed_tendon_joint_coefficients", asset.tendon_lengths
        lengths[tendon] = with_coefficients(call, lengths[tendon], coefficients)
        return True

    def get_actor_fixed_tendon_joint_name(
        self, env: Env, handle: int, tendon: int, joint: int
    ) -> str:
        return env.actor(handle).asset.description.tendons[tendon].joints[joint]

    def find_actor_fixed_tendon_joint_index(
        self, env: Env, handle: int, tendon: int, name: str
    ) -> int:
        """The joint's number within its tendon, INVALID_HANDLE if it is not in it."""
        return index_of(env.actor(handle).asset.description.tendons[tendon].joints, name)

    def get_actor_fixed_tendon_joint_coefficients(
        self, env: Env, handle: int, tendon: int
    ) -> List[float]:
        return list(env.actor(handle).tendon_lengths[tendon].coefficients)

    def set_actor_fixed_tendon_joint_coefficients(
        self, env: Env, handle: int, tendon: int, coefficients: Sequence[float]
    ) -> bool:
        """Environments with other coefficients become worlds of another model."""
        call = "set_actor_fixed_tendon_joint_coefficients"
        check_early(call, env)
        lengths = env.actor(handle).tendon_lengths
        lengths[tendon] = with_coefficients(call, lengths[tendon], coefficients)
        return True

    def get_actor_tendon_offset(self, env: Env, handle: int, tendon: int) -> float:
        return env.actor(handle).tendon_lengths[tendon].offset

    def set_actor_tendon_offset(self, env: Env, handle: int, tendon: int, offset: float) -> bool:
        """In m, or in rad for a sum of hinges."""
        check_early("set_actor_tendon_offset", env)
        lengths = env.actor(handle).tendon_lengths
        lengths[tendon] = replace(lengths[tendon], offset=to_float(offset))
        return True


def check_early(call: str, env: Env) -> None:
    if env.scene.simulation.is_prepared:
        raise GymError(f"{call} comes too late: call it before prepare_sim")


def with_coefficients(
    call: str, length: TendonLength, coefficients: Sequence[float]
) -> TendonLength:
    wanted = len(length.coefficients)
    if len(coefficients) != wanted:
        raise GymError(
            f"{call} was given {len(coefficients)} coefficients, the tendon has {wanted} joints"
        )
    return replace(length, coefficients=tuple(to_float(each) for each in coefficients))
