"""Checks of values that types cannot express: ranges, names, and what must fit together."""

from __future__ import annotations

import math
import os
import re
from dataclasses import fields
from typing import Any, Callable, Dict, Sequence, Tuple

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rofunc_isaac.cli.messages import type_mistake
from rofunc_isaac.cli.origins import Origins
from rofunc_isaac.envs.config import MAX_NUM_ENVS, EnvConfig, SimConfig
from rofunc_isaac.errors import ConfigError, did_you_mean
from rofunc_isaac.ppo.batch_sizes import BatchSizeError, resolve_minibatch_size
from rofunc_isaac.schedulers.config import SchedulerChoice

MAX_SEED = 2**32 - 1

NAMES: Dict[str, Tuple[str, ...]] = {
    "simulator.name": ("auto", "mujoco", "mujoco_warp", "isaacgym"),
    "train.activation": ("elu", "relu", "tanh", "silu"),
    "train.precision": ("auto", "float32", "bfloat16"),
}

Rule = Tuple[str, Callable[[Any], bool]]

_COUNT: Rule = ("a whole number of 1 or more", lambda x: x >= 1)
_COUNT_OR_ZERO: Rule = ("a whole number of 0 or more", lambda x: x >= 0)
_POSITIVE: Rule = ("a finite number above 0", lambda x: 0.0 < x < math.inf)
_NOT_NEGATIVE: Rule = ("a finite number of 0 or more", lambda x: 0.0 <= x < math.inf)
_SHARE: Rule = ("a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
_LIMIT: Rule = ("a number above 0", lambda x: x > 0.0)

TASK_RANGES: Dict[str, Rule] = {
    "task.env.episode_length": _COUNT,
    "task.env.control_frequency_inv": _COUNT,
    "task.env.env_spacing": _NOT_NEGATIVE,
    "task.env.clip_actions": _LIMIT,
    "task.env.clip_observations": _LIMIT,
    "task.sim.dt": _POSITIVE,
    "task.sim.substeps": _COUNT,
    "task.sim.num_threads": _COUNT_OR_ZERO,
    "task.sim.solver.iterations": _COUNT,
    "task.sim.solver.tolerance": _NOT_NEGATIVE,
    "task.sim.gravity": ("three finite numbers", lambda g: len(g) == 3 and _all_finite(g)),
}

RANGES: Dict[str, Rule] = {
    "num_envs": (
        f"a whole number from 1 to {MAX_NUM_ENVS}",
        lambda x: 1 <= x <= MAX_NUM_ENVS,
    ),
    "max_iterations": _COUNT,
    "checkpoint_every": _COUNT,
    "seed": (f"-1 or a whole number up to {MAX_SEED}", lambda x: -1 <= x <= MAX_SEED),
    "resume": ("False, True or auto", lambda x: x in (False, True, "auto")),
    "train.compile": ("False, True or auto", lambda x: x in (False, True, "auto")),
    "train.horizon_length": _COUNT,
    "train.num_minibatches": _COUNT,
    "train.mini_epochs": _COUNT,
    "train.learning_rate": _POSITIVE,
    "train.gamma": _SHARE,
    "train.gae_lambda": _SHARE,
    "train.clip_range": _POSITIVE,
    "train.critic_coef": _NOT_NEGATIVE,
    "train.entropy_coef": ("a finite number", math.isfinite),
    "train.bounds_loss_coef": _NOT_NEGATIVE,
    "train.bounds_limit": _NOT_NEGATIVE,
    "train.max_grad_norm": ("null or a number above 0", lambda x: x is None or x > 0.0),
    "train.reward_scale": _POSITIVE,
    "train.hidden_sizes": (
        "a list of whole numbers of 1 or more",
        lambda sizes: len(sizes) > 0 and all(size >= 1 for size in sizes),
    ),
    "train.critic_hidden_sizes": (
        "null or a list of whole numbers of 1 or more",
        lambda sizes: sizes is None or (len(sizes) > 0 and all(size >= 1 for size in sizes)),
    ),
    "train.initial_log_std": ("a finite number", math.isfinite),
    "train.rollout_threads": _COUNT_OR_ZERO,
    "train.update_threads": _COUNT_OR_ZERO,
}


def check_task(config: DictConfig, origins: Origins) -> None:
    """Check the part of `task` that every task has; the rest belongs to the task's dataclass."""
    task = config.task
    for key in ("name", "entry"):
        if not isinstance(task.get(key), str):
            _refuse(f"task.{key}", task.get(key), "text", origins)
    if not re.fullmatch(r"[\w.]+:\w+", task.entry):
        _refuse("task.entry", task.entry, "module:Class, as my_tasks.hopper:Hopper", origins)
    for group, schema in (("env", EnvConfig), ("sim", SimConfig)):
        node = task.get(group)
        if not isinstance(node, DictConfig):
            _refuse(f"task.{group}", node, "a mapping of keys to values", origins)
        typed = OmegaConf.structured(schema)
        for field in fields(schema):
            key = f"task.{group}.{field.name}"
            try:
                typed.merge_with({field.name: node[field.name]})
            except OmegaConfBaseException as error:
                mistake = type_mistake(str(error))
                raise ConfigError(f"{key} ({origins.of(key)}) {mistake}") from error
            node[field.name] = typed[field.name]
    _check_ranges(config, TASK_RANGES, origins)


def check_run(config: DictConfig, origins: Origins) -> None:
    """Check everything above `task`, once `num_envs` and `max_iterations` are settled.

    Raises:
        ConfigError: naming the key, where it was written, and what is allowed.
    """
    for key, names in NAMES.items():
        value = OmegaConf.select(config, key)
        if value not in names:
            _refuse(key, value, f"one of {', '.join(names)}", origins, did_you_mean(value, names))
    _check_ranges(config, RANGES, origins)
    _check_scheduler(config, origins)
    _check_room(config, origins)
    for key in ("sim_device", "rl_device"):
        if not re.fullmatch(r"cpu|cuda(:\d+)?", config[key]):
            _refuse(key, config[key], "auto, cpu, cuda or cuda:N", origins)
    if config.capture_video:
        where = origins.of("capture_video")
        raise ConfigError(f"capture_video ({where}) is not available yet; leave it at False")
    if config.multi_gpu and "RANK" not in os.environ:
        raise ConfigError(
            f"multi_gpu ({origins.of('multi_gpu')}) needs torchrun: "
            "torchrun --nproc-per-node=2 train.py ... multi_gpu=True"
        )
    if not config.test:
        _check_minibatch(config, origins)
    if config.resume is True and config.checkpoint is not None:
        raise ConfigError(
            f"checkpoint ({origins.of('checkpoint')}) starts a new run, and resume=True goes on "
            "from the run's own last.pt: leave out one of them"
        )
    if config.resume is not False and config.run_dir is None and config.experiment is None:
        raise ConfigError(
            f"resume={config.resume} needs the run to go on with: add run_dir=PATH or "
            "experiment=NAME"
        )


def check_policy(config: DictConfig) -> None:
    """Check that there is a policy, where one is to be run; only showing settings needs none.

    Raises:
        ConfigError: there is none.
    """
    if config.test and config.checkpoint is None:
        raise ConfigError("test=True needs a policy to run: add checkpoint=PATH")


def _check_ranges(config: DictConfig, ranges: Dict[str, Rule], origins: Origins) -> None:
    for key, (allowed, holds) in ranges.items():
        value = OmegaConf.select(config, key)
        if not holds(value):
            _refuse(_written_as(key, config, origins), value, allowed, origins)


def _written_as(key: str, config: DictConfig, origins: Origins) -> str:
    """The key in a group from which a top-level one took its value."""
    if origins.overridden(key):
        return key
    if key == "max_iterations":
        return "train.max_iterations"
    if key == "num_envs" and "numEnvs" in config.task.env:
        return "task.env.numEnvs"
    if key == "num_envs":
        on_cpu = config.sim_device == "cpu" and not origins.overridden("task.env.num_envs")
        return "task.env.num_envs_cpu" if on_cpu else "task.env.num_envs"
    return key


def _check_scheduler(config: DictConfig, origins: Origins) -> None:
    values: Dict[Any, Any] = dict(config.scheduler)
    try:
        SchedulerChoice(**values)
    except (TypeError, ValueError) as error:
        text = str(error)
        words = text.replace("scheduler ", "", 1).split(maxsplit=1)
        key = f"scheduler.{words[0]}"
        raise ConfigError(f"{key} ({origins.of(key)}) {words[1]}") from error


def _check_room(config: DictConfig, origins: Origins) -> None:
    keys = ("simulator.max_contacts", "simulator.max_constraints")
    given = [OmegaConf.select(config, key) for key in keys]
    for key, value in zip(keys, given):
        if value is not None and value < 1:
            _refuse(key, value, "null or a whole number of 1 or more", origins)
    if given.count(None) == 1:
        raise ConfigError(f"{keys[0]} and {keys[1]} go together: give both or neither")


def _check_minibatch(config: DictConfig, origins: Origins) -> None:
    size, number = "train.minibatch_size", "train.num_minibatches"
    if config.train.minibatch_size != "auto" and origins.overridden(number):
        raise ConfigError(
            f"{size} ({origins.of(size)}) and {number} ({origins.of(number)}) decide the same "
            f"thing: leave out one of them, or add {size}=auto"
        )
    try:
        resolve_minibatch_size(config.train, config.num_envs)
    except BatchSizeError as error:
        raise ConfigError(
            f"{error.key}={error.value} ({origins.of(error.key)}) {error.reason}"
        ) from error


def _refuse(key: str, value: object, allowed: str, origins: Origins, hint: str = "") -> None:
    raise ConfigError(f"{key} ({origins.of(key)}) must be {allowed}, got {value}{hint}")


def _all_finite(numbers: Sequence[float]) -> bool:
    return all(math.isfinite(number) for number in numbers)
