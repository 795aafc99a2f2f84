from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tests.no_sync import NoSync

VALUES = torch.tensor([1.0, -2.0, 3.0])

WAITS: dict[str, Callable[[], object]] = {
    "item": lambda: VALUES[0].item(),
    "bool": lambda: bool((VALUES > 0).any()),
    "float": lambda: float(VALUES.sum()),
    "nonzero": lambda: (VALUES > 0).nonzero(),
    "read by a mask": lambda: VALUES[VALUES > 0],
    "written by a mask": lambda: VALUES.clone().__setitem__(VALUES > 0, VALUES[:2]),
    "numbers from the host": lambda: torch.tensor([1.0, 2.0]),
}


@pytest.mark.parametrize("name", WAITS)
def test_the_guard_sees_what_waits_for_a_device(name: str) -> None:
    with NoSync(), pytest.raises(AssertionError, match="waits? for the device"):
        WAITS[name]()


def test_it_lets_the_rest_pass() -> None:
    with NoSync():
        torch.where(VALUES > 0, VALUES, torch.zeros_like(VALUES))
        VALUES.clone()[1:] = VALUES[torch.arange(2)]
