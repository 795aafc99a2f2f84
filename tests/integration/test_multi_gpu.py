"""train.py in several processes that torchrun starts, from end to end, over gloo."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("task=Cartpole", "num_envs=16", "wandb_activate=False", "seed=3", "sim_device=cpu")


def start(size: int, *words: str, cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={size}"]
    command += ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", str(ROOT / "train.py")]
    return subprocess.Popen(
        [*command, *WORDS, "multi_gpu=True", *words],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def train(size: int, *words: str, cwd: Path) -> str:
    """Run it to its end; what it said."""
    process = start(size, *words, cwd=cwd)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return said


def metrics(folder: Path) -> list[dict[str, Any]]:
    """What the run wrote down, times aside."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [
        {key: line[key] for key in line if key != "wall_time_s" and not key.startswith("perf/")}
        for line in lines
    ]


def test_a_run_of_two_processes_goes_on_bit_for_bit(tmp_path: Path) -> None:
    said = train(2, "max_iterations=4", "run_dir=whole", cwd=tmp_path)
    assert "2 processes with 16 envs" in said
    assert said.count("Done.") == 1  # rank 0 alone speaks
    whole = metrics(tmp_path / "whole")
    assert [line["env_steps"] for line in whole] == [2 * 16 * 16 * n for n in range(1, 5)]
    train(2, "max_iterations=2", "run_dir=parts", cwd=tmp_path)
    train(2, "max_iterations=4", "run_dir=parts", "resume=True", cwd=tmp_path)
    assert metrics(tmp_path / "parts") == whole


def test_another_number_of_processes_begins_new_episodes_and_says_so(tmp_path: Path) -> None:
    train(2, "max_iterations=2", "run_dir=run", cwd=tmp_path)
    said = train(3, "max_iterations=3", "run_dir=run", "resume=True", cwd=tmp_path)
    assert "2 processes before, 3 now: new episodes begin" in said
    assert len(metrics(tmp_path / "run")) == 3


def test_a_signal_stops_all_of_them_with_a_checkpoint(tmp_path: Path) -> None:
    process = start(2, "max_iterations=100000", "run_dir=run", cwd=tmp_path)
    lines = tmp_path / "run" / "metrics.jsonl"
    deadline = time.monotonic() + 60
    while not (lines.exists() and lines.read_text().count("\n") > 2):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert "resume=True run_dir=run" in errors
    done = len(metrics(tmp_path / "run"))
    train(2, f"max_iterations={done + 1}", "run_dir=run", "resume=True", cwd=tmp_path)
    assert len(metrics(tmp_path / "run")) == done + 1


def test_without_torchrun_it_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "train.py"), *WORDS, "multi_gpu=True"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "RANK"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "multi_gpu (override multi_gpu=True) needs torchrun" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_mistake_of_rank_0_ends_all(tmp_path: Path) -> None:
    train(1, "max_iterations=1", "run_dir=run", cwd=tmp_path)
    process = start(2, "max_iterations=1", "run_dir=run", cwd=tmp_path)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "already holds a run" in errors
