"""Train robot policies in thousands of parallel simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from rofunc_isaac.vec_env import VecEnv

__version__ = "0.1.0"
__all__ = ["__version__", "make"]


def make(
    task: str,
    num_envs: Optional[int] = None,
    sim_device: str = "cpu",
    rl_device: Optional[str] = None,
    seed: int = 0,
    headless: bool = True,
    simulator: str = "auto",
    overrides: Optional[Mapping[str, Any]] = None,
) -> VecEnv:
    """The environments of a task, for code that brings its own learner.

    Args:
        task: a name such as "Ant", or "module:Class" of a task of your own, with the defaults of
            its configuration class.
        num_envs: None takes the task's own number for the device.
        sim_device: where the physics runs; rl_device: where tensors go, by default the same.
        seed: of everything random in the environments.
        simulator: auto, mujoco, mujoco_warp or isaacgym.
        overrides: values that replace the task's own, by dotted name:
            `{"env.episode_length": 500}`.

    Raises:
        rofunc_isaac.errors.UserError: an unknown task, setting, device or simulator.
    """
    from omegaconf import OmegaConf

    from rofunc_isaac import simulator as simulators
    from rofunc_isaac.envs import registry

    simulators.select(simulator)
    values = {"entry": task} if ":" in task else registry.read_task(task)
    composed = OmegaConf.create(values)
    for name, value in (overrides or {}).items():
        OmegaConf.update(composed, name, value)
    return registry.make_task(
        OmegaConf.to_container(composed),  # type: ignore[arg-type]
        num_envs=num_envs,
        sim_device=sim_device,
        rl_device=rl_device,
        seed=seed,
        headless=headless,
    )
