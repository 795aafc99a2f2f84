"""zip(strict=True) for the tests that run on Python 3.8 too."""

from __future__ import annotations

from typing import Any, Iterable, Iterator  # noqa: UP035


def zipped(*columns: Iterable[Any]) -> Iterator[Any]:
    """`zip` of columns that are equally long."""
    lists = [list(column) for column in columns]
    assert len({len(column) for column in lists}) == 1, [len(column) for column in lists]
    return zip(*lists)
