"""docs/new_task.md is built and run as it stands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from tests.integration.conftest import ROOT, CommandLine

PAGE = (ROOT / "docs" / "new_task.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, _, code in BLOCKS if language == "sh" for line in code.splitlines()]
pytestmark = pytest.mark.timeout(300)  # enough for a machine that is busy

FILES = [
    *("pendulum.xml", "pendulum.py", "spinner.py"),
    *("cfg/task/Pendulum.yaml", "cfg/train/PendulumPPO.yaml"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Where the page's files stand; blocks for one file are joined in their order."""
    cli = CommandLine(tmp_path_factory.mktemp("page"))
    for _, name, code in BLOCKS:
        if name:
            path = cli.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "a", encoding="utf-8") as file:
                file.write(code + "\n")
    return cli


def test_the_page_holds_what_it_promises(built):
    listing = re.search(r"At the end the folder holds\n\n(.*?)\n\n", PAGE, re.DOTALL)
    assert listing is not None
    assert [line.split()[0] for line in listing[1].splitlines()] == FILES
    assert all((built.folder / name).is_file() for name in FILES)
    assert len(COMMANDS) == 4


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(built, command):
    setting, python, program, *words = shlex.split(command)
    assert (setting, python) == ("PYTHONPATH=.", "python")
    built.environment["PYTHONPATH"] = "."
    words = [word for word in words if not word.startswith("max_iterations=")]
    small = ["max_iterations=2", "num_envs=16", "wandb_activate=False"]
    small.append("task.env.episode_length=20")
    done = built.run(*words, *small, program=program.removeprefix("~/rofunc_isaac/"))
    if program.endswith("play.py"):
        assert '"count": 32' in done.stdout
    else:
        # It says how to watch the policy, and where the user's settings are.
        assert re.search(r"/play\.py task=Pendulum .*'hydra.searchpath=\[.*\]'", done.stdout)


def test_both_files_of_settings_count(built):
    config = (built.folder / "runs" / "swing" / "config.yaml").read_text()
    assert "max_torque: 2.5" in config
    assert "max_grad_norm: 1.0" in config


def test_its_program_runs(built):
    done = subprocess.run(
        [sys.executable, "try_it.py"],
        cwd=built.folder,
        env={**built.environment, "PYTHONPATH": f".:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tensor([False, False, False, False])\n"
