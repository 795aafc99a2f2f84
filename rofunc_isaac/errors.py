"""Errors that a user can mend. The command line prints their text without a traceback."""

from __future__ import annotations

import difflib
from typing import Iterable, Optional


class UserError(ValueError):
    """Something that the user asked for cannot be done.

    The text says what is wrong, where it is, and how to mend it. Command-line programs print it as
    `error: ...` and exit with status 2. Derive from it for each kind of mistake.
    """


class ConfigError(UserError):
    """A configuration that cannot be composed: an unknown key, a wrong type or value."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean NEAREST?` for a misspelt `word`, or nothing where no known one is near."""
    nearest = nearest_name(word, known)
    return f"; did you mean {nearest}?" if nearest is not None else ""


def nearest_name(word: str, known: Iterable[str]) -> Optional[str]:
    """The known name most like `word`, None where none is near.

    Case, underscores and dots do not count, so that `numEnvs` finds `num_envs`.
    """
    by_plain = {plain_name(name): name for name in known}
    nearest = difflib.get_close_matches(plain_name(word), list(by_plain), n=1, cutoff=0.65)
    return by_plain[nearest[0]] if nearest else None


def plain_name(name: str) -> str:
    """`name` without what misspellings differ in: case, underscores and dots."""
    return name.replace("_", "").replace(".", "").lower()
