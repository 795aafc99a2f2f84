"""The command line as a user meets it: exit status, streams, and what is not imported."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from rofunc_isaac.cli.config import RunConfig

ROOT = Path(__file__).resolve().parents[2]


def run_program(program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / program), *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run_train(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_program("train.py", *words, cwd=cwd)


@pytest.mark.parametrize(
    "words",
    [
        ["train.learning_rat=1"],
        ["task=Amt"],
        ["-m", "num_envs=0", "seed=1,2"],
        ["--config-dir", "nowhere"],
    ],
)
def test_a_mistake_is_one_line_and_status_2(words: list[str], tmp_path: Path) -> None:
    done = run_train(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"error: [^\n]+\n", done.stderr)
    assert list(tmp_path.iterdir()) == []


def test_help_names_tasks_groups_and_every_key(tmp_path: Path) -> None:
    done = run_train("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert re.search(r"task: .*Ant, .*Cartpole", done.stdout)
    for field in fields(RunConfig):
        assert re.search(rf"\b{field.name}\b", done.stdout), field.name
    assert list(tmp_path.iterdir()) == []


def test_cfg_job_prints_the_composed_configuration(tmp_path: Path) -> None:
    done = run_train("task=Cartpole", "--cfg", "job", cwd=tmp_path)
    assert done.returncode == 0
    assert "name: Cartpole" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_play_needs_no_policy(flag: str, tmp_path: Path) -> None:
    done = run_program("play.py", flag, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "python play.py task=Ant checkpoint=" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_cfg_job_of_play_is_that_of_train_with_test(tmp_path: Path) -> None:
    shown = [
        run_program(program, "task=Cartpole", "--cfg", "job", cwd=tmp_path)
        for program in ("play.py", "train.py")
    ]
    assert [done.returncode for done in shown] == [0, 0]
    assert shown[0].stdout == shown[1].stdout.replace("\ntest: false\n", "\ntest: true\n")


def test_flags_may_stand_between_the_words(tmp_path: Path) -> None:
    done = run_train("task=Cartpole", "--cfg", "job", "seed=3", cwd=tmp_path)
    assert done.returncode == 0
    assert "name: Cartpole" in done.stdout
    assert "seed: 3" in done.stdout


@pytest.mark.parametrize("words", ["'--help'", "'--cfg', 'job'", "'task=Amt'", "'num_envs=0'"])
def test_neither_torch_nor_an_engine_is_imported(words: str, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from rofunc_isaac.cli.main import main\n"
        "try:\n"
        f"    main([{words}])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'torch', 'numpy', 'mujoco', 'mjbatch', 'isaacgym', 'wandb'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["task=Ant"], ["-m", "task=Ant", "seed=1,2"]])
def test_play_is_train_with_test(words: list[str], tmp_path: Path) -> None:
    done = run_program("play.py", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "test=True needs a policy to run: add checkpoint=PATH" in done.stderr
