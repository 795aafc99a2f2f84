"""Every task on an `isaacgym` that offers its documented interface alone, as NVIDIA's would.

It can't be run on NVIDIA's own package here: that is proprietary, and for Python 3.8 and older.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rofunc_isaac.envs.registry import task_names

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ROOT / "tests" / "nvidia"


def python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python where `isaacgym` is the stand-in."""
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(FOREIGN), str(ROOT)])},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(autouse=True)
def _stubs() -> None:
    try:
        importlib.metadata.distribution("isaacgym-stubs")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("isaacgym-stubs is not installed: pip install isaacgym-stubs==1.1rc4")


@pytest.mark.parametrize("task", task_names())
def test_a_task_trains_and_plays(task: str, tmp_path: Path) -> None:
    common = [f"task={task}", "simulator=isaacgym", "num_envs=8", "task.env.episode_length=12"]
    words = ["max_iterations=2", "run_dir=run", "wandb_activate=False"]
    trained = python(str(ROOT / "train.py"), *common, *words, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[1])["env/unstable_resets"] == 0
    last = tmp_path / "run" / "checkpoints" / "last.pt"
    played = python(str(ROOT / "play.py"), *common, f"checkpoint={last}", cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout.splitlines()[-1])["count"] == 16
    # New episodes begin, for NVIDIA's state can't be read out; the resume says so.
    words = ["max_iterations=3", "run_dir=run", "resume=True", "wandb_activate=False"]
    resumed = python(str(ROOT / "train.py"), *common, *words, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert "new episodes" in (resumed.stdout + resumed.stderr).lower()


COMPARE = """
import sys
if sys.argv[1] == "mujoco":
    sys.path = [path for path in sys.path if not path.endswith("nvidia")]
import rofunc_isaac
overrides = {"env.episode_length": 5}
env = rofunc_isaac.make("Ant", 6, simulator=sys.argv[1], seed=3, overrides=overrides)
import torch
obs = env.reset()
generator = torch.Generator().manual_seed(0)
total = [obs.double().sum().item()]
for _ in range(12):
    result = env.step(2.0 * torch.rand(6, 8, generator=generator) - 1.0)
    total += [value.double().sum().item() for value in result]
print(total)
"""


def test_resets_by_indices_do_what_resets_by_masks_do(tmp_path: Path) -> None:
    theirs, ours = (python("-c", COMPARE, name, cwd=tmp_path) for name in ("isaacgym", "mujoco"))
    assert theirs.returncode == 0, theirs.stderr
    assert ours.returncode == 0, ours.stderr
    assert json.loads(theirs.stdout) == json.loads(ours.stdout)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import torch; import isaacgym", "PyTorch was imported before isaacgym"),
        ("from isaacgym import gymapi; gymapi.acquire_gym().get_unstable_env_mask", "no attribute"),
        (
            "from isaacgym import gymapi; gym = gymapi.acquire_gym();"
            "gym.create_sim(0, -1, gymapi.SIM_PHYSX, gymapi.SimParams()).scene",
            "no attribute 'scene'",
        ),
    ],
)
def test_the_stand_in_refuses_what_nvidias_would(code: str, error: str, tmp_path: Path) -> None:
    done = python("-c", code, cwd=tmp_path)
    assert done.returncode != 0
    assert error in done.stderr
