"""The root of the errors that are the user's to mend."""

from __future__ import annotations


class UserError(ValueError):
    """Something in a configuration, a file or a call is wrong, and the message says how to mend it.

    The command line prints the message without a traceback and exits with status 2.
    """
