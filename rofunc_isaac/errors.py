"""Errors that a user can mend. The command line prints their text without a traceback."""

from __future__ import annotations


class UserError(ValueError):
    """Something that the user asked for cannot be done.

    The text says what is wrong, where it is, and how to mend it. Command-line programs print it as
    `error: ...` and exit with status 2. Derive from it for each kind of mistake.
    """


class ConfigError(UserError):
    """A configuration that cannot be composed: an unknown key, a wrong type, a value out of range."""
