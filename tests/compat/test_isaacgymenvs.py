"""IsaacGymEnvs itself, where ISAACGYMENVS_PATH names a checkout of it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.compat.programs import rofunc_isaac

CHECKOUT = os.environ.get("ISAACGYMENVS_PATH", "")
PACKAGES = ("gym", "rl_games", "scipy")

pytestmark = [
    pytest.mark.isaacgymenvs,
    pytest.mark.skipif(not CHECKOUT, reason="ISAACGYMENVS_PATH names no checkout of IsaacGymEnvs"),
]


@pytest.fixture(scope="module")
def train() -> str:
    """Its training script."""
    script = Path(CHECKOUT, "isaacgymenvs", "train.py").resolve()
    assert script.is_file(), f"ISAACGYMENVS_PATH={CHECKOUT} holds no isaacgymenvs/train.py"
    absent = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}; see docs/isaacgym.md")
    return str(script)


@pytest.mark.parametrize("task", ["Cartpole", "Ant", "Humanoid"])
def test_a_task_trains(task: str, train: str, tmp_path: Path) -> None:
    done = rofunc_isaac(
        *("run", train, f"task={task}", "headless=True", "max_iterations=3", "num_envs=64"),
        *("train.params.config.minibatch_size=512", "+train.params.config.torch_compile=False"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "epoch: 3/3" in done.stdout
    assert "added sim_device=cpu:0 rl_device=cpu pipeline=cpu" in done.stderr
    assert list(tmp_path.glob("runs/*/nn/*.pth")), "no checkpoint"


def test_its_functions_are_all_known(train: str, tmp_path: Path) -> None:
    done = rofunc_isaac("isaacgym-report", CHECKOUT, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    assert "use 109 functions of gym" in done.stdout
