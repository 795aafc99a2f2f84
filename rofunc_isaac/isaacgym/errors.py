"""The error that the Isaac Gym interface raises."""

from __future__ import annotations

from rofunc_isaac.errors import UserError


class GymError(UserError):
    """A call that comes too early or too late, or names something that is not there."""
