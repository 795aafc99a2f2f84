"""Which engine runs a model: chosen by the device, or by name."""

from __future__ import annotations

import mujoco
import torch

from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.errors import PhysicsError


def check_device(sim_device: str) -> torch.device:
    """The torch device of `sim_device` ("cpu", "cpu:0", "cuda:0", ...), if an engine serves it.

    Raises:
        PhysicsError: not a device, no CUDA on this machine, or no engine for it yet.
    """
    try:
        device = torch.device(sim_device)
    except RuntimeError as error:
        raise PhysicsError(
            f"sim_device={sim_device} is not a device; use sim_device=cpu or sim_device=cuda:0"
        ) from error
    if device.type == "cpu":
        return torch.device("cpu")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise PhysicsError(
            f"sim_device={sim_device} needs CUDA, and torch finds none on this machine; "
            "run on the CPU with sim_device=cpu"
        )
    raise PhysicsError(
        f"no physics engine of this version runs on sim_device={sim_device}; "
        "run on the CPU with sim_device=cpu"
    )


def create_batch(
    model: mujoco.MjModel,
    num_envs: int,
    sim_device: str = "cpu",
    num_threads: int = 0,
    forward: bool = False,
) -> Batch:
    """`num_envs` worlds of `model` on the engine that serves `sim_device`.

    Args and errors: see `rofunc_isaac.physics.mujoco_batch.MujocoBatch` and `check_device`.
    """
    check_device(sim_device)
    from rofunc_isaac.physics.mujoco_batch import MujocoBatch

    return MujocoBatch(model, num_envs, num_threads, forward)
