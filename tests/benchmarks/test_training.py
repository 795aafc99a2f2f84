"""Both programs from end to end, at the smallest size, without a peer."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import curve, training
from benchmarks.worker import Worker, WorkerError
from rofunc_isaac.errors import UserError

SMALL = ["task=Cartpole", "num_envs=16", "train.horizon_length=4"]


def test_training_prints_a_table_and_writes_json(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "speed.json"
    words = [*SMALL, "trainers=ours", "iterations=2", "repeats=2", "burn_in=1", f"json={path}"]
    assert training.main(words) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "Cartpole, 16 envs, horizon 4"
    assert [line.split("|")[1].strip() for line in printed[-2:]] == ["ours", "raw physics"]

    found = json.loads(path.read_text())
    assert found["raw_physics_env_steps_per_s"] > 0
    ours = found["trainers"]["ours"]
    assert ours["peak_memory_mb"] > 50
    assert len(ours["env_steps_per_s_by_repeat"]) == 2
    # Rollout and update are parts of the whole.
    assert 0 < ours["env_steps_per_s"] < ours["rollout_env_steps_per_s"]
    assert ours["env_steps_per_s"] < ours["update_env_steps_per_s"]
    assert ours["numerics"].startswith(("float32", "bfloat16"))
    assert found["machine"]["torch"]


def test_a_trainer_that_fails_is_told_with_its_traceback() -> None:
    with (
        Worker("broken", "benchmarks.no_such_module", SMALL) as worker,
        pytest.raises(WorkerError, match=r"(?s)broken failed: Traceback.*no_such_module"),
    ):
        worker.start()


def test_a_mistake_in_the_settings_comes_from_the_worker_as_one() -> None:
    with (
        Worker("mistaken", "benchmarks.trainers.ours", ["task=Cartpole", "num_envs=0"]) as worker,
        pytest.raises(UserError, match="num_envs=0"),
    ):
        worker.start()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trainers=nobody"], "there is no trainer 'nobody'"),
        (["task=Antt", "trainers=ours"], "Antt"),
        (["trainers=ours", "json=/no/such/folder/x.json"], "there is no folder /no/such/folder"),
    ],
)
def test_mistakes_end_before_anything_runs(words: list[str], message: str, capsys: Any) -> None:
    assert training.main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


def test_curve_writes_a_line_an_iteration(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "curve.jsonl"
    words = [*SMALL, "trainer=ours", "env_steps=1e4", "task.env.episode_length=50"]
    assert curve.main([*words, f"jsonl={path}"]) == 0
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    assert [line["env_steps"] for line in lines] == [64 * n for n in range(1, 158)]
    assert [line["iteration"] for line in lines] == list(range(1, 158))
    assert lines[0]["train/return_mean"] is None
    assert 0 < lines[-1]["train/episode_length_mean"] <= 50
    # Cartpole's reward is at most 1 a step.
    assert 0 < lines[-1]["train/return_mean"] <= lines[-1]["train/episode_length_mean"]
    assert all(a["wall_time_s"] < b["wall_time_s"] for a, b in itertools.pairwise(lines))

    assert curve.main([*words, f"jsonl={path}"]) == 2
    assert "File exists; choose another path" in capsys.readouterr().err
    assert len(path.read_text().splitlines()) == 157
