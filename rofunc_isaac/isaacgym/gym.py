"""The `Gym` object, the one door to everything that Isaac Gym's programs call."""

from __future__ import annotations

from typing import Any

from rofunc_isaac.isaacgym.calls.actor_properties import ActorPropertyCalls
from rofunc_isaac.isaacgym.calls.actors import ActorCalls
from rofunc_isaac.isaacgym.calls.assets import AssetCalls
from rofunc_isaac.isaacgym.calls.attractors import AttractorCalls
from rofunc_isaac.isaacgym.calls.body_forces import BodyForceCalls
from rofunc_isaac.isaacgym.calls.cameras import CameraCalls
from rofunc_isaac.isaacgym.calls.contacts import ContactCalls
from rofunc_isaac.isaacgym.calls.control_tensors import ControlTensorCalls
from rofunc_isaac.isaacgym.calls.dof_states import DofStateCalls
from rofunc_isaac.isaacgym.calls.fixed_tendons import FixedTendonCalls
from rofunc_isaac.isaacgym.calls.force_sensors import ForceSensorCalls
from rofunc_isaac.isaacgym.calls.joints import JointCalls
from rofunc_isaac.isaacgym.calls.looks import LooksCalls
from rofunc_isaac.isaacgym.calls.rigid_bodies import RigidBodyCalls
from rofunc_isaac.isaacgym.calls.scene import SceneCalls
from rofunc_isaac.isaacgym.calls.simulation import SimulationCalls
from rofunc_isaac.isaacgym.calls.tensors import TensorCalls
from rofunc_isaac.isaacgym.calls.timing import TimingCalls
from rofunc_isaac.isaacgym.calls.viewer import ViewerCalls
from rofunc_isaac.isaacgym.errors import GymError


class MissingCallError(GymError, AttributeError):
    """A function of Isaac Gym that this version does not have."""


class Gym(
    AssetCalls,
    SceneCalls,
    ActorCalls,
    ActorPropertyCalls,
    AttractorCalls,
    FixedTendonCalls,
    ForceSensorCalls,
    RigidBodyCalls,
    DofStateCalls,
    JointCalls,
    BodyForceCalls,
    ContactCalls,
    CameraCalls,
    LooksCalls,
    SimulationCalls,
    TimingCalls,
    TensorCalls,
    ControlTensorCalls,
    ViewerCalls,
):
    """Isaac Gym's interface on MuJoCo. One object a process; see `acquire_gym`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise MissingCallError(
            f"gym.{name} is not available in this version of rofunc_isaac. docs/isaacgym.md says "
            "what is, and `python -m rofunc_isaac isaacgym-report FOLDER` what your code needs"
        )


_GYM = Gym()


def acquire_gym() -> Gym:
    """The process's `Gym`."""
    return _GYM
