"""From a checked configuration to the environments and the learner that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, cast

from omegaconf import DictConfig, OmegaConf

from rofunc_isaac import simulator
from rofunc_isaac.isaacgymenvs.offer import is_theirs
from rofunc_isaac.memory import keep_large_blocks
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.schedulers.config import SchedulerChoice

if TYPE_CHECKING:
    from rofunc_isaac.ranks import Ranks


def select_simulator(config: DictConfig) -> None:
    """Settle what `import isaacgym` gives, which must come before anything imports torch."""
    choice = config.simulator
    simulator.select(choice.name, choice.max_contacts, choice.max_constraints)


def build_env(config: DictConfig, rank: int = 0) -> Any:
    """The environments of `config.task`, with random numbers of their own in each process.

    Selects the simulator first.
    """
    select_simulator(config)
    choices = {
        "num_envs": config.num_envs,
        "sim_device": config.sim_device,
        "rl_device": config.rl_device,
        "seed": config.seed + rank,
        "headless": config.headless,
    }
    if is_theirs(config.task):
        from rofunc_isaac.isaacgymenvs.env import make

        return make(plain(config.task), config.isaacgymenvs_path, **choices)
    from rofunc_isaac.envs.registry import make_task

    return make_task(plain(config.task), **choices)


def build_learner(config: DictConfig, env: Any, ranks: Optional[Ranks] = None) -> Any:
    """A `Learner` on `env`, with `config.train` and `config.scheduler`, one of `ranks`."""
    from rofunc_isaac.envs.vec_task import VecTask
    from rofunc_isaac.ppo.learner import Learner

    keep_large_blocks()
    train = cast(PPOConfig, OmegaConf.to_object(config.train))
    scheduler = cast(SchedulerChoice, OmegaConf.to_object(config.scheduler))
    learner = Learner(env, train, scheduler, config.seed, ranks)
    if learner.numerics.compile and isinstance(env, VecTask):
        env.compile()
    return learner


def plain(config: DictConfig) -> Dict[str, Any]:
    """`config` as plain dicts, lists and numbers, every reference resolved."""
    return cast(Dict[str, Any], OmegaConf.to_container(config, resolve=True, throw_on_missing=True))
