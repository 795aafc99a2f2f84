"""Words of the command line: a benchmark's own options, and settings of the training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rofunc_isaac.errors import UserError, did_you_mean

SETTINGS = (
    *("task", "isaacgymenvs_path", "train", "num_envs", "seed", "sim_device", "rl_device"),
    *("simulator", "scheduler"),
)
"""Top-level settings that are handed on to `rofunc_isaac.cli.compose`."""
GROUPS = ("task.", "train.", "scheduler.")
"""And the groups whose settings are, as in `train.mini_epochs=2`."""


def parse(
    words: Sequence[str],
    own: Mapping[str, Callable[[str], Any]],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[dict[str, Any], list[str]]:
    """The benchmark's own options by name, and the overrides for the training.

    Args:
        words: of the form key=value.
        own: how each of the benchmark's own options is read; ValueError refuses a value.
        defaults: of options that no word gives.

    Raises:
        UserError: a word without `=`, a key that is not known or given twice, a value that does
            not fit.
    """
    options: dict[str, Any] = {}
    overrides: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"'{word}' is not of the form key=value")
        if key in options or key in overrides:
            raise UserError(f"{key} is given twice")
        if key in own:
            try:
                options[key] = own[key](value)
            except ValueError as error:
                raise UserError(f"{key}={value}: {error}") from error
        elif key in SETTINGS or key.startswith(GROUPS):
            overrides[key] = word
        else:
            known = [*own, *SETTINGS]
            raise UserError(
                f"unknown option {key}{did_you_mean(key, known)}; there are: {', '.join(known)}, "
                f"and settings such as train.horizon_length"
            )
    return {**defaults, **options}, list(overrides.values())


def count(text: str) -> int:
    """A whole number of 1 or more."""
    return int(positive(text, whole=True))


def steps(text: str) -> int:
    """A number of steps, also as 16.4e6."""
    return round(positive(text, whole=False))


def positive(text: str, whole: bool) -> float:
    what = "a whole number of 1 or more" if whole else "a number of 1 or more"
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        raise ValueError(f"must be {what}") from None
    if not 1 <= number < float("inf"):
        raise ValueError(f"must be {what}")
    return number


def names(text: str) -> list[str]:
    """Names between commas."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise ValueError("must name at least one")
    return found


def one_of(*choices: str) -> Callable[[str], str]:
    """A reader of one of these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return read


def path(text: str) -> str:
    """A path to a file."""
    if not text:
        raise ValueError("must be a path")
    return text
