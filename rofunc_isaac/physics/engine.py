"""Which engine runs a model: chosen by the device, or by name."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Optional, Sequence

import mujoco
import torch

from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.capacity import Capacity
from rofunc_isaac.physics.errors import PhysicsError


@dataclass(frozen=True)
class EngineChoice:
    """What the next batch is made with.

    Args:
        name: "mujoco" (the CPU), "mujoco_warp" (CUDA; the CPU too, slowly), or "auto", which is
            the one that is made for the device.
        capacity: room for contacts and constraints in MuJoCo Warp; None finds it out.
    """

    name: str = "auto"
    capacity: Optional[Capacity] = None


_chosen = EngineChoice()


def choose_engine(choice: EngineChoice) -> None:
    """Decide what `create_batch` makes from here on in this process."""
    global _chosen
    _chosen = choice


def check_device(sim_device: str) -> torch.device:
    """The torch device of `sim_device` ("cpu", "cpu:0", "cuda:0", ...), if the engine serves it.

    Raises:
        PhysicsError: not a device, no CUDA on this machine, the chosen engine runs elsewhere, or
            its packages are missing.
    """
    try:
        device = torch.device(sim_device)
    except RuntimeError as error:
        raise PhysicsError(
            f"sim_device={sim_device} is not a device; use sim_device=cpu or sim_device=cuda:0"
        ) from error
    if device.type not in ("cpu", "cuda"):
        raise PhysicsError(
            f"no physics engine runs on sim_device={sim_device}; use sim_device=cpu or "
            "sim_device=cuda:0"
        )
    if device.type == "cuda":
        if _chosen.name == "mujoco":
            raise PhysicsError(
                f"simulator=mujoco runs on the CPU, not on sim_device={sim_device}; leave the "
                "simulator to the device (simulator=auto), or use sim_device=cpu"
            )
        if not torch.cuda.is_available():
            raise PhysicsError(
                f"sim_device={sim_device} needs CUDA, and torch finds none on this machine; "
                "run on the CPU with sim_device=cpu"
            )
    if _uses_warp(device) and importlib.util.find_spec("mujoco_warp") is None:
        raise PhysicsError(
            "MuJoCo Warp is not installed here: pip install 'rofunc-isaac[warp]', or run on the "
            "CPU with simulator=mujoco sim_device=cpu"
        )
    return torch.device("cpu") if device.type == "cpu" else torch.device("cuda", device.index or 0)


def create_batch(
    model: mujoco.MjModel,
    num_envs: int,
    sim_device: str = "cpu",
    num_threads: int = 0,
    forward: bool = False,
    env_numbers: Optional[Sequence[int]] = None,
) -> Batch:
    """`num_envs` worlds of `model` on the chosen engine.

    Args and errors: see `MujocoBatch` and `WarpBatch`, and `check_device`. `num_threads` and
    `env_numbers` count on the CPU alone.
    """
    device = check_device(sim_device)
    if _uses_warp(device):
        from rofunc_isaac.physics.warp_batch import WarpBatch

        return WarpBatch(model, num_envs, device, forward, _chosen.capacity)
    from rofunc_isaac.physics.mujoco_batch import MujocoBatch

    return MujocoBatch(model, num_envs, num_threads, forward, env_numbers)


def _uses_warp(device: torch.device) -> bool:
    return _chosen.name == "mujoco_warp" or device.type == "cuda"
