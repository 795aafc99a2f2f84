"""Whole runs on tasks of IsaacGymEnvs' kind, and on its own where a checkout is named."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil

import pytest

from tests.integration.conftest import CommandLine
from tests.integration.test_resume import assert_same, assert_same_runs, checkpoint, metrics
from tests.isaacgymenvs.conftest import FOLDER

REAL = os.environ.get("ISAACGYMENVS_PATH", "")
ONE_THREAD = ["task.sim.physx.num_threads=1", "train.update_threads=1", "wandb_activate=False"]
SLIDER = ["task=isaacgymenvs/Slider", f"isaacgymenvs_path={FOLDER}", "sim_device=cpu", *ONE_THREAD]

real = pytest.mark.skipif(not REAL, reason="ISAACGYMENVS_PATH names no checkout of IsaacGymEnvs")


def test_it_learns_and_is_played(cli: CommandLine) -> None:
    """A policy that stays in the middle earns nearly 20; one that does nothing 0.95 x 20."""
    out = cli.run(*SLIDER, "seed=1", "run_dir=first").stdout
    assert "not translated from rl_games: config.score_to_win=20000" in out
    assert "4 minibatches of 256" in out
    lines = metrics(cli.folder / "first")
    assert len(lines) == 40
    assert lines[3]["train/return_mean"] < 19.0 < lines[-1]["train/return_mean"] <= 20.0
    assert lines[-1]["env/episode/reach"] == 1.0
    policy = "checkpoint=first/checkpoints/best.pt"
    played = cli.run(*SLIDER, policy, "num_envs=8", program="play.py").stdout
    result = json.loads(played.splitlines()[-1])
    assert (result["task"], result["count"]) == ("isaacgymenvs/Slider", 16)
    assert result["mean"] > 19.0


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["train=isaacgymenvs/SliderAsymmPPO", "task.env.asymmetric_observations=True"],
    ],
)
def test_a_run_that_was_stopped_equals_one_that_ran_through(
    cli: CommandLine, words: list[str]
) -> None:
    small = [*SLIDER, *words, "num_envs=16", "task.env.episodeLength=7", "seed=5"]
    cli.run(*small, "run_dir=whole", "max_iterations=6")
    cli.run(*small, "run_dir=halves", "max_iterations=3")
    assert checkpoint(cli.folder / "halves")["learner"]["iteration"] == 3
    cli.run("resume=True", "run_dir=halves", "max_iterations=6")
    assert_same_runs(cli.folder / "whole", cli.folder / "halves")
    assert metrics(cli.folder / "whole")[-1]["train/episodes"] > 100


def test_a_package_that_is_missing_is_named(cli: CommandLine) -> None:
    other = cli.folder / "other"
    shutil.copytree(FOLDER, other)
    (other / "isaacgymenvs" / "tasks" / "__init__.py").write_text("import a_thing_that_is_not\n")
    words = ["task=isaacgymenvs/Slider", "isaacgymenvs_path=other", *ONE_THREAD]
    told = cli.error(*words)
    assert "needs a_thing_that_is_not" in told
    assert "pip install gym==0.23.1 scipy" in told
    assert not (cli.folder / "runs").exists()


def test_the_folder_of_a_run_bears_the_tasks_name(cli: CommandLine) -> None:
    cli.run(*SLIDER, "num_envs=16", "max_iterations=1")
    (folder,) = (cli.folder / "runs").iterdir()
    assert folder.name.startswith("isaacgymenvs_Slider_")


@pytest.mark.isaacgymenvs
@real
@pytest.mark.parametrize(
    "task",
    [
        *("Cartpole", "Ant", "Humanoid", "Anymal", "AnymalTerrain", "BallBalance"),
        *("Quadcopter", "FrankaCabinet", "AllegroHand"),
    ],
)
def test_its_own_tasks_train_and_go_on_bit_for_bit(cli: CommandLine, task: str) -> None:
    if importlib.util.find_spec("gym") is None:
        pytest.skip("not installed: gym; see docs/isaacgym.md")
    words = [f"task=isaacgymenvs/{task}", f"isaacgymenvs_path={REAL}", "sim_device=cpu"]
    words += [*ONE_THREAD, "num_envs=16", "train.num_minibatches=1", "train.horizon_length=16"]
    cli.run(*words, "run_dir=whole", "max_iterations=6")
    cli.run(*words, "run_dir=halves", "max_iterations=3")
    cli.run("resume=True", "run_dir=halves", "max_iterations=6")
    whole, halves = (checkpoint(cli.folder / name) for name in ("whole", "halves"))
    for content in (whole, halves):
        content["env"]["attributes"].pop("record_frames_dir", None)  # tells the time
    assert_same(whole, halves)
    assert metrics(cli.folder / "whole") == metrics(cli.folder / "halves")
