"""Turn the exceptions of Hydra and OmegaConf into one short paragraph each."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any, Callable, Iterator, List, Optional, Union

from hydra.errors import MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from rofunc_isaac.cli.config import RunConfig
from rofunc_isaac.cli.origins import Origins, override_key
from rofunc_isaac.errors import did_you_mean, nearest_name, plain_name

Known = Callable[[], Optional[DictConfig]]


def explain(error: BaseException, known: Known) -> str:
    """Say what is wrong, where, and which valid key or option is nearest.

    Args:
        error: what Hydra or OmegaConf raised while it composed.
        known: gives a configuration whose keys are all valid, or None where there is none.
    """
    if isinstance(error, MissingConfigException):
        return _missing_option(error)
    if isinstance(error, OverrideParseException):
        return _unreadable(error)
    text = str(error)

    in_file = re.match(r"In '([^']+)': (\w+) raised while composing config:\n(.*)", text, re.S)
    if in_file:
        file, kind, message = in_file.groups()
        key = _full_key(message) or file.split("/")[0]
        if kind in ("ConfigKeyError", "ConfigAttributeError"):
            return _unknown(key, f"{file}.yaml", known)
        return f"{key} ({file}.yaml) {type_mistake(message)}"

    cause = error if isinstance(error, OmegaConfBaseException) else error.__cause__
    override = re.search(r"(?:^Error merging override |To append to your config use \+)(.*)", text)
    if isinstance(cause, OmegaConfBaseException) and override:
        where = f"override {override.group(1)}"
        if isinstance(cause, (ConfigAttributeError, ConfigKeyError)):
            key = max(override_key(override.group(1)), str(cause.full_key), key=len)
            return _unknown(key, where, known)
        return f"{cause.full_key} ({where}) {type_mistake(str(cause))}"

    several = re.match(r"(?:Ambiguous value for argument|Sweep parameters) '([^']+)'", text)
    if several:
        key, _, values = several.group(1).partition("=")
        return (
            f"{several.group(1)} holds several values: add -m to run each of them, or write a "
            f"list as {key}=[{values}]"
        )
    return _one_paragraph(text)


def type_mistake(message: str) -> str:
    """What OmegaConf says of a value of the wrong type, in plain words."""
    first = first_line(message)
    for pattern, words in _TYPE_MISTAKES:
        found = re.search(pattern, first)
        if found:
            return words.format(*found.groups())
    return f"cannot be used: {first}"


_TYPE_MISTAKES = (
    (r"Value '(.*)' of type '.*' could not be converted to Float", "must be a number, got {}"),
    (
        r"Value '(.*)' of type '.*' could not be converted to Integer",
        "must be a whole number, got {}",
    ),
    (r"Value '(.*)' is not a valid bool", "must be True or False, got '{}'"),
    (r"is not Optional", "must have a value, got null"),
    (
        r"Invalid value assigned: (\w+) is not a ListConfig",
        "must be a list, got a value of type {}",
    ),
    (
        r"Value '(.*)' of type '.*' is incompatible with type hint 'Union\[(\w+), str\]'",
        "must be of type {1} or str, got {0}",
    ),
)


def added_key(config: DictConfig, origins: Origins) -> Optional[str]:
    """An error text if a key was added (`+train.foo=1`) that the schema does not have."""
    valid = list(_schema_keys(RunConfig(), ""))
    for key in _keys(config):
        if key not in valid and not key.startswith("task."):
            return f"unknown key {key} ({origins.of(key)}){nearest_key(key, valid)}"
    return None


def resolve_references(config: DictConfig, origins: Origins) -> Optional[str]:
    """Resolve every interpolation `${...}` in place, or say which one cannot be."""
    for key in _keys(config):
        try:
            OmegaConf.select(config, key)
        except OmegaConfBaseException as error:
            return f"{key} ({origins.of(key)}): {first_line(error)}"
    try:
        OmegaConf.resolve(config)
    except OmegaConfBaseException as error:  # inside a list, or of a type that does not fit
        return f"a reference ${{...}} cannot be used: {first_line(error)}"
    return None


def first_line(error: Union[BaseException, str]) -> str:
    """The first line of a message, cut where a whole configuration is quoted in it."""
    line = str(error).splitlines()[0]
    return line if len(line) <= 160 else f"{line[:160]}..."


def _unknown(key: str, where: str, known: Known) -> str:
    config = known()
    if config is not None and key.startswith("hydra."):
        keys = list(_keys(config.hydra, "hydra."))
    else:
        keys = list(_keys(config)) if config is not None else list(_schema_keys(RunConfig(), ""))
    return f"unknown key {key} ({where}){nearest_key(key, keys)}"


def nearest_key(key: str, keys: List[str]) -> str:
    """The key that was meant: one with the same last word, a near sibling, or any near key."""
    parent, _, word = key.rpartition(".")
    last_word = {k: k.rpartition(".")[2] for k in keys}
    siblings = [k for k in keys if k.rpartition(".")[0] == parent]
    for candidate in siblings + sorted(keys, key=lambda k: k.count(".")):
        if plain_name(last_word[candidate]) == plain_name(word):
            return f"; did you mean {candidate}?"
    sibling = nearest_name(word, [last_word[k] for k in siblings])
    if sibling is not None:
        return f"; did you mean {parent + '.' if parent else ''}{sibling}?"
    return did_you_mean(key, (k for k in keys if not key.startswith(f"{k}.")))


_IN_EXTRA_SWEEPS = (
    *("hydra/sweeper/optuna", "hydra/launcher/joblib"),
    *("hydra/launcher/submitit_local", "hydra/launcher/submitit_slurm"),
)


def _missing_option(error: MissingConfigException) -> str:
    group, _, option = str(error.missing_cfg_file).rpartition("/")
    if error.missing_cfg_file in _IN_EXTRA_SWEEPS:
        return f"{group}={option} needs packages that are not there: pip install -e '.[sweeps]'"
    asked_in = re.match(r"In '([^']+)'", str(error))
    if error.options is None:
        asking = f", which {asked_in.group(1)}.yaml asks for" if asked_in else ""
        return f"there is no configuration file {error.missing_cfg_file}.yaml{asking}"
    options = ", ".join(error.options)
    hint = did_you_mean(option, error.options)
    if group == "train" and option.endswith("PPO") and not hint:
        task = option[: -len("PPO")]
        return (
            f"task {task} has no training settings of its own: write train/{option}.yaml beside "
            f"task/{task}.yaml, or take the default ones with train=default "
            f"(there are: {options})"
        )
    return f"there is no {group}={option}{hint or ';'} choose one of: {options}"


def _unreadable(error: OverrideParseException) -> str:
    if "=" not in error.override:
        return (
            f"cannot read the word {error.override!r}: expected key=value, as in task=Ant "
            "(--help lists the keys)"
        )
    reason = str(error.message).splitlines()
    reason = [line for line in reason if not line.startswith(("Error parsing", "See http"))]
    return f"cannot read the override {error.override!r}: {' '.join(reason)}"


def _full_key(message: str) -> str:
    found = re.search(r"full_key: (\S+)", message)
    return found.group(1) if found else ""


def _one_paragraph(text: str) -> str:
    joined = " ".join(line.strip() for line in text.splitlines() if line.strip())
    if not joined:
        return "Hydra cannot compose these overrides; is an option of a group not a plain name?"
    return joined if len(joined) <= 300 else f"{joined[:300]}..."


def _keys(config: DictConfig, prefix: str = "") -> Iterator[str]:
    """The dotted keys of a configuration, inner nodes included, Hydra's own left out."""
    for name in config:
        if prefix == "" and name == "hydra":
            continue
        key = f"{prefix}{name!s}"
        yield key
        if not isinstance(name, str):
            continue  # {1: ...}: nothing of ours has such keys
        # The order matters: is_missing resolves an interpolation, which may fail.
        if not OmegaConf.is_interpolation(config, name) and not OmegaConf.is_missing(config, name):
            value = config[name]
            if isinstance(value, DictConfig):
                yield from _keys(value, f"{key}.")


def _schema_keys(value: Any, prefix: str) -> Iterator[str]:
    names = [f.name for f in fields(value)] if is_dataclass(value) else list(value)
    for name in names:
        key = f"{prefix}{name}"
        yield key
        child = getattr(value, name) if is_dataclass(value) else value[name]
        if is_dataclass(child) or isinstance(child, dict):
            yield from _schema_keys(child, f"{key}.")
