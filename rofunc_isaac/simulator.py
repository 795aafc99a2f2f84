"""Which module answers to the name `isaacgym`, and the few calls on which the answers differ.

Tasks are written against Isaac Gym's interface (`from isaacgym import gymapi`). This module puts
`rofunc_isaac.isaacgym` under that name, or leaves it to NVIDIA's package where that is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any, Dict, Optional

from rofunc_isaac.errors import UserError, did_you_mean

if TYPE_CHECKING:
    import torch

NAMES = ("auto", "mujoco", "mujoco_warp", "isaacgym")
"""Values of `simulator`: `auto` is MuJoCo on the engine that is made for `sim_device`, `mujoco` its
C engine (CPU), `mujoco_warp` MuJoCo Warp on any device, `isaacgym` NVIDIA's."""

_OURS = "rofunc_isaac.isaacgym"
_MODULES = ("gymapi", "gymtorch", "gymutil", "terrain_utils", "torch_utils")


def select(
    name: str = "auto", max_contacts: Optional[int] = None, max_constraints: Optional[int] = None
) -> None:
    """Decide what `import isaacgym` gives, before any task is imported, and on which engine.

    Args:
        name: one of `NAMES`.
        max_contacts, max_constraints: room in MuJoCo Warp, a world; None finds it out. Given
            together or not at all.

    Raises:
        UserError: an unknown name, an engine that this version lacks, NVIDIA's package where it is
            not installed, or a choice that comes after the other was imported.
    """
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise UserError(f"simulator={name} is not one of {known}{did_you_mean(name, NAMES)}")
    if (max_contacts is None) != (max_constraints is None):
        raise UserError(
            "simulator.max_contacts and simulator.max_constraints go together: give both or neither"
        )
    if name == "isaacgym":
        _leave_to_nvidia()
        return
    _install_ours()
    from rofunc_isaac.physics import engine
    from rofunc_isaac.physics.capacity import Capacity

    capacity = None
    if max_contacts is not None and max_constraints is not None:
        capacity = Capacity(max_contacts, max_constraints)
    engine.choose_engine(engine.EngineChoice(name, capacity))


def ensure_selected() -> None:
    """`select("auto")`, unless something answers to the name `isaacgym` already."""
    if "isaacgym" not in sys.modules:
        select("auto")


def is_ours() -> bool:
    """Whether the name `isaacgym` stands for this project's interface."""
    module = sys.modules.get("isaacgym")
    return module is not None and module.__name__ == _OURS


def _install_ours() -> None:
    if "isaacgym" in sys.modules and not is_ours():
        raise UserError(
            "NVIDIA's isaacgym was imported before, and one process can't use both simulators; "
            "start a new one, or use simulator=isaacgym"
        )
    sys.modules["isaacgym"] = importlib.import_module(_OURS)
    for module in _MODULES:
        sys.modules[f"isaacgym.{module}"] = importlib.import_module(f"{_OURS}.{module}")


def _leave_to_nvidia() -> None:
    if is_ours():
        raise UserError(
            "simulator=isaacgym comes too late: this process uses MuJoCo already; start a new one"
        )
    if "isaacgym" in sys.modules:
        return
    if importlib.util.find_spec("isaacgym") is None:
        raise UserError(
            "simulator=isaacgym needs NVIDIA's isaacgym package in this environment, and it is not "
            "installed; use simulator=mujoco, which needs nothing"
        )
    importlib.import_module("isaacgym")


def set_solver(sim: Any, iterations: int, tolerance: float, warm_start: bool) -> None:
    """How MuJoCo solves for the forces of constraints, before environments are created.

    NVIDIA's simulator has a solver of its own, and takes nothing of it.

    Args:
        iterations, tolerance: as in `mjOption`.
        warm_start: whether a step's solution is where the next step's begins.
    """
    if is_ours():
        from rofunc_isaac.isaacgym.solver import Solver

        sim.scene.solver = Solver(iterations, tolerance, warm_start)


def reset_state(
    gym: Any,
    sim: Any,
    mask: torch.Tensor,
    root_state: torch.Tensor,
    dof_state: torch.Tensor,
) -> None:
    """Put environments into new states, those in `mask` alone, and show them in the tensors of root
    and DOF states, which have been acquired.

    Ours takes the mask as it is. NVIDIA's takes the indices of the actors, which makes the host
    wait for the device; and what a refresh before the next frame would show is not documented, so
    the new states are written into its tensors.

    Args:
        mask: bool (envs,).
        root_state: float32 (actors, 13), dof_state: float32 (dofs, 2); rows outside are not read.
    """
    from isaacgym import gymtorch

    if is_ours():
        root, dof = gymtorch.unwrap_tensor(root_state), gymtorch.unwrap_tensor(dof_state)
        gym.set_actor_root_state_tensor_masked(sim, root, mask)
        gym.set_dof_state_tensor_masked(sim, dof, mask)
        gym.refresh_actor_root_state_tensor(sim)
        gym.refresh_dof_state_tensor(sim)
        return
    moved = mask.repeat_interleave(root_state.shape[0] // mask.shape[0])
    indices = moved.nonzero().flatten().int()
    if len(indices) == 0:
        return
    live_root = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
    live_dof = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
    live_root[moved] = root_state[moved]
    moved_dofs = mask.repeat_interleave(dof_state.shape[0] // mask.shape[0])
    live_dof[moved_dofs] = dof_state[moved_dofs]
    root, dof = gymtorch.unwrap_tensor(live_root), gymtorch.unwrap_tensor(live_dof)
    actors = gymtorch.unwrap_tensor(indices)
    gym.set_actor_root_state_tensor_indexed(sim, root, actors, len(indices))
    gym.set_dof_state_tensor_indexed(sim, dof, actors, len(indices))


def unstable_envs(gym: Any, sim: Any, like: torch.Tensor) -> torch.Tensor:
    """bool, the shape of `like` (envs,): environments whose physics broke down in the last frame.

    NVIDIA's simulator does not tell, so none are reported there.
    """
    return gym.get_unstable_env_mask(sim) if is_ours() else like.new_zeros(like.shape).bool()


def unstable_resets(sim: Any, like: torch.Tensor) -> torch.Tensor:
    """int64, the shape of `like` (envs,): how often each environment's physics has broken down.

    All 0 where NVIDIA's simulator runs, which does not tell.
    """
    if not is_ours():
        return like.new_zeros(like.shape).long()
    return sim.worlds("unstable_resets").unstable_resets


def snapshot(sim: Any) -> Optional[Dict[str, Any]]:
    """Everything that the simulation goes on from, as plain data; None where NVIDIA's runs.

    Its state cannot be read out in full: contacts and the solver's memory stay inside.
    """
    return sim.snapshot() if is_ours() else None


def restore(sim: Any, state: Dict[str, Any]) -> None:
    """Go on from what `snapshot` gave."""
    sim.restore(state)


def maintain(sim: Any) -> None:
    """Between iterations: let the physics tell what was lost, and mend its cause."""
    if is_ours():
        sim.maintain()
