"""One policy in two processes beside two policies, small."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import processes


def test_joined_processes_are_measured_beside_separate_ones(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "found.json"
    words = ["task=Cartpole", "num_envs=8", "processes=2", "iterations=4", "repeats=1"]
    assert processes.main([*words, f"json={path}"]) == 0
    (row,) = json.loads(path.read_text())["rows"]
    assert row["processes"] == 2
    assert row["ratios"] == [row["joined"] / row["apart"]]
    assert capsys.readouterr().out.splitlines()[-1].startswith("| 2 | ")


def test_the_rate_is_that_of_the_last_three_quarters(tmp_path: Path) -> None:
    # 10 env steps in each iteration; the first takes 5 s, the others 2 s each.
    lines = [{"env_steps": 10 * i, "wall_time_s": 5.0 + 2 * (i - 1)} for i in range(1, 9)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert processes.rate(tmp_path) == pytest.approx(5.0)


def test_a_training_that_fails_is_told(capsys: Any) -> None:
    words = ["task=Cartpole", "num_envs=8", "processes=2", "repeats=1", "simulator=isaacgym"]
    assert processes.main(words) == 1
    assert re.search(r"exitcode *: 2", capsys.readouterr().err)


def test_mistakes_end_before_anything_runs(capsys: Any) -> None:
    assert processes.main(["processes=0"]) == 2
    assert "processes=0: must be a whole number of 1 or more" in capsys.readouterr().err
