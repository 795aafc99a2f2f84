"""Settings of the physics side by side, small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import physics_settings


def test_each_setting_is_measured(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ((), ("task.sim.substeps=1",))
    monkeypatch.setattr(physics_settings, "SETTINGS", settings)
    path = tmp_path / "found.json"
    words = ["task=Ant", "num_envs=16", "repeats=1", "iterations=1", f"json={path}"]
    assert physics_settings.main(words) == 0
    shipped, coarse = json.loads(path.read_text())["rows"]
    assert shipped["setting"] == "as it ships"
    assert shipped["speed"] == 1.0
    assert coarse["env_frames_per_s"] > 0
    # The solver finds the solution; half as many substeps are another motion.
    assert shipped["position_change"] < 1e-6 < 1e-4 < coarse["position_change"]
    assert capsys.readouterr().out.splitlines()[-1].startswith("| `task.sim.substeps=1` | ")
