"""Calls that create a simulation, prepare it, and move it on."""

from __future__ import annotations

from copy import deepcopy
from typing import Optional

import torch

from rofunc_isaac.isaacgym._constants import SIM_PHYSX, SimType
from rofunc_isaac.isaacgym._params import SimParams
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.simulation import Simulation, check_times


class SimulationCalls:
    """Mixed into `Gym`."""

    def create_sim(
        self,
        compute_device: int = 0,
        graphics_device: int = 0,
        type: SimType = SIM_PHYSX,
        params: Optional[SimParams] = None,
    ) -> Simulation:
        """A new simulation: on CUDA device `compute_device` if `params.use_gpu_pipeline`.

        `type` is accepted for what Isaac Gym's programs pass; FleX has no counterpart here.
        Raises GymError or PhysicsError where it can't be had; never returns None.
        """
        if type != SIM_PHYSX:
            raise GymError("create_sim: only SIM_PHYSX is available, there is no FleX here")
        params = deepcopy(params) if params is not None else SimParams()
        device = f"cuda:{compute_device}" if params.use_gpu_pipeline else "cpu"
        return Simulation(params, device)

    def set_sim_device(self, sim: Simulation) -> None:
        """Let the CUDA device of `sim` be torch's current one; on the CPU there is none."""
        if sim.device.type == "cuda":
            torch.cuda.set_device(sim.device)

    def destroy_sim(self, sim: Simulation) -> None:
        """Let go of the simulation's worlds; tensors that were acquired keep their last values."""
        sim.destroy()

    def prepare_sim(self, sim: Simulation) -> bool:
        """Compile the scene. Everything has been created by now; tensors may have been acquired."""
        sim.prepare()
        return True

    def simulate(self, sim: Simulation) -> None:
        """Advance every environment by one frame of `dt` seconds, in `substeps` physics steps."""
        sim.simulate()

    def fetch_results(self, sim: Simulation, wait_for_latest_sim_step: bool) -> None:
        """Results are there as soon as `simulate` returns: nothing is left to wait for."""

    def get_frame_count(self, sim: Simulation) -> int:
        return sim.frame_count

    def get_sim_time(self, sim: Simulation) -> float:
        """Simulated seconds since the simulation was created."""
        return sim.frame_count * sim.params.dt

    def get_sim_params(self, sim: Simulation) -> SimParams:
        return deepcopy(sim.params)

    def set_sim_params(self, sim: Simulation, params: SimParams) -> None:
        """Before prepare_sim every parameter can change, afterwards gravity alone."""
        check_times(params)
        if sim.batch is not None:
            if (params.dt, params.substeps) != (sim.params.dt, sim.params.substeps):
                raise GymError("set_sim_params: dt and substeps are fixed by prepare_sim")
            gravity = params.gravity
            values = sim.batch.parameter("gravity")
            values.copy_(values.new_tensor([gravity.x, gravity.y, gravity.z]))
        sim.params = deepcopy(params)
        sim.scene.params = sim.params
