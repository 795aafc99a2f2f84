"""Calls that hand out the simulation's tensors, refresh them, and take new values."""

from __future__ import annotations

import torch

from rofunc_isaac.isaacgym._tensor import GymTensor
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
        call, add = "acquire_rigid_body_state_tensor", sim.derived.add_bodies
        return GymTensor(sim.acquire(call, "bodies", add))

    def acquire_net_contact_force_tensor(self, sim: Simulation) -> GymTensor:
        """float32 (bodies, 3), see `ContactForces`. Raises GymError: after the first simulate."""
        call, add = "acquire_net_contact_force_tensor", sim.derived.add_contacts
        return GymTensor(sim.acquire(call, "contacts", add))

    def acquire_jacobian_tensor(self, sim: Simulation, actor: str) -> GymTensor:
        """float32 (envs, links, 6, columns) of the actors of that name, see `Jacobian`.

        It costs a forward pass a frame. Raises GymError: after the first simulate.
        """
        call, add = "acquire_jacobian_tensor", sim.derived.add_jacobian
        return GymTensor(sim.acquire(call, f"jacobian {actor}", add, actor))

    def acquire_mass_matrix_tensor(self, sim: Simulation, actor: str) -> GymTensor:
        """float32 (envs, dofs, dofs) of the actors of that name, see `MassMatrix`.

        It costs a forward pass a frame. Raises GymError: after the first simulate.
        """
        call, add = "acquire_mass_matrix_tensor", sim.derived.add_mass_matrix
        return GymTensor(sim.acquire(call, f"mass {actor}", add, actor))

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
        if sim.derived.bodies is not None:
            sim.derived.bodies.refresh()
        return True

    def refresh_net_contact_force_tensor(self, sim: Simulation) -> bool:
        """Without a tensor that was acquired, nothing is computed."""
        sim.worlds("refresh_net_contact_force_tensor")
        if sim.derived.contacts is not None:
            sim.derived.contacts.refresh()
        return True

    def refresh_jacobian_tensors(self, sim: Simulation) -> bool:
        sim.worlds("refresh_jacobian_tensors")
        sim.derive_start()
        for jacobian in sim.derived.jacobians.values():
            jacobian.refresh()
        return True

    def refresh_mass_matrix_tensors(self, sim: Simulation) -> bool:
        sim.worlds("refresh_mass_matrix_tensors")
        sim.derive_start()
        for matrix in sim.derived.mass_matrices.values():
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


def check_like(call: str, given: GymTensor, like: torch.Tensor) -> torch.Tensor:
    tensor = given.tensor
    if tensor.numel() != like.numel() or tensor.dtype != like.dtype:
        raise GymError(
            f"{call} was given {tensor.dtype} of shape {tuple(tensor.shape)}; "
            f"it takes {like.dtype} of shape {tuple(like.shape)}"
        )
    return tensor
