"""Calls that hand out the simulation's tensors, refresh them, and take new values."""

from __future__ import annotations

from typing import Optional

import torch

from rofunc_isaac.isaacgym._constants import ENV_SPACE, LOCAL_SPACE, CoordinateSpace
from rofunc_isaac.isaacgym._tensor import GymTensor
from rofunc_isaac.isaacgym.body_forces import check_space
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.simulation import Simulation


class TensorCalls:
    """Mixed into `Gym`.

    Refreshing copies the worlds' values into a tensor. Setting takes effect at the next
    `simulate`; root and DOF tensors show the new values at their next refresh, everything that
    the physics derives from them only after `simulate`. (Before the first, body states, Jacobians
    and mass matrices follow what was set, since there is no frame that they could show.)
    """

    def acquire_actor_root_state_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (actors, 13), see `RootStates`."""
        sim.freeze()
        return GymTensor(sim.roots.tensor)

    def acquire_dof_state_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (dofs, 2), see `DofStates`."""
        sim.freeze()
        return GymTensor(sim.dofs.tensor)

    def acquire_dof_force_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (dofs,), see `DofForces`."""
        sim.freeze()
        return GymTensor(sim.dof_forces.tensor)

    def acquire_force_sensor_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (sensors, 6), see `ForceSensors`."""
        sim.freeze()
        return GymTensor(sim.sensors.tensor)

    def acquire_rigid_body_state_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (bodies, 13), see `BodyStates`. It costs a forward pass a frame.

        Raises GymError: after the first simulate.
        """
        return GymTensor(sim.acquire_bodies("acquire_rigid_body_state_tensor").tensor)

    def acquire_net_contact_force_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (bodies, 3), see `ContactForces`. Raises GymError: after the first simulate."""
        return GymTensor(sim.acquire_contacts("acquire_net_contact_force_tensor").tensor)

    def acquire_jacobian_tensor(self, sim: Simulation, actor: str) -> GymTensor:
        """float32 (envs, links, 6, columns) of the actors of that name, see `Jacobian`.

        It costs a forward pass a frame. Raises GymError: after the first simulate.
        """
        return GymTensor(sim.acquire_jacobian("acquire_jacobian_tensor", actor).tensor)

    def acquire_mass_matrix_tensor(self, sim: Simulation, actor: str) -> GymTensor:
        """float32 (envs, dofs, dofs) of the actors of that name, see `MassMatrix`.

        It costs a forward pass a frame. Raises GymError: after the first simulate.
        """
        return GymTensor(sim.acquire_mass_matrix("acquire_mass_matrix_tensor", actor).tensor)

    def refresh_actor_root_state_tensor(self, sim: Simulation) -> bool:
        sim.worlds("refresh_actor_root_state_tensor")
        sim.roots.refresh()
        return True

    def refresh_dof_state_tensor(self, sim: Simulation) -> bool:
        sim.worlds("refresh_dof_state_tensor")
        sim.dofs.refresh()
        return True

    def refresh_dof_force_tensor(self, sim: Simulation) -> bool:
        sim.worlds("refresh_dof_force_tensor")
        sim.dof_forces.refresh()
        return True

    def refresh_force_sensor_tensor(self, sim: Simulation) -> bool:
        sim.worlds("refresh_force_sensor_tensor")
        sim.sensors.refresh()
        return True

    def refresh_rigid_body_state_tensor(self, sim: Simulation) -> bool:
        """Without a tensor that was acquired, nothing is computed."""
        sim.worlds("refresh_rigid_body_state_tensor")
        sim.derive_start()
        if sim.bodies is not None:
            sim.bodies.refresh()
        return True

    def refresh_net_contact_force_tensor(self, sim: Simulation) -> bool:
        """Without a tensor that was acquired, nothing is computed."""
        sim.worlds("refresh_net_contact_force_tensor")
        if sim.contacts is not None:
            sim.contacts.refresh()
        return True

    def refresh_jacobian_tensors(self, sim: Simulation) -> bool:
        sim.worlds("refresh_jacobian_tensors")
        sim.derive_start()
        for jacobian in sim.jacobians.values():
            jacobian.refresh()
        return True

    def refresh_mass_matrix_tensors(self, sim: Simulation) -> bool:
        sim.worlds("refresh_mass_matrix_tensors")
        sim.derive_start()
        for matrix in sim.mass_matrices.values():
            matrix.refresh()
        return True

    def set_actor_root_state_tensor(self, sim: Simulation, states: GymTensor) -> bool:
        """Set every root to `states`, (actors, 13)."""
        source = check_source(sim, "set_actor_root_state_tensor", states, "roots")
        sim.write_roots(source, everything(sim))
        return True

    def set_actor_root_state_tensor_indexed(
        self, sim: Simulation, states: GymTensor, actors: GymTensor, count: int
    ) -> bool:
        """Set the roots of the first `count` of the global indices `actors`, int32.

        `states` is the whole tensor, (actors, 13); rows of other actors are not read.
        """
        source = check_source(sim, "set_actor_root_state_tensor_indexed", states, "roots")
        sim.write_roots(source, sim.actor_mask(actors.tensor, count))
        return True

    def set_actor_root_state_tensor_masked(
        self, sim: Simulation, states: GymTensor, mask: torch.Tensor
    ) -> bool:
        """Not in Isaac Gym: set all roots of the environments in `mask`, bool (envs,).

        Shapes stay what they are and nothing waits for the device, unlike with indices.
        """
        source = check_source(sim, "set_actor_root_state_tensor_masked", states, "roots")
        sim.write_roots(source, all_actors(sim, "set_actor_root_state_tensor_masked", mask))
        return True

    def set_dof_state_tensor(self, sim: Simulation, states: GymTensor) -> bool:
        """Set every DOF to `states`, (dofs, 2)."""
        source = check_source(sim, "set_dof_state_tensor", states, "dofs")
        sim.write_dofs(source, everything(sim))
        return True

    def set_dof_state_tensor_indexed(
        self, sim: Simulation, states: GymTensor, actors: GymTensor, count: int
    ) -> bool:
        """Set the DOFs of the first `count` of the global actor indices `actors`, int32.

        `states` is the whole tensor, (dofs, 2); rows of other actors are not read.
        """
        source = check_source(sim, "set_dof_state_tensor_indexed", states, "dofs")
        sim.write_dofs(source, sim.actor_mask(actors.tensor, count))
        return True

    def set_dof_state_tensor_masked(
        self, sim: Simulation, states: GymTensor, mask: torch.Tensor
    ) -> bool:
        """Not in Isaac Gym: set all DOFs of the environments in `mask`, bool (envs,)."""
        source = check_source(sim, "set_dof_state_tensor_masked", states, "dofs")
        sim.write_dofs(source, all_actors(sim, "set_dof_state_tensor_masked", mask))
        return True

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

    def get_unstable_env_mask(self, sim: Simulation) -> torch.Tensor:
        """Not in Isaac Gym: bool (envs,), environments that the physics had to put back.

        Their state left the finite numbers during the last `simulate`.
        """
        return sim.worlds("get_unstable_env_mask").unstable


def everything(sim: Simulation) -> torch.Tensor:
    return torch.ones(1, 1, dtype=torch.bool, device=sim.device).expand(
        sim.num_envs, sim.num_actors
    )


def all_actors(sim: Simulation, call: str, mask: torch.Tensor) -> torch.Tensor:
    """bool (envs, actors): every actor of the environments in `mask`."""
    if mask.dtype != torch.bool or tuple(mask.shape) != (sim.num_envs,):
        raise GymError(
            f"{call} was given a mask of {mask.dtype} and shape {tuple(mask.shape)}; it takes "
            f"torch.bool of shape ({sim.num_envs},)"
        )
    return mask[:, None].expand(-1, sim.num_actors)


def check_source(sim: Simulation, call: str, given: GymTensor, kind: str) -> torch.Tensor:
    """The tensor behind `given`, if it has the size and dtype of the simulation's `kind` tensor."""
    sim.worlds(call)
    return check_like(call, given, getattr(sim, kind).tensor)


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


def check_like(call: str, given: GymTensor, like: torch.Tensor) -> torch.Tensor:
    tensor = given.tensor
    if tensor.numel() != like.numel() or tensor.dtype != like.dtype:
        raise GymError(
            f"{call} was given {tensor.dtype} of shape {tuple(tensor.shape)}; "
            f"it takes {like.dtype} of shape {tuple(like.shape)}"
        )
    return tensor
