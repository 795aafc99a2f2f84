"""The wheel: everything of the package is in it, and nothing beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_wheel_holds_all_code_configs_and_robots(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("rofunc_isaac", "tasks", "cfg"):
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        + ["--wheel-dir", str(tmp_path), str(source)],
        check=True,
        timeout=100,
    )
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    expected = {"rofunc_isaac/py.typed"}
    for folder in ("rofunc_isaac", "tasks", "cfg"):
        prefix = "" if folder == "rofunc_isaac" else "rofunc_isaac/"
        for pattern in ("*.py", "*.yaml", "*.xml"):
            for path in (source / folder).rglob(pattern):
                expected.add(prefix + path.relative_to(source).as_posix())
    # The symlinks rofunc_isaac/tasks and rofunc_isaac/cfg lead to files that are counted already.
    assert packed == expected
