"""Tasks of IsaacGymEnvs as options of our command line.

`task=isaacgymenvs/Anymal` names no file of ours. Before Hydra composes, its settings are read and
translated, and stored where Hydra looks beside the files: from then on task, training and scheduler
are composed, overridden and checked like any other.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ValueType
from hydra.errors import HydraException

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.checkout import PACKAGE, Checkout
from rofunc_isaac.isaacgymenvs.settings import Settings, read_settings
from rofunc_isaac.isaacgymenvs.translate import VEC_ENV, translate
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.schedulers.config import SchedulerChoice

PATH_WORD = "isaacgymenvs_path"
OWN_KEYS = ("name", "entry", "vec_env", "not_translated")
"""What is added to the tree that a task's class takes."""


def offer(words: Sequence[str]) -> None:
    """Store what the `task=` and `train=` words of a command line ask for, if it is IsaacGymEnvs'.

    Raises:
        ConfigError: IsaacGymEnvs is not there, has no such task or training, or the training needs
            what our PPO does not have.
    """
    values = _values(words)
    tasks = _theirs(values.get("task", []))
    if not tasks:
        if _theirs(values.get("train", [])):
            raise ConfigError(f"train={values['train'][0]} goes with a task={PACKAGE}/NAME")
        return
    paths = values.get(PATH_WORD, [])
    checkout = Checkout(str(paths[-1]) if paths and paths[-1] is not None else None)
    for task in tasks:
        checkout.check_task(task)
        training = _training(values, task)
        if training is not None:
            checkout.check_training(training)
        _store(task, training, read_settings(checkout, task, training))


def tree(task: Mapping[str, Any]) -> Dict[str, Any]:
    """What the class of a composed task takes: its own tree, under its own name."""
    own = {key: value for key, value in task.items() if key not in OWN_KEYS}
    return {"name": str(task["entry"]).partition(":")[2], **own}


def is_theirs(task: Mapping[str, Any]) -> bool:
    """Whether a composed task is one of IsaacGymEnvs'."""
    return str(task["entry"]).partition(":")[0] == PACKAGE


def _store(task: str, training: Optional[str], settings: Settings) -> None:
    store = ConfigStore.instance().store
    node: Dict[str, Any] = {
        **settings.task,
        "name": f"{PACKAGE}/{task}",
        "entry": f"{PACKAGE}:{settings.task['name']}",
        "vec_env": VEC_ENV,
        "not_translated": [],
    }
    if training is not None:
        num_envs = int(settings.task["env"]["numEnvs"])
        ours = translate(settings.params, num_envs, f"{PACKAGE}/cfg/train/{training}.yaml")
        node.update(vec_env=ours.vec_env, not_translated=ours.not_translated)
        name = f"{PACKAGE}/{training}"
        train, scheduler = PPOConfig(**ours.train), SchedulerChoice(**ours.scheduler)
        # In the task's node, since an option that follows another, as train does, can't choose.
        node["defaults"] = [{"override /scheduler@_global_.scheduler": name}, "_self_"]
        store(group=f"train/{PACKAGE}", name=training, node=asdict(train), provider=PACKAGE)
        store(group=f"scheduler/{PACKAGE}", name=training, node=asdict(scheduler), provider=PACKAGE)
    store(group=f"task/{PACKAGE}", name=task, node=node, provider=PACKAGE)


def _training(values: Dict[str, List[Any]], task: str) -> Optional[str]:
    """The training that goes with a task; None for settings of ours: `train=default`."""
    if "train" not in values:
        return f"{task}PPO"
    theirs = _theirs(values["train"])
    if theirs and len(values["train"]) > 1:
        raise ConfigError("IsaacGymEnvs' settings belong to the task: one training at a time")
    return theirs[0] if theirs else None


def _values(words: Sequence[str]) -> Dict[str, List[Any]]:
    """The values of each word's key, several in a sweep; mistakes are left to whoever composes."""
    parser = OverridesParser.create()
    values: Dict[str, List[Any]] = {}
    for text in words:
        try:
            override = parser.parse_override(text)
        except HydraException:
            continue
        if override.is_sweep_override():
            # A glob finds files, and their tasks are none.
            if override.is_discrete_sweep() and override.value_type != ValueType.GLOB_CHOICE_SWEEP:
                values[override.key_or_group] = list(override.sweep_string_iterator())
        elif not override.is_delete():
            value = override.value()
            values[override.key_or_group] = [getattr(value, "text", value)]
    return values


def _theirs(options: Sequence[Any]) -> List[str]:
    """Those of the options that name something of IsaacGymEnvs', without the prefix."""
    prefix = f"{PACKAGE}/"
    return [str(name)[len(prefix) :] for name in options if str(name).startswith(prefix)]
