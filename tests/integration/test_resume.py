"""Stop and go on as if nothing had happened, in real processes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.integration.conftest import PYTHON, ROOT, TINY, CommandLine

pytestmark = pytest.mark.timeout(300)  # enough for a machine that is busy

TIMING = re.compile(r"wall_time|perf/")
NOT_COMPARED = {"wall_time", "config", "wandb_run_id", "segment"}
"""Of a checkpoint: time, and what names the run and its session."""

SMALL = ["train.horizon_length=4", "task.sim.num_threads=1", "train.update_threads=1"]
TASKS = {
    # Episodes that end within the run, some of them next to the stop.
    "Cartpole": ["task=Cartpole", "num_envs=16", "task.env.episode_length=5"],
    "Ant": ["task=Ant", "num_envs=8", "task.env.episode_length=7"],
    "Humanoid": ["task=Humanoid", "num_envs=8", "task.env.episode_length=7"],
}


def metrics(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if not TIMING.search(k)} for line in lines]


def checkpoint(folder: Path) -> dict[str, Any]:
    return torch.load(folder / "checkpoints" / "last.pt", weights_only=True)


def assert_same(own: Any, other: Any, where: str = "") -> None:
    """Equal to the last bit; what is not compared is left out at any depth."""
    if isinstance(own, torch.Tensor):
        assert own.dtype == other.dtype, where
        assert torch.equal(own.nan_to_num(7.0), other.nan_to_num(7.0)), where
    elif isinstance(own, dict):
        assert own.keys() == other.keys(), where
        for key in own:
            if key not in NOT_COMPARED:
                assert_same(own[key], other[key], f"{where}/{key}")
    elif isinstance(own, (list, tuple)):
        assert len(own) == len(other), where
        for place, (a, b) in enumerate(zip(own, other, strict=True)):
            assert_same(a, b, f"{where}/{place}")
    else:
        assert own == other, where


def assert_same_runs(one: Path, other: Path) -> None:
    assert metrics(one) == metrics(other)
    assert_same(checkpoint(one), checkpoint(other))


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_was_stopped_equals_one_that_ran_through(cli: CommandLine, task: str) -> None:
    words = [*TASKS[task], *SMALL, "seed=5", "wandb_activate=False"]
    cli.run(*words, "run_dir=whole", "max_iterations=8")
    cli.run(*words, "run_dir=halves", "max_iterations=4")
    assert checkpoint(cli.folder / "halves")["learner"]["iteration"] == 4
    # Nothing but the run has to be named.
    cli.run("resume=True", "run_dir=halves", "max_iterations=8")
    assert_same_runs(cli.folder / "whole", cli.folder / "halves")
    finished = metrics(cli.folder / "whole")[-1]["train/episodes"]
    assert finished >= 4 * 8


def test_a_run_that_was_killed_repeats_what_came_after_its_checkpoint(cli: CommandLine) -> None:
    cli.run(*TINY, "run_dir=whole", "max_iterations=7")
    cli.run(*TINY, "run_dir=killed", "max_iterations=6", "checkpoint_every=2")
    folder = cli.folder / "killed"
    last = folder / "checkpoints" / "last.pt"
    shutil.copy(last, cli.folder / "six.pt")
    # What a kill in iteration 6 leaves: five lines, half of the sixth, and iteration 4's file.
    lines = (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:40])
    cli.run(*TINY, "run_dir=four", "max_iterations=4")
    shutil.copy(cli.folder / "four" / "checkpoints" / "last.pt", last)
    cli.run("resume=True", "run_dir=killed", "max_iterations=7")
    assert_same_runs(cli.folder / "whole", folder)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_in_good_order(cli: CommandLine, signum: int) -> None:
    words = [word for word in TINY if word != "wandb_activate=False"]
    folder = cli.folder / "the run"
    process = cli.start(
        *words, "max_iterations=100000", "checkpoint_every=99999", f"run_dir={folder}"
    )
    try:
        deadline = time.monotonic() + 250
        while time.monotonic() < deadline:
            assert process.poll() is None, process.communicate()[1]
            if (folder / "metrics.jsonl").exists() and len(metrics(folder)) >= 2:
                break
            time.sleep(0.05)
        # A terminal sends Ctrl-C to the whole group, W&B's own process included.
        subprocess.run(["kill", f"-{int(signum)}", "--", f"-{process.pid}"], check=True)
        out, err = process.communicate(timeout=250)
    finally:
        process.kill()
    assert process.returncode == 128 + signum
    assert "Traceback" not in out + err
    assert "Stopping: this iteration is finished and a checkpoint written" in err
    done = checkpoint(folder)["learner"]["iteration"]
    assert [line["iteration"] for line in metrics(folder)] == list(range(1, done + 1))
    assert "W&B: upload this run with: wandb sync" in err
    command = shlex.join([PYTHON, str(ROOT / "train.py")])
    told = f"Stopped after iteration {done}. Go on with: {command} "
    assert err.splitlines()[-1] == f"{told}resume=True 'run_dir={folder}'"

    # It goes on as that line says, in the same W&B run, and equals a run that was never stopped.
    cli.run("resume=True", f"run_dir='{folder}'", f"max_iterations={done + 2}")
    cli.run(*TINY, "run_dir=whole", f"max_iterations={done + 2}")
    assert_same_runs(cli.folder / "whole", folder)
    logs = sorted(folder.glob("wandb/offline-run-*"))
    assert len(logs) == 2
    assert len({log.name.rsplit("-", 1)[1] for log in logs}) == 1


def test_a_second_signal_leaves_at_once(cli: CommandLine) -> None:
    # An iteration that takes long: the first signal waits for its end.
    words = [*TINY[:1], "num_envs=2000", "train.horizon_length=2000", "wandb_activate=False"]
    process = cli.start(*words, "run_dir=slow")
    try:
        for line in process.stdout:
            if "run folder" in line:
                break
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        time.sleep(1.0)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert err.endswith("Left at once.\n")
    assert not (cli.folder / "slow" / "checkpoints" / "last.pt").exists()


def test_a_run_goes_on_with_its_own_configs_and_a_name_that_is_no_word(cli: CommandLine) -> None:
    (cli.folder / "mine" / "scheduler").mkdir(parents=True)
    steady = "defaults: [constant, _self_]\n"
    (cli.folder / "mine" / "scheduler" / "steady.yaml").write_text(steady)
    words = [*TINY, "scheduler=steady", "run_dir='a (1), b'", "max_iterations=1"]
    done = cli.run(*words, "--config-dir=mine")
    folder = cli.folder / "a (1), b"
    told = re.search(r"/play\.py (.*)", done.stdout)
    assert told is not None
    cli.run(*shlex.split(told.group(1)), program="play.py")
    for iterations in (2, 3):  # a resume of a resume
        cli.run("resume=True", "run_dir='a (1), b'", f"max_iterations={iterations}")
        assert [line["iteration"] for line in metrics(folder)] == list(range(1, iterations + 1))
        assert {line["train/lr"] for line in metrics(folder)} == {metrics(folder)[0]["train/lr"]}


def test_what_changed_is_told_and_episodes_begin_anew_where_they_must(
    finished: CommandLine, cli: CommandLine
) -> None:
    shutil.copytree(finished.folder / "first", cli.folder / "first")
    words = ["resume=True", "run_dir=first", "wandb_activate=False"]
    done = cli.run(*words, "max_iterations=5", "train.gamma=0.9")
    assert "train.gamma: 0.99 before, 0.9 now" in done.stdout
    assert "new episodes" not in done.stdout
    # Another number of envs is fine for the policy; their state can't be taken over.
    done = cli.run(*words, "max_iterations=6", "num_envs=32")
    assert "num_envs: 16 before, 32 now" in done.stdout
    assert "new episodes begin, because of num_envs" in done.stdout
    last = checkpoint(cli.folder / "first")
    assert last["learner"]["iteration"] == 6
    assert last["learner"]["obs_normalizer"]["count"] == 5 * 8 * 16 + 8 * 32


def test_a_run_that_could_not_begin_leaves_no_folder(cli: CommandLine) -> None:
    said = cli.error(*TINY, "run_dir=new", "checkpoint=missing.pt")
    assert "there is no such file" in said
    assert not (cli.folder / "new").exists()
