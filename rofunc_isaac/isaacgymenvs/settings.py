"""IsaacGymEnvs' own configuration of a task and its training, composed as its train.py does."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional

from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.utils import create_config_search_path
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.checkout import Checkout

PUBLISHED = {"num_envs": "", "max_iterations": "", "num_threads": 0, "checkpoint": ""}
"""Top-level values that its files refer to: empty ones leave the published numbers, and the physics
takes every core. Those of the device are settled when the task is made."""

RESOLVERS: Dict[str, Callable[..., Any]] = {
    "eq": lambda text, other: text.lower() == other.lower(),
    "contains": lambda part, text: part.lower() in text.lower(),
    "if": lambda condition, yes, no: yes if condition else no,
    "resolve_default": lambda default, given: default if given == "" else given,
}
"""The functions that its files call as `${name:...}`. It registers them itself when imported."""


class Settings(NamedTuple):
    """Plain data, every reference resolved."""

    task: Dict[str, Any]
    """The tree that a task's class takes: `name`, `env`, `sim`, `task`, ..."""
    params: Dict[str, Any]
    """What rl_games takes: `network`, `config`, ...; empty without a training."""


def read_settings(checkout: Checkout, task: str, training: Optional[str]) -> Settings:
    """The published settings of a task, from `cfg/task/TASK.yaml` and `cfg/train/TRAINING.yaml`.

    Raises:
        ConfigError: the files can't be composed.
    """
    search_path = create_config_search_path(f"file://{checkout.cfg}")
    words = [f"task={task}", "~train" if training is None else f"train={training}"]
    try:
        with _resolvers():
            loader = ConfigLoaderImpl(config_search_path=search_path)
            config = loader.load_configuration("config", words, RunMode.RUN)
            with open_dict(config):
                config.update(PUBLISHED)
            params = {} if training is None else _plain(config.train.params)
            return Settings(_plain(config.task), params)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(
            f"{checkout.cfg} can't be composed with {' '.join(words)}: "
            f"{' '.join(str(error).split())[:200]}"
        ) from error


@contextlib.contextmanager
def its_hydra(checkout: Checkout) -> Iterator[None]:
    """Let `hydra.compose` read its files: some of its tasks call it while they are made."""
    state = GlobalHydra.instance()
    ours = state.hydra
    state.clear()
    try:
        with initialize_config_dir(config_dir=str(checkout.cfg), version_base="1.3"):
            yield
    finally:
        state.hydra = ours


@contextlib.contextmanager
def _resolvers() -> Iterator[None]:
    """Know its functions for a while: importing it registers them, and fails where they are."""
    added = [name for name in RESOLVERS if not OmegaConf.has_resolver(name)]
    for name in added:
        OmegaConf.register_new_resolver(name, RESOLVERS[name])
    try:
        yield
    finally:
        for name in added:
            OmegaConf.clear_resolver(name)


def _plain(node: DictConfig) -> Dict[str, Any]:
    return OmegaConf.to_container(node, resolve=True)  # type: ignore[return-value]
