"""Calls that take efforts, targets and forces as tensors."""

from __future__ import annotations

from typing import Optional

import torch

from rofunc_isaac.isaacgym._constants import ENV_SPACE, LOCAL_SPACE, CoordinateSpace
from rofunc_isaac.isaacgym._tensor import GymTensor
from rofunc_isaac.isaacgym.body_forces import check_space
from rofunc_isaac.isaacgym.calls.tensors import check_like
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.simulation import Simulation


class ControlTensorCalls:
    """Mixed into `Gym`. Efforts and forces last one `simulate`, targets until they are set."""

    def set_dof_actuation_force_tensor(self, sim: Simulation, forces: GymTensor) -> bool:
        """Efforts, (dofs,), N m or N, for the next frame only."""
        set_control(sim, "set_dof_actuation_force_tensor", forces, "effort")
        return True

    def set_dof_actuation_force_tensor_indexed(
        self, sim: Simulation, forces: GymTensor, actors: GymTensor, count: int
    ) -> bool:
        """Efforts of the DOFs of the first `count` of the global actor indices `actors`, int32.

        As with every control, `forces` is the whole tensor; rows of other actors are not read.
        """
        call = "set_dof_actuation_force_tensor_indexed"
        set_control(sim, call, forces, "effort", sim.actor_mask(actors.tensor, count))
        return True

    def set_dof_position_target_tensor(self, sim: Simulation, targets: GymTensor) -> bool:
        """Position targets, (dofs,), rad or m, until they are set again."""
        set_control(sim, "set_dof_position_target_tensor", targets, "position_target")
        return True

    def set_dof_position_target_tensor_indexed(
        self, sim: Simulation, targets: GymTensor, actors: GymTensor, count: int
    ) -> bool:
        """Position targets of the DOFs of the first `count` of `actors`."""
        call = "set_dof_position_target_tensor_indexed"
        set_control(sim, call, targets, "position_target", sim.actor_mask(actors.tensor, count))
        return True

    def set_dof_velocity_target_tensor(self, sim: Simulation, targets: GymTensor) -> bool:
        """Velocity targets, (dofs,), rad/s or m/s, until they are set again."""
        set_control(sim, "set_dof_velocity_target_tensor", targets, "velocity_target")
        return True

    def set_dof_velocity_target_tensor_indexed(
        self, sim: Simulation, targets: GymTensor, actors: GymTensor, count: int
    ) -> bool:
        """Velocity targets of the DOFs of the first `count` of `actors`."""
        call = "set_dof_velocity_target_tensor_indexed"
        set_control(sim, call, targets, "velocity_target", sim.actor_mask(actors.tensor, count))
        return True

    def apply_rigid_body_force_tensors(
        self,
        sim: Simulation,
        forceTensor: Optional[GymTensor] = None,
        torqueTensor: Optional[GymTensor] = None,
        space: CoordinateSpace = ENV_SPACE,
    ) -> bool:
        """Forces in N on the bodies' centres of mass and torques in N m, (bodies, 3) each.

        They last one `simulate`; see `BodyForces`. LOCAL_SPACE is the body's frame, and costs a
        forward pass; the axes of ENV_SPACE and GLOBAL_SPACE are the world's.
        """
        call = "apply_rigid_body_force_tensors"
        force = body_vectors(sim, call, forceTensor)
        torque = body_vectors(sim, call, torqueTensor)
        if check_space(call, space) == LOCAL_SPACE:
            sim.bring_poses_up_to_date()
        sim.forces.apply(force, torque, space)
        return True

    def apply_rigid_body_force_at_pos_tensors(
        self,
        sim: Simulation,
        forceTensor: GymTensor,
        posTensor: Optional[GymTensor] = None,
        space: CoordinateSpace = ENV_SPACE,
    ) -> bool:
        """Forces in N at positions in m, (bodies, 3) each; without positions on centres of mass.

        They last one `simulate`; see `BodyForces`. Positions of LOCAL_SPACE are in the body's
        frame, of ENV_SPACE in its environment's, of GLOBAL_SPACE in that of `get_env_origin`. They
        cost a forward pass.
        """
        call = "apply_rigid_body_force_at_pos_tensors"
        force = body_vectors(sim, call, forceTensor)
        if force is None:
            raise GymError(f"{call} needs a force tensor")
        position = body_vectors(sim, call, posTensor)
        space = check_space(call, space)
        if position is not None or space == LOCAL_SPACE:
            sim.bring_poses_up_to_date()
        if position is None:
            sim.forces.apply(force, None, space)
        else:
            sim.forces.apply_at(force, position, space)
        return True


def set_control(
    sim: Simulation, call: str, given: GymTensor, kind: str, mask: Optional[torch.Tensor] = None
) -> None:
    """Take over efforts or targets, with a `mask` of (envs, actors) those of some actors."""
    sim.worlds(call)
    target = getattr(sim.control, kind)
    values = check_like(call, given, target).view(target.shape)
    if mask is None:
        target.copy_(values)
    else:
        torch.where(sim.dof_mask(mask), values, target, out=target)


def body_vectors(sim: Simulation, call: str, given: Optional[GymTensor]) -> Optional[torch.Tensor]:
    """The float32 tensor behind `given` as (envs, bodies, 3), if there is one."""
    sim.worlds(call)
    if given is None:
        return None
    shape = (sim.num_envs, sim.num_bodies, 3)
    like = torch.empty(shape, dtype=torch.float32, device="meta")
    return check_like(call, given, like).view(shape)
