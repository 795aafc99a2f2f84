"""legged_gym itself, where LEGGED_GYM_PATH and RSL_RL_PATH name checkouts of it and of rsl_rl."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.compat.programs import rofunc_isaac
from tests.compat.soaking import FULL, FULL_SECONDS, QUICK, soaked

CHECKOUT = os.environ.get("LEGGED_GYM_PATH", "")
RSL_RL = os.environ.get("RSL_RL_PATH", "")
TASKS = ("anymal_c_flat", "anymal_c_rough", "a1", "cassie")

pytestmark = [
    pytest.mark.legged_gym,
    pytest.mark.skipif(not CHECKOUT, reason="LEGGED_GYM_PATH names no checkout of legged_gym"),
    pytest.mark.skipif(not RSL_RL, reason="RSL_RL_PATH names no checkout of rsl_rl v1.0.2"),
]


@pytest.fixture(scope="module")
def train() -> str:
    """Its training script."""
    script = Path(CHECKOUT, "legged_gym", "scripts", "train.py").resolve()
    assert script.is_file(), f"LEGGED_GYM_PATH={CHECKOUT} holds no legged_gym/scripts/train.py"
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("not installed: matplotlib; see docs/isaacgym.md")
    return str(script)


def test_a_task_trains(train: str, tmp_path: Path) -> None:
    done = rofunc_isaac(
        *("run", train, "--task=anymal_c_flat", "--num_envs=64", "--max_iterations=2"),
        cwd=tmp_path,
        path=(Path(RSL_RL).resolve(),),
    )
    assert done.returncode == 0, done.stderr
    assert "Learning iteration 1/2" in done.stdout
    assert "added --sim_device=cpu --rl_device=cpu --headless" in done.stderr


@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_running(task: str, train: str, tmp_path: Path) -> None:
    soaked("legged_gym", task, *QUICK, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(FULL_SECONDS)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_running_for_long(task: str, train: str, tmp_path: Path) -> None:
    soaked("legged_gym", task, *FULL, cwd=tmp_path, seconds=FULL_SECONDS)
