"""Whole runs of the command line, each in a process of its own, in a folder that is not ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

PYTHON = "python" if sys.prefix == sys.base_prefix else sys.executable
"""What a user of `CommandLine` has to type."""

TINY = [
    *("task=Cartpole", "num_envs=16", "train.horizon_length=8", "task.sim.num_threads=1"),
    *("train.update_threads=1", "seed=1", "wandb_activate=False"),
    # A weak push: no episode ends within the first iterations.
    "task.env.max_effort=10",
]
"""A run of seconds."""


class CommandLine:
    """Runs the programs from `folder`, as a user without a W&B key would.

    Attributes:
        folder: where the user stands.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder / "home"
        home.mkdir()
        private = ("WANDB", "NETRC", "PYTHONPATH")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(private)}
        # No virtual environment is active.
        self.environment.pop("VIRTUAL_ENV", None)
        own = os.path.dirname(sys.executable)
        path = os.environ.get("PATH", os.defpath).split(os.pathsep)
        self.environment["PATH"] = os.pathsep.join(folder for folder in path if folder != own)
        self.environment.update(HOME=str(home), OMP_NUM_THREADS="1")
        for name in ("CACHE", "CONFIG", "DATA"):
            self.environment[f"XDG_{name}_HOME"] = str(home / name.lower())

    def start(self, *words: str, program: str = "train.py") -> subprocess.Popen[str]:
        """The running process, the leader of a process group of its own."""
        return subprocess.Popen(
            [sys.executable, str(ROOT / program), *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # A shell's background job ignores Ctrl-C, and so would all that it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def run(
        self, *words: str, status: int = 0, timeout: float = 250, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """What it came to; its exit status must be `status`."""
        process = self.start(*words, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
        assert process.returncode == status, err
        return subprocess.CompletedProcess(process.args, status, out, err)

    def error(self, *words: str) -> str:
        """The one line that a mistake is answered with."""
        done = self.run(*words, status=2)
        assert "Traceback" not in done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, done.stderr
        return lines[0]


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Where a run of four iterations has finished, in the folder `first`. Leave it as it is."""
    cli = CommandLine(tmp_path_factory.mktemp("finished"))
    words = [*TINY, "max_iterations=4", "checkpoint_every=3", "run_dir=first"]
    cli.last = cli.run(*words, "wandb_activate=True")  # type: ignore[attr-defined]
    return cli
