"""Two and three processes that train one policy together, over gloo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("ranks_program.py")


def start(size: int, *words: str, cwd: Path) -> subprocess.Popen[str]:
    """torchrun with `size` processes of ranks_program.py."""
    command = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={size}"]
    command += ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", str(PROGRAM), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(size: int, *words: str, cwd: Path) -> list[dict[str, Any]]:
    """What each rank wrote down."""
    process = start(size, *words, cwd=cwd)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return [json.loads((cwd / f"rank{rank}.json").read_text()) for rank in range(size)]


@pytest.mark.parametrize("size", [2, 3])
def test_all_ranks_hold_one_policy_and_one_rate_at_every_step(size: int, tmp_path: Path) -> None:
    first, *others = run(size, "train", cwd=tmp_path)
    assert len(first["rates"]) == 5 * 2 * 2  # iterations x epochs x minibatches
    assert len(set(first["rates"])) > 3
    for other in others:
        assert other["rates"] == first["rates"]
        assert other["parameters"] == first["parameters"]
        assert other["normalizers"] == first["normalizers"]
        assert other["actions"] != first["actions"]  # noise of its own
    assert first["env_steps"] == size * first["own_env_steps"]


def test_the_normalisers_hold_the_pooled_data(tmp_path: Path) -> None:
    ranks = run(2, "train", cwd=tmp_path)
    seen = torch.tensor([rank["seen"] for rank in ranks], dtype=torch.float64).view(-1, 3)
    var, mean = torch.var_mean(seen, dim=0, correction=0)
    found = ranks[0]["normalizers"]
    torch.testing.assert_close(torch.tensor(found["mean"]), mean.float(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(torch.tensor(found["var"]), var.float(), rtol=1e-5, atol=1e-6)
    assert found["count"] == len(seen)


def test_two_halves_train_as_the_whole(tmp_path: Path) -> None:
    """One minibatch that is the whole batch; noise and environments by their global number."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (whole,) = run(1, "halves", cwd=tmp_path / "one")
    half, _ = run(2, "halves", cwd=tmp_path / "two")
    assert len(whole["rates"]) == 20
    assert half["rates"] == pytest.approx(whole["rates"], rel=1e-5)
    torch.testing.assert_close(
        torch.tensor(half["parameters"]), torch.tensor(whole["parameters"]), rtol=1e-4, atol=1e-5
    )


def test_a_rank_that_dies_ends_the_others(tmp_path: Path) -> None:
    process = start(2, "die", cwd=tmp_path)
    begun = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert time.monotonic() - begun < 60
    dead = float((tmp_path / "died").read_text())
    assert time.time() - dead < 30
    assert "rank" in errors
    assert "exitcode: 7" in errors or "exitcode  : 7" in errors
