"""How `make train` hands its words to train.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder whose environment's Python prints its arguments, one a line."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n')
    python.chmod(0o755)
    (tmp_path / ".venv/.installed").touch()
    return tmp_path


def make(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # As from a shell, also where `make test` runs the tests.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", *words],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_word_arrives_as_it_was_typed(checkout: Path) -> None:
    words = [
        "task=Ant",
        "num_envs=64",
        "train.learning_rate=1e-3",
        "train.hidden_sizes=[64,64]",
        'wandb_name=it\'s a "test"',
        "run_dir=runs/${task.name}_x",
        "+task.env.path=c\\d",
        "task.env={a: 1, b: [2, 3]}",
        "task.entry=my_tasks.hopper:Hopper",
        "experiment=a*",
        "wandb_group=a#b",
        "checkpoint=",
        "test=True",
    ]
    done = make(checkout, "train", *words, "PYTHON=python3")
    assert done.returncode == 0, done.stderr
    script, *received = done.stdout.splitlines()
    assert script == "train.py"
    assert sorted(received) == sorted(words)


def test_args_are_for_words_without_an_equals_sign(checkout: Path) -> None:
    done = make(checkout, "train", "seed=1,2", "ARGS=-m --cfg job")
    assert done.stdout.splitlines() == ["train.py", "seed=1,2", "-m", "--cfg", "job"]


def test_an_old_or_missing_python_is_named(checkout: Path) -> None:
    (checkout / ".venv/.installed").unlink()
    done = make(checkout, "train", "PYTHON=/nowhere/python3")
    assert done.returncode != 0
    assert "error: /nowhere/python3 is not Python 3.11 or newer" in done.stderr


def test_a_changed_lock_file_installs_again(checkout: Path) -> None:
    os.utime(checkout / ".venv/.installed", (1, 1))
    first = make(checkout, "install", "PYTHON=python3").stdout
    again = make(checkout, "install", "PYTHON=python3").stdout
    assert "requirements.lock" in first
    assert "Nothing to be done" in again


def test_physx_is_installed_once_at_the_locked_versions(checkout: Path) -> None:
    first = make(checkout, "parity-physx", "PYTHON=python3").stdout.splitlines()
    assert first[first.index("-c") :][:4] == ["-c", "requirements.lock", "-e", ".[parity]"]
    assert first[-2:] == ["-m", "benchmarks.parity_physx"]
    again = make(checkout, "parity-physx", "PYTHON=python3").stdout.splitlines()
    assert again == ["-m", "benchmarks.parity_physx"]
