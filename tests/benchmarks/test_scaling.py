"""Sizes one after the other, small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import scaling


def test_each_size_is_measured(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "found.json"
    sizes = ["num_envs=8,16", "horizons=4", "threads=1", "iterations=1"]
    assert scaling.main(["task=Cartpole", *sizes, f"json={path}"]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [row["setting"].split()[0] for row in rows] == [
        "num_envs=8",
        "num_envs=16",
        "train.horizon_length=4",
        "task.sim.num_threads=1",
    ]
    assert all(row["env_steps_per_s"] > 0 and row["peak_memory_mb"] > 50 for row in rows)
    assert capsys.readouterr().out.splitlines()[-4].startswith("| `num_envs=8` | ")


def test_mistakes_end_before_anything_runs(capsys: Any) -> None:
    assert scaling.main(["num_envs=0"]) == 2
    assert "num_envs=0: must be a whole number of 1 or more" in capsys.readouterr().err
