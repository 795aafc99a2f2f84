"""The programs of docs/other_trainers.md run as they stand, with fewer iterations."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "other_trainers.md").read_text(encoding="utf-8")
EXAMPLES = {
    re.findall(r"rofunc_isaac\.adapters\.(\w+)_env ", code)[0]: code
    for code in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
}
PACKAGES = {"sb3": "stable_baselines3"}
"""Where the name of an adapter is not that of its library."""


def test_each_adapter_has_its_example() -> None:
    adapters = (ROOT / "rofunc_isaac" / "adapters").glob("*_env.py")
    assert sorted(EXAMPLES) == sorted(path.stem.removesuffix("_env") for path in adapters)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    package = PACKAGES.get(name, name)
    pytest.importorskip(
        package, reason=f"{package} is in the extra `adapters`, which is not installed"
    )
    code, replaced = re.subn(r"^iterations = \d+$", "iterations = 2", EXAMPLES[name], flags=re.M)
    assert replaced == 1
    (tmp_path / "example.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
