"""Programs of the tests' own, run as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(
    *words: str, cwd: Path, path: tuple[Path, ...] = (), seconds: float = 200
) -> subprocess.CompletedProcess[str]:
    """`python WORDS...` in a new process that sees no CUDA device; `path` is importable there."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [*path, ROOT])),
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def rofunc_isaac(
    *words: str, cwd: Path, path: tuple[Path, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """`python -m rofunc_isaac WORDS...`."""
    return python("-m", "rofunc_isaac", *words, cwd=cwd, path=path)


def checkout(folder: Path, files: dict[str, str]) -> Path:
    """Write the files, by relative path, and return the folder."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder
