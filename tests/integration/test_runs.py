"""What a run leaves in its folder, how it goes on, and how its policy is tested."""

from __future__ import annotations

import itertools
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml

from tests.integration.conftest import PYTHON, ROOT, TINY, CommandLine

pytestmark = pytest.mark.timeout(300)  # enough for a machine that is busy

KEYS = {
    *("iteration", "env_steps", "wall_time_s", "train/return_mean", "train/episode_length_mean"),
    *("train/kl_mean", "train/kl_max", "train/lr", "train/lr_next", "train/lr_at_bound"),
    *("train/clip_fraction", "train/explained_variance", "train/entropy", "train/grad_norm"),
    *("train/action_std", "train/policy_loss", "train/value_loss", "train/bounds_loss"),
    *("train/skipped_updates", "perf/env_steps_per_s", "perf/rollout_env_steps_per_s"),
    *("perf/update_env_steps_per_s", "updates"),
}
STEPS = 16 * 8
"""Env steps an iteration of a TINY run."""


def metrics(folder: Path) -> list[dict]:
    """The lines of metrics.jsonl, which must be strict JSON: no NaN."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    text = (folder / "metrics.jsonl").read_text()
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def checkpoint(path: Path) -> dict:
    return torch.load(path, weights_only=True)


@pytest.fixture
def copied(finished: CommandLine, cli: CommandLine) -> CommandLine:
    """Where a copy of the finished run stands."""
    shutil.copytree(finished.folder / "first", cli.folder / "first")
    return cli


# ---- a finished run ----


def test_the_run_folder(finished):
    folder = finished.folder / "first"
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {name for name in names if not name.startswith("wandb/")} == {
        *("config.yaml", "overrides.yaml", "environment.json", "metrics.jsonl", ".lock"),
        *("checkpoints/last.pt", "checkpoints/best.pt"),
    }
    assert {path.name for path in finished.folder.iterdir()} == {"home", "first"}
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["packages"]["torch"] == torch.__version__
    last = checkpoint(folder / "checkpoints" / "last.pt")
    assert last["task"] == "Cartpole"
    assert last["learner"]["iteration"] == 4  # the last one, though 3 was due as well
    assert last["learner"]["env_steps"] == 4 * STEPS
    assert last["config"]["task"]["env"]["max_effort"] == 10.0
    assert "run folder first" in finished.last.stdout
    assert finished.last.stdout.endswith(" checkpoint=first/checkpoints/best.pt\n")
    command = shlex.join([PYTHON, str(ROOT / "play.py")])  # from any folder, in any shell
    assert f"returns: {command} task=Cartpole num_envs=16 " in finished.last.stdout
    assert " run_dir=" not in finished.last.stdout
    assert finished.last.stdout.count("seed=") == 0


def test_its_metrics(finished):
    lines = metrics(finished.folder / "first")
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert [line["env_steps"] for line in lines] == [STEPS * i for i in (1, 2, 3, 4)]
    for line in lines:
        assert line.keys() >= KEYS
        assert "non_finite" not in line
        for key, value in line.items():
            if key == "updates":
                assert len(value) == 7  # eight epochs of one minibatch, without the first
                assert all(kl >= 0 and 1e-6 <= lr <= 1e-2 for kl, lr in value)
            elif key in ("train/return_mean", "train/episode_length_mean"):
                assert value is None or math.isfinite(value)
            else:
                assert math.isfinite(value), key
    assert lines[0]["train/return_mean"] is None
    assert lines[0]["train/episode_length_mean"] is None
    assert lines[3]["train/return_mean"] is not None
    assert 8 < lines[3]["train/episode_length_mean"] <= 32
    for before, after in itertools.pairwise(lines):
        assert after["train/lr"] == before["train/lr_next"]
        assert after["wall_time_s"] > before["wall_time_s"]
    assert lines[0]["train/lr"] == pytest.approx(3e-4)


def test_its_offline_wandb_run_reads_back(finished):
    folder = finished.folder / "first"
    (log,) = (folder / "wandb").glob("offline-run-*/*.wandb")
    sync = f"wandb sync --yes first/wandb/{log.parent.name}"
    assert f"W&B: offline (no API key); upload later with: {sync}" in finished.last.stderr
    read = subprocess.run(
        [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(log)],
        env=finished.environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=250,
        check=True,
    )
    records = [json.loads(line) for line in read.stdout.splitlines()]
    history = [r["history"]["item"] for r in records if r["type"] == "history"]
    lines = metrics(folder)
    rows = [row for row in history if "iteration" in row]
    assert [row["global_step"] for row in rows] == [line["env_steps"] for line in lines]
    for key in ("train/kl_mean", "train/lr"):  # the two curves over env steps
        assert [row[key] for row in rows] == [line[key] for line in lines]
    # The panel, a point an update.
    path = [row for row in history if "lr_against_kl_table.path" in row][-1]
    table = json.loads((log.parent / "files" / path["lr_against_kl_table.path"]).read_text())
    assert table["columns"] == ["env_steps", "kl", "lr"]
    assert table["data"] == [
        [line["env_steps"], *pair] for line in lines for pair in line["updates"]
    ]
    assert "Learning rate against KL" in read.stdout


# ---- going on, or not ----


def test_a_folder_that_holds_a_run_is_refused(copied):
    before = contents(copied.folder)
    said = copied.error(*TINY, "run_dir=first", "max_iterations=9")
    assert "run_dir=first already holds a run. Nothing was changed" in said
    assert "resume=True run_dir=first" in said
    assert contents(copied.folder) == before


def test_resume_goes_on(copied):
    folder = copied.folder / "first"
    before = contents(folder)
    copied.run(*TINY, "run_dir=first", "resume=True", "max_iterations=6")
    lines = metrics(folder)
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["env_steps"] for line in lines] == [STEPS * i for i in range(1, 7)]
    assert lines[4]["train/lr"] == lines[3]["train/lr_next"] != pytest.approx(3e-4)
    assert lines[4]["wall_time_s"] > lines[3]["wall_time_s"]
    assert (folder / "metrics.jsonl").read_bytes().startswith(before["metrics.jsonl"])
    learner = checkpoint(folder / "checkpoints" / "last.pt")["learner"]
    assert learner["iteration"] == 6
    # The normaliser has seen the samples of all six iterations, the optimizer stepped in all.
    assert learner["obs_normalizer"]["count"] == 6 * STEPS
    assert {state["step"].item() for state in learner["optimizer"]["state"].values()} == {6 * 8}
    # The first session's own records stay.
    for name in ("config.yaml", "overrides.yaml", "environment.json"):
        assert (folder / name).read_bytes() == before[name]
    assert (folder / "config_2.yaml").exists()


def test_a_run_that_is_done_is_left_as_it_is(copied):
    before = contents(copied.folder / "first")
    done = copied.run(*TINY, "run_dir=first", "resume=True", "max_iterations=4")
    assert "first has done its 4 iterations; a larger max_iterations" in done.stdout
    assert contents(copied.folder / "first") == before


def test_resume_auto_starts_where_there_is_no_checkpoint_and_goes_on_where_there_is_one(copied):
    folder = copied.folder / "first"
    shutil.rmtree(folder / "checkpoints")  # as if it had ended before the first one
    before = {
        name: (folder / name).read_bytes()
        for name in ("config.yaml", "overrides.yaml", "environment.json", "metrics.jsonl")
    }
    # The words are those that it was started with.
    done = copied.run("run_dir=first", "resume=auto", "max_iterations=1", "wandb_activate=False")
    assert "starts anew; what was there is now in first/attempt_1\n" in done.stdout
    assert "Cartpole: 16 envs" in done.stdout
    assert [line["iteration"] for line in metrics(folder)] == [1]
    assert {f.name: f.read_bytes() for f in (folder / "attempt_1").iterdir()} == before
    copied.run(*TINY, "run_dir=first", "resume=auto", "max_iterations=2")
    assert [line["iteration"] for line in metrics(folder)] == [1, 2]


# ---- checkpoints ----


def test_a_new_run_starts_from_a_policy(copied):
    source = copied.folder / "first" / "checkpoints" / "best.pt"
    before = source.read_bytes()
    words = ["checkpoint=first/checkpoints/best.pt", "experiment=second", "max_iterations=1"]
    # A rate so small that the policy stays what it was.
    copied.run(*TINY, *words, "scheduler=constant", "train.learning_rate=1e-7")
    folder = copied.folder / "runs" / "second"
    assert f"checkpoint={source}" in yaml.safe_load((folder / "overrides.yaml").read_text())
    (line,) = metrics(folder)
    assert (line["iteration"], line["env_steps"]) == (1, STEPS)
    assert line["train/lr"] == pytest.approx(1e-7)
    old, new = checkpoint(source), checkpoint(folder / "checkpoints" / "last.pt")
    for name, value in old["learner"]["network"].items():
        assert (new["learner"]["network"][name] - value).abs().max() < 1e-5, name
    assert new["learner"]["obs_normalizer"]["count"] > old["learner"]["obs_normalizer"]["count"]
    assert source.read_bytes() == before


def test_testing_a_policy_ends_with_a_line_of_json(copied):
    before = contents(copied.folder)
    words = [*TINY, "checkpoint=first/checkpoints/best.pt"]
    done = copied.run(*words, "test=True")
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["task"] == "Cartpole"
    assert result["checkpoint"] == "first/checkpoints/best.pt"
    assert result["count"] == 2 * 16
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Cartpole: 32 episodes to play, 2 in each of 16 envs on ")
    assert "num_envs=" in done.stderr
    assert math.isfinite(result["mean"])
    assert result["std"] > 0
    # play.py is the same, from the same seed; neither writes anything.
    again = copied.run(*words, program="play.py")
    assert json.loads(again.stdout.splitlines()[-1]) == result
    assert contents(copied.folder) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=Ant"], "is of task Cartpole, not of Ant; use task=Cartpole"),
        (["train.hidden_sizes=[8]"], "is of another network: .*train.hidden_sizes"),
        (["test=True", "checkpoint=torn.pt"], "torn.pt is truncated or no checkpoint"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(copied, words, message):
    source = copied.folder / "first" / "checkpoints" / "last.pt"
    (copied.folder / "torn.pt").write_bytes(source.read_bytes()[:9000])
    before = contents(copied.folder)
    words = ["checkpoint=first/checkpoints/last.pt", *words]
    # Of two words for one key the last counts.
    kept = {word.split("=")[0]: word for word in [*TINY, *words]}.values()
    kept = [word for word in kept if "task=Ant" not in words or "task.env" not in word]
    said = copied.error(*kept)
    assert re.search(message, said), said
    assert contents(copied.folder) == before
