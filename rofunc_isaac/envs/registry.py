"""How a task is found: by the name of its YAML file, or by `module:Class`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Type

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from rofunc_isaac import cfg, simulator
from rofunc_isaac.envs.config import MAX_NUM_ENVS, TaskConfig
from rofunc_isaac.errors import UserError, did_you_mean

if TYPE_CHECKING:  # it loads torch, which must wait until the simulator is chosen
    from rofunc_isaac.envs.vec_task import VecTask


def task_names() -> List[str]:
    """Names of the tasks that ship with the suite."""
    return sorted(path.stem for path in _task_folder().glob("*.yaml"))


def read_task(name: str) -> Dict[str, Any]:
    """The configuration of a task that ships with the suite, as its YAML file has it.

    Raises:
        UserError: no such task; the message lists them and names the nearest.
    """
    if name not in task_names():
        raise UserError(
            f"unknown task '{name}'; there are: {', '.join(task_names())}"
            f"{did_you_mean(name, task_names())}"
        )
    loaded = OmegaConf.load(_task_folder() / f"{name}.yaml")
    return OmegaConf.to_container(loaded, resolve=True)  # type: ignore[return-value]


def task_class(entry: str) -> Type[VecTask[Any]]:
    """The class behind `module:Class`; imports that module and no other task.

    Raises:
        UserError: the entry is malformed, leads nowhere, or to something else than a task.
    """
    module_name, _, class_name = entry.partition(":")
    if not module_name or not class_name:
        raise UserError(f"task.entry='{entry}' must have the form module:Class")
    simulator.ensure_selected()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise UserError(
            f"task.entry='{entry}': there is no module {error.name}; is its folder on PYTHONPATH?"
        ) from error
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        names = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise UserError(
            f"task.entry='{entry}': module {module_name} has no class {class_name}"
            f"{did_you_mean(class_name, names)}"
        )
    from rofunc_isaac.envs.vec_task import VecTask

    if not issubclass(found, VecTask):
        raise UserError(f"task.entry='{entry}' is not a task: it must derive from VecTask")
    return found


def task_config(cls: Type[VecTask[Any]], values: Mapping[str, Any]) -> TaskConfig:
    """`values` as the task's own dataclass, `cls.Config`, every key and type checked.

    Raises:
        UserError: a key that the task does not have, or a value of the wrong type.
    """
    schema = OmegaConf.structured(cls.Config)
    try:
        merged = OmegaConf.merge(schema, DictConfig(dict(values)))
        config = OmegaConf.to_object(merged)
    except ConfigKeyError as error:
        *path, key = str(error.full_key).split(".")
        known = [str(name) for name in _select(schema, path)]
        raise UserError(
            f"task.{error.full_key} is not a setting of {cls.__name__}{did_you_mean(key, known)}"
        ) from error
    except OmegaConfBaseException as error:
        reason = str(error).splitlines()[0]
        where = ".".join(filter(None, ["task", error.full_key]))
        raise UserError(f"{where}: {reason}") from error
    assert isinstance(config, TaskConfig)
    return config


def make_task(
    values: Mapping[str, Any],
    num_envs: Optional[int] = None,
    sim_device: str = "cpu",
    rl_device: Optional[str] = None,
    seed: int = 0,
    headless: bool = True,
) -> VecTask[Any]:
    """The task that `values` describe, as composed from `cfg/task`.

    `num_envs` None takes the task's own number for the device. See `VecTask` for the rest.
    """
    cls = task_class(str(values["entry"]))
    config = task_config(cls, values)
    if num_envs is None:
        on_cpu = sim_device.startswith("cpu")
        num_envs = config.env.num_envs_cpu if on_cpu else config.env.num_envs
    check_num_envs(num_envs)
    return cls(
        config,
        num_envs=num_envs,
        sim_device=sim_device,
        rl_device=rl_device,
        seed=seed,
        headless=headless,
    )


def check_num_envs(num_envs: int) -> None:
    """Raises UserError: not a number of environments that can be created."""
    if not 1 <= num_envs <= MAX_NUM_ENVS:
        raise UserError(f"num_envs={num_envs} must be from 1 to {MAX_NUM_ENVS}")


def _task_folder() -> Path:
    return Path(cfg.__file__).parent / "task"


def _select(schema: DictConfig, path: List[str]) -> DictConfig:
    return OmegaConf.select(schema, ".".join(path)) if path else schema
