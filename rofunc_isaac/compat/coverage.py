"""What of Isaac Gym's interface is there: the types of the table, and the way to ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Iterable, Mapping, Optional, Tuple

COMPLETE, APPROXIMATE, MISSING = "complete", "approximate", "missing"


@dataclass(frozen=True)
class Coverage:
    """One namespace of Isaac Gym: each of its names stands in one row. `KEY_*` stands for many.

    Args:
        complete: does what Isaac Gym documents.
        approximate: there, but different in what the words say.
        missing: published by Isaac Gym, not there.
        own: there, but not in Isaac Gym.
    """

    complete: Tuple[str, ...] = ()
    approximate: Mapping[str, str] = field(default_factory=dict)
    missing: Tuple[str, ...] = ()
    own: Tuple[str, ...] = ()

    def status(self, name: str) -> Optional[str]:
        """COMPLETE, APPROXIMATE or MISSING; None for a name that the table does not know."""
        if self.difference(name):
            return APPROXIMATE
        if _first(name, (*self.complete, *self.own)):
            return COMPLETE
        return MISSING if _first(name, self.missing) else None

    def difference(self, name: str) -> str:
        """How an approximate name differs; "" for all others."""
        return self.approximate.get(_first(name, self.approximate), "")


def _first(name: str, rows: Iterable[str]) -> str:
    """The row that stands for `name`, "" if there is none."""
    return next((row for row in rows if fnmatchcase(name, row)), "")


def words(text: str) -> Tuple[str, ...]:
    """The words of `text`, for tables of many names."""
    return tuple(text.split())
