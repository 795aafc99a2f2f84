"""Checks of a composed task of IsaacGymEnvs, whose tree is its own and not ours."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, open_dict

from rofunc_isaac.cli.messages import nearest_key
from rofunc_isaac.cli.origins import Origins
from rofunc_isaac.envs.config import EnvConfig, SimConfig
from rofunc_isaac.errors import ConfigError


def check(config: DictConfig, option: str, origins: Origins) -> None:
    """Leave the task its own tree, and make the path of its checkout absolute.

    Args:
        config: changed in place.
        option: the task as it was chosen: `isaacgymenvs/Anymal`.

    Raises:
        ConfigError: an override of a setting that only tasks of ours have.
    """
    stored: Any = ConfigStore.instance().load(f"task/{option}.yaml").node
    with open_dict(config):
        for group, schema in (("env", EnvConfig), ("sim", SimConfig)):
            own = stored[group]
            # The schema of all tasks has put ours beside them.
            for name in [field.name for field in fields(schema) if field.name not in own]:
                key = f"task.{group}.{name}"
                if origins.overridden(key):
                    keys = [f"task.{group}.{known}" for known in own]
                    raise ConfigError(
                        f"{key} ({origins.of(key)}) is not a setting of {option}"
                        f"{nearest_key(key, keys)}"
                    )
                del config.task[group][name]
    if config.isaacgymenvs_path is not None:
        path = os.path.expanduser(config.isaacgymenvs_path)
        config.isaacgymenvs_path = os.path.abspath(path)
