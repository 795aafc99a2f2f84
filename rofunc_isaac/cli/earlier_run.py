"""A run that goes on: the words that it was started with, and what has changed since."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import yaml
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig

from rofunc_isaac.cli.origins import override_key
from rofunc_isaac.cli.run_folder import last_checkpoint, latest_overrides
from rofunc_isaac.errors import UserError

CHOOSE_THE_RUN = ("run_dir", "experiment", "resume", "checkpoint", "test")
"""Keys that say which run it is, or what to do with it: not taken from an earlier session."""

ENV_KEYS = ("task.", "num_envs", "seed", "sim_device", "simulator.")
"""Keys, and groups of them, on which the environments' state depends."""

ALIASES = (
    ("max_iterations", "train.max_iterations"),
    ("train.minibatch_size", "train.num_minibatches"),
    ("num_envs", "task.env.num_envs"),
    ("num_envs", "task.env.numEnvs"),
    *((f"wandb_{name}", f"tracker.{name}") for name in ("activate", "project", "name")),
    *((f"wandb_{name}", f"tracker.{name}") for name in ("entity", "group")),
)
"""Two keys for one setting: a word with either takes the place of one with the other."""

WITHOUT_EFFECT = ("task.sim.num_threads", "task.env.num_envs_cpu")
"""Of these, those that change no result."""

NUMERICS = {"precision": "auto", "compile": "auto", "rollout_threads": 0, "update_threads": 0}
"""Settings of `train` that decide the last bits, and the value that leaves them to the machine."""


def with_recorded_words(arguments: Sequence[str], overrides: Sequence[str]) -> List[str]:
    """The arguments of a resume, with those that its run was started with before them.

    So `resume=True run_dir=PATH` is enough. A word given now takes the place of a recorded one of
    the same key. Without resume, or where the folder holds no run, the arguments are unchanged.
    `checkpoint`, the policy that a run began with, counts only where "auto" starts it anew.

    Args:
        arguments: of the command line.
        overrides: those of them that are `key=value` words.

    Raises:
        UserError: the folder's record can't be read.
    """
    given = _values(overrides)
    resume = str(given.get("resume", False)).lower()
    if resume not in ("true", "auto"):
        return list(arguments)
    folder = _folder(given)
    record = latest_overrides(folder) if folder is not None else None
    if folder is None or record is None:
        return list(arguments)
    starts_anew = resume == "auto" and not last_checkpoint(folder).exists()
    own = list(overrides)
    if given.get("seed") == -1:  # the run has drawn its seed already
        own = [word for word in own if override_key(word) != "seed"]
        del given["seed"]
    flags = [argument for argument in arguments if argument not in overrides]
    left_out = {*given, *CHOOSE_THE_RUN}
    if starts_anew and "checkpoint" not in given:
        left_out.remove("checkpoint")
    for pair in ALIASES:
        if given.keys() & set(pair):
            left_out.update(pair)
    recorded = [word for word in _read_words(record) if override_key(word) not in left_out]
    names = [flag.split("=")[0] for flag in flags]
    words = [word for word in recorded if not word.startswith("--")]
    earlier_flags = [w for w in recorded if w.startswith("--") and w.split("=")[0] not in names]
    # Flags last: argparse takes all words together or none.
    return [*words, *own, *flags, *earlier_flags]


def changes(before: Dict[str, Any], config: Dict[str, Any]) -> Dict[str, Tuple[Any, Any]]:
    """Settings that differ between the configuration of a checkpoint and the present one.

    Returns:
        By dotted key, the value before and now; None where there was or is none.
    """
    old, new = dict(_leaves(before)), dict(_leaves(config))
    return {
        key: (old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key) and key not in {*CHOOSE_THE_RUN, *_NUMERICS_KEYS}
    }


def spoil_environments(changed: Dict[str, Tuple[Any, Any]]) -> List[str]:
    """Of the keys of `changed`, those with which the environments' state can't be taken over."""
    return [
        key
        for key in changed
        if key not in WITHOUT_EFFECT
        and any(key == name or (name[-1] == "." and key.startswith(name)) for name in ENV_KEYS)
    ]


def keep_numerics(config: DictConfig, content: Dict[str, Any]) -> None:
    """Put the numerics that the checkpoint's run began with in the place of `auto` and 0."""
    for name, undecided in NUMERICS.items():
        if config.train[name] == undecided:
            config.train[name] = content["learner"]["numerics"][name]


_NUMERICS_KEYS = tuple(f"train.{name}" for name in NUMERICS)


def _values(overrides: Sequence[str]) -> Dict[str, Any]:
    """The overrides by key, as Hydra reads them; mistakes are left to whoever composes."""
    parser = OverridesParser.create()
    values = {}
    for text in overrides:
        try:
            override = parser.parse_override(text)
        except HydraException:
            continue
        value = override.value() if not override.is_delete() else None
        values[override_key(text)] = getattr(value, "text", value)
    return values


def _folder(given: Dict[str, Any]) -> Optional[Path]:
    for key in ("run_dir", "experiment"):
        if "${" in str(given.get(key)):
            raise UserError(
                f"{key}={given[key]}: to go on with a run, write its name itself, or let the shell "
                "fill it in"
            )
    if given.get("run_dir") is not None:
        return Path(str(given["run_dir"])).expanduser()
    return Path("runs") / str(given["experiment"]) if given.get("experiment") else None


def _read_words(record: Path) -> List[str]:
    try:
        words = yaml.safe_load(record.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(
            f"{record}, the words that the run was started with, can't be read "
            f"({' '.join(str(error).split())}); mend it, or delete it and give all of them anew"
        ) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UserError(
            f"{record} must be a list of key=value words; mend it, or delete it and give all of "
            "them anew"
        )
    return words


def _leaves(node: Dict[str, Any], prefix: str = "") -> Iterator[Tuple[str, Any]]:
    for key, value in node.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
