"""Processes that a program starts: `isaacgym` is ours in them as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compat.programs import checkout, rofunc_isaac

WHOSE = """
import sys
from isaacgym import gymapi
from isaacgym.torch_utils import quat_mul
import isaacgym, numpy as np

def whose(_=None):
    return isaacgym.__name__, type(gymapi.acquire_gym()).__module__, np.Inf > 0
"""
SPAWNS = """
import multiprocessing
from whose import whose
if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(1) as pool:
        print(*pool.map(whose, [0])[0])
"""
STARTS = """
import subprocess, sys
command = [sys.executable, "-c", "from whose import whose; print(*whose())"]
print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
"""
OURS = "rofunc_isaac.isaacgym rofunc_isaac.isaacgym.gym True"


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_worker_of_multiprocessing(method: str, tmp_path: Path) -> None:
    folder = checkout(tmp_path, {"whose.py": WHOSE, "starts.py": SPAWNS.format(method=method)})
    done = rofunc_isaac("run", "starts.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == OURS


def test_a_program_that_is_started(tmp_path: Path) -> None:
    folder = checkout(tmp_path, {"whose.py": WHOSE, "starts.py": STARTS})
    done = rofunc_isaac("run", "starts.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == OURS
