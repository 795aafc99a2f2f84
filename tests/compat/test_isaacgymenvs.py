"""IsaacGymEnvs itself, where ISAACGYMENVS_PATH names a checkout of it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from tests.compat.programs import rofunc_isaac
from tests.compat.soaking import FULL, FULL_SECONDS, QUICK, soaked

CHECKOUT = os.environ.get("ISAACGYMENVS_PATH", "")
PACKAGES = ("gym", "rl_games", "scipy")

SMALL = ("Cartpole", "Ant", "Humanoid", "Anymal", "Quadcopter", "Ingenuity", "BallBalance")
TASKS = (
    *SMALL,
    *("AnymalTerrain", "FrankaCubeStack", "FrankaCabinet"),
    *("AllegroHand", "ShadowHand", "Trifinger", "HumanoidAMP"),
)
# AllegroHand's file never reads that it is asked for: its environments stay alike.
RANDOMIZED = ("Ant", "Humanoid", "ShadowHand")
# The published frequencies are longer than a test.
RANDOMIZE = ("task.task.randomize=True", "task.task.randomization_params.frequency=20")
DEXTREME = ("AllegroHandDextremeManualDR", "AllegroHandDextremeADR")

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


@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_running(task: str, train: str, tmp_path: Path) -> None:
    soaked("isaacgymenvs", task, *QUICK, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(FULL_SECONDS)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_running_for_long(task: str, train: str, tmp_path: Path) -> None:
    soaked("isaacgymenvs", task, *FULL, cwd=tmp_path, seconds=FULL_SECONDS)


@pytest.mark.slow
@pytest.mark.timeout(FULL_SECONDS)
@pytest.mark.parametrize("task", SMALL)
def test_a_task_keeps_running_on_warp(task: str, train: str, tmp_path: Path) -> None:
    words = (task, *FULL, "simulator=mujoco_warp")
    soaked("isaacgymenvs", *words, cwd=tmp_path, seconds=FULL_SECONDS)


@pytest.mark.parametrize("task", RANDOMIZED)
def test_randomized_environments_differ(task: str, train: str, tmp_path: Path) -> None:
    report = soaked("isaacgymenvs", task, *QUICK, *RANDOMIZE, cwd=tmp_path)
    check_randomized(report)


@pytest.mark.slow
@pytest.mark.timeout(FULL_SECONDS)
@pytest.mark.parametrize("task", RANDOMIZED)
def test_randomized_environments_keep_running(task: str, train: str, tmp_path: Path) -> None:
    words = (task, *FULL, *RANDOMIZE)
    report = soaked("isaacgymenvs", *words, cwd=tmp_path, seconds=FULL_SECONDS)
    check_randomized(report)


def check_randomized(report: dict[str, Any]) -> None:
    # Some only at their next reset, and none twice the same by chance.
    assert max(report["properties"].values(), default=0) > report["envs"] / 3


@pytest.mark.parametrize("task", DEXTREME)
def test_dextreme_keeps_running(task: str, train: str, tmp_path: Path) -> None:
    words = (task, *QUICK, "+task.rl_device=cpu")
    check_randomized(soaked("isaacgymenvs", *words, cwd=tmp_path))


@pytest.mark.slow
@pytest.mark.timeout(FULL_SECONDS)
@pytest.mark.parametrize("task", DEXTREME)
def test_dextreme_keeps_running_for_long(task: str, train: str, tmp_path: Path) -> None:
    words = (task, *FULL, "+task.rl_device=cpu")
    soaked("isaacgymenvs", *words, cwd=tmp_path, seconds=FULL_SECONDS)


def test_its_functions_are_all_known(train: str, tmp_path: Path) -> None:
    done = rofunc_isaac("isaacgym-report", CHECKOUT, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    assert "use 109 functions of gym" in done.stdout
