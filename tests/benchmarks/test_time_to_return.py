"""The way to a return, small and without a peer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import time_to_return

SMALL = ["task=Cartpole", "num_envs=64", "trainers=ours"]


def test_it_ends_at_the_return_and_counts_from_the_start_of_the_process(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "found.json"
    assert time_to_return.main([*SMALL, "return=30", "seeds=3", f"json={path}"]) == 0
    (found,) = json.loads(path.read_text())["trainings"]
    assert (found["trainer"], found["seed"]) == ("ours", "3")
    assert found["best_return"] >= 30
    assert found["env_steps"] % (64 * 16) == 0
    # Imports alone take longer than nothing.
    assert found["seconds"] > found["training_seconds"] + 0.5
    assert "| ours | 3 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("trainer", "package"),
    [
        *(("rl_games", "rl_games"), ("rsl_rl", "rsl_rl")),
        *(("skrl", "skrl"), ("sb3", "stable_baselines3")),
    ],
)
def test_peers_train_too(trainer: str, package: str, capsys: Any) -> None:
    pytest.importorskip(package)
    words = ["task=Cartpole", "num_envs=64", f"trainers={trainer}", "return=501", "env_steps=3e3"]
    assert time_to_return.main(words) == 0
    assert f"| {trainer} | 1 | not reached |" in capsys.readouterr().out


def test_who_does_not_get_there_is_told_so(capsys: Any) -> None:
    assert time_to_return.main([*SMALL, "return=501", "env_steps=5e3"]) == 0
    assert "| ours | 1 | not reached | not reached | not reached |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trainers=nobody"], "there is no trainer 'nobody'"),
        (["task=Humanoid", "trainers=ours"], "task=Humanoid: settings of other trainers are known"),
        (["return=0"], "return=0: must be a number of 1 or more"),
        (["seed=3"], "seed: give it as seeds=1"),
    ],
)
def test_mistakes_end_before_anything_runs(words: list[str], message: str, capsys: Any) -> None:
    assert time_to_return.main(words) == 2
    assert message in capsys.readouterr().err
