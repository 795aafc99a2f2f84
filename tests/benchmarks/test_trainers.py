from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from benchmarks.trainers import TRAINERS, find_trainers
from rofunc_isaac.errors import UserError


def test_trainers_are_found_in_the_order_asked_for() -> None:
    assert list(find_trainers(["ours_float32", "ours"])) == ["ours_float32", "ours"]
    peers = [name for name, trainer in TRAINERS.items() if trainer.is_peer]
    assert peers == ["rl_games", "rsl_rl", "skrl", "sb3"]


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="no trainer 'rlgames'.*did you mean rl_games"):
        find_trainers(["rlgames"])
    with pytest.raises(UserError, match="ours is named twice"):
        find_trainers(["ours", "ours"])


def test_a_missing_package_is_named_with_how_to_install_it(monkeypatch: Any) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"package rl_games, which is not installed.*\[bench\]"):
        find_trainers(["ours", "rl_games"])
