"""What the Isaac Gym interface raises and warns of."""

from __future__ import annotations

from rofunc_isaac.errors import UserError


class GymError(UserError):
    """A call that comes too early or too late, or names something that is not there."""


class GymWarning(UserWarning):
    """Something is accepted, and does not do quite what Isaac Gym makes of it."""
