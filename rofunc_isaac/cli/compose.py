"""Compose a run's configuration from `cfg/` and overrides, and find every mistake in it.

Nothing here imports torch or a simulator: a mistake is answered at once, and NVIDIA's Isaac Gym
can still be imported before torch.
"""

from __future__ import annotations

import copy
import os
import random
import warnings
from typing import Any, List, Optional, Sequence, cast

import yaml
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.utils import create_config_search_path
from hydra.core.config_search_path import SearchPathQuery
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import setup_globals
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

import rofunc_isaac.cli.config  # registers the schema  # noqa: F401
from rofunc_isaac.cli import isaacgymenvs_task, sweeps
from rofunc_isaac.cli.checks import check_run, check_task
from rofunc_isaac.cli.devices import choose_device
from rofunc_isaac.cli.messages import added_key, explain, resolve_references
from rofunc_isaac.cli.origins import Origins, override_key
from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.offer import is_theirs, offer

CONFIG_MODULE = "pkg://rofunc_isaac.cfg"

_HYDRAS_CHOICES = ("hydra/", "hydra.searchpath")

_LOADING_ERRORS = (
    HydraException,
    OmegaConfBaseException,
    yaml.YAMLError,
    ValueError,
    # Hydra's own, where an option of a group is no plain name: `tracker=${hydra:x}`.
    AssertionError,
    TypeError,
)


def compose(
    overrides: Sequence[str],
    config_dir: Optional[str] = None,
    config_name: str = "config",
    job: Optional[int] = None,
) -> DictConfig:
    """The checked configuration of one run, as `finish` leaves it.

    Args:
        overrides: words as on the command line: `task=Ant`, `train.learning_rate=1e-3`,
            `hydra.searchpath=[file:///folder]`.
        config_dir: a folder with groups of the user's own, read before the built-in ones.
        config_name: the primary file.
        job: the number that the run has in a sweep, if it is of one.

    Raises:
        ConfigError: a file or an override holds a mistake; the text names the key, where it was
            written, and the nearest valid key.
    """
    offer(overrides)
    of_a_sweep = [] if job is None else ["hydra.mode=MULTIRUN", f"hydra.job.num={job}"]
    composed = _load([*overrides, *of_a_sweep], config_dir, config_name)
    HydraConfig.instance().set_config(composed)  # for values like ${hydra:runtime.choices.task}
    config = copy.deepcopy(composed)  # Hydra's node may refer to the whole
    with read_write(config), open_dict(config):
        del config["hydra"]
    return finish(config, HydraConfig.get())


def finish(config: DictConfig, hydra: Any) -> DictConfig:
    """Check a composed configuration and fill in what follows from it.

    Afterwards interpolations are resolved, devices are chosen, `num_envs` is `task.env.num_envs`,
    `max_iterations` is `train.max_iterations`, and `seed` is not negative.

    Args:
        config: typed as RunConfig, without Hydra's own node. Changed in place.
        hydra: Hydra's own node (HydraConf); tells which overrides and options were chosen.

    Raises:
        ConfigError: see `compose`.
    """
    # Unresolved: an override's text may itself hold ${...}.
    overrides = cast(List[str], OmegaConf.to_container(hydra.overrides.task, resolve=False))
    origins = Origins(overrides, hydra.runtime.choices)
    mistake = added_key(config, origins) or resolve_references(config, origins)
    if mistake is not None:
        raise ConfigError(mistake)
    missing = OmegaConf.missing_keys(config)
    if missing:
        key = sorted(missing)[0]
        raise ConfigError(f"{key} has no value ({origins.of(key)}); set it: {key}=VALUE")

    if is_theirs(config.task):
        isaacgymenvs_task.check(config, hydra.runtime.choices["task"], origins)
    else:
        check_task(config, origins)
    sweeps.settle(config, hydra)
    _settle(config, origins)
    check_run(config, origins)
    if config.seed == -1:
        config.seed = random.SystemRandom().randrange(2**31)
    return config


def _settle(config: DictConfig, origins: Origins) -> None:
    """Choose the device, and let the top-level names win over those in the groups."""
    device, _ = choose_device(config.simulator.name)
    for key in ("sim_device", "rl_device"):
        if config[key] == "auto":
            config[key] = device
    env, key = config.task.env, "numEnvs" if is_theirs(config.task) else "num_envs"
    if config.num_envs is None:
        config.num_envs = env[key]
        if config.sim_device == "cpu" and not origins.overridden(f"task.env.{key}"):
            config.num_envs = env.get("num_envs_cpu", env[key])
    env[key] = config.num_envs
    if config.max_iterations is None:
        config.max_iterations = config.train.max_iterations
    config.train.max_iterations = config.max_iterations


def _load(overrides: List[str], config_dir: Optional[str], config_name: str) -> DictConfig:
    """What Hydra composes, its own node included; mistakes become ConfigError."""
    if config_dir is not None and not os.path.isdir(config_dir):
        raise ConfigError(f"--config-dir {config_dir}: there is no such folder")
    search_path = create_config_search_path(CONFIG_MODULE)
    if config_dir is not None:
        search_path.prepend(
            "command-line",
            f"file://{os.path.abspath(config_dir)}",
            anchor=SearchPathQuery(provider="schema"),
        )
    setup_globals()  # resolvers such as ${now:...}
    loader = ConfigLoaderImpl(config_search_path=search_path)
    try:
        _check_choices(loader, overrides)
        with warnings.catch_warnings():
            # A search path that does not exist is a mistake, not a warning.
            warnings.filterwarnings("error", message=".*is not available")
            return loader.load_configuration(config_name, overrides, RunMode.RUN)
    except ConfigError:
        raise
    except UserWarning as warning:
        raise ConfigError(f"hydra.searchpath: {warning}") from warning
    except _LOADING_ERRORS as error:
        raise ConfigError(explain(error, lambda: _group_keys(loader, overrides))) from error


def _check_choices(loader: ConfigLoaderImpl, overrides: List[str]) -> None:
    """Refuse what is not a name where an option of a group is chosen; Hydra's text is unclear."""
    groups = loader.list_groups("")
    for override in OverridesParser.create().parse_overrides(overrides):
        group = override.key_or_group
        if group not in groups or override.is_sweep_override():
            continue
        value = override.value()
        if isinstance(value, dict):
            continue  # train={gamma: 0.9} sets keys
        names = value if isinstance(value, list) else [value]
        if not all(name is None or isinstance(name, str) for name in names):
            example = loader.get_group_options(group)[0]
            raise ConfigError(
                f"{override.input_line}: {group} is chosen by name, as in {group}={example}"
            )


def _group_keys(loader: ConfigLoaderImpl, overrides: List[str]) -> Optional[DictConfig]:
    """The configuration without overrides of single keys, for the keys that it has."""
    groups = set(loader.list_groups(""))
    kept = [
        text
        for text in overrides
        if override_key(text) in groups or override_key(text).startswith(_HYDRAS_CHOICES)
    ]
    try:
        return loader.load_configuration("config", kept, RunMode.RUN)
    except _LOADING_ERRORS:
        return None  # the groups themselves hold the mistake
