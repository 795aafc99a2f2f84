"""The error that the physics layer raises."""

from __future__ import annotations

from rofunc_isaac.errors import UserError


class PhysicsError(UserError):
    """A model, a field, a device or a number of worlds that the engine can't serve."""
