"""The base of the interface's enumerations."""

from __future__ import annotations

from enum import IntEnum


class GymEnum(IntEnum):
    """An integer (NumPy takes it as one) that prints by name: ``SimType.SIM_PHYSX``."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        # IntEnum's own formatting differs between Python 3.8 and 3.12.
        return format(int(self), spec) if spec else str(self)
