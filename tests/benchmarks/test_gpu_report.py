"""The report for the day a GPU is there, where none is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import gpu_report
from rofunc_isaac.physics import engine


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without CUDA")
def test_it_runs_without_a_gpu_and_says_so(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_chosen", engine._chosen)  # put back after the test
    path = tmp_path / "report.json"
    words = ["tasks=Ant", "sizes=4", "num_envs=4", "iterations=1", "return=1", f"json={path}"]
    assert gpu_report.main(words) == 0
    report = json.loads(path.read_text())
    assert report["device"].startswith("no GPU: MuJoCo Warp on the CPU")
    assert report["raw_engine"]["Ant"]["4"] > 0
    ours = report["trainings"]["Ant"]["ours"]
    assert 0 < ours["of_raw_engine"] < 1
    assert ours["peak_memory_mb"] > 50
    assert report["host_syncs_per_iteration"] == 0
    assert set(report["graphs"].values()) == {"eager: on cpu"}
    assert report["time_to_return"]["env_steps"] > 0
    assert "- host waits for the device: 0" in capsys.readouterr().out


def test_mistakes_end_before_anything_runs(capsys: Any) -> None:
    assert gpu_report.main(["size=0"]) == 2
    assert "unknown option size; did you mean sizes" in capsys.readouterr().err
