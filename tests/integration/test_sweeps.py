"""Real sweeps of Cartpole, each with another engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from rofunc_isaac.cli import sweeps
from tests.integration.test_runs import metrics

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORDS = [
    *("-m", "task=Cartpole", "num_envs=16", "train.horizon_length=16", "train.update_threads=1"),
    *("wandb_activate=False", "max_iterations=6", "hydra.sweep.dir=runs/sweep"),
]
STUDY = ["hydra/sweeper=optuna_ppo", "hydra.sweeper.n_trials=3", "task.sim.num_threads=1"]
JOBLIB = "hydra/launcher=joblib_local"


def runs(cli) -> list[Path]:
    return sorted(path.parent for path in cli.folder.glob("runs/sweep/*/config.yaml"))


def settings(run: Path) -> dict:
    return yaml.safe_load((run / "config.yaml").read_text())


def test_a_study_of_three_trials_and_one_that_goes_on(cli):
    done = cli.run(*WORDS, *STUDY)
    assert [run.name for run in runs(cli)] == ["0", "1", "2"]
    returns = {run: metrics(run)[-1]["train/return_mean"] for run in runs(cli)}
    found = yaml.safe_load((cli.folder / "runs/sweep/optimization_results.yaml").read_text())
    assert found["best_value"] == pytest.approx(max(returns.values()))
    best = settings(max(returns, key=returns.__getitem__))
    assert found["best_params"]["train.learning_rate"] == best["train"]["learning_rate"]
    assert f"best mean return {found['best_value']:.4g}" in done.stdout
    rates = {settings(run)["train"]["learning_rate"] for run in runs(cli)}
    assert len(rates) == 3
    assert {settings(run)["train"]["horizon_length"] for run in runs(cli)} == {16}  # the word's
    assert {settings(run)["seed"] for run in runs(cli)} == {42}
    # The same words go on, with other settings and in other folders.
    cli.run(*WORDS, *STUDY)
    assert [run.name for run in runs(cli)] == ["0", "0-2", "1", "1-2", "2", "2-2"]
    assert len({settings(run)["train"]["learning_rate"] for run in runs(cli)}) == 6
    import optuna

    storage = f"sqlite:///{cli.folder}/runs/sweep/study.db"
    assert len(optuna.load_study(study_name="ppo", storage=storage).trials) == 6


def test_a_trial_without_an_episode_fails_and_ends_the_study(cli):
    # A push so weak that no pole falls.
    words = [*STUDY, "task.env.max_effort=1", "max_iterations=1"]
    done = cli.run(*WORDS, *words, status=1)
    assert "error: job 0 of the sweep failed: no episode has ended" in done.stderr
    assert "Traceback" not in done.stderr
    assert [run.name for run in runs(cli)] == ["0"]
    assert "no episode" in (cli.folder / "runs/sweep/0.error.txt").read_text()


@pytest.mark.parametrize("sweeper", ["optuna_ppo", "optuna"])
def test_a_study_in_which_no_trial_succeeds_says_so(cli, sweeper):
    words = [f"hydra/sweeper={sweeper}", "hydra.sweeper.direction=maximize", "max_iterations=1"]
    words += ["hydra.sweeper.n_trials=2", "hydra.sweeper.n_jobs=1", "task.env.max_effort=1"]
    done = cli.run(*WORDS, *words, "hydra.sweeper.max_failure_rate=1", status=1)
    files = "runs/sweep/0.error.txt, runs/sweep/1.error.txt"
    assert f"\nerror: no trial of the study came to a return: {files}\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("launcher", ["basic", "joblib_local", "submitit_local"])
def test_a_grid_runs_on_past_a_job_that_fails(cli, launcher):
    entries = "task.entry=my_task:MyTask,rofunc_isaac.tasks.cartpole:Cartpole"
    done = cli.run(*WORDS, f"hydra/launcher={launcher}", entries, status=1)
    assert "job 0 of the sweep failed: task.entry='my_task:MyTask'" in done.stderr
    assert "Traceback" not in done.stderr
    assert [run.name for run in runs(cli)] == ["1"]
    assert len(metrics(runs(cli)[0])) == 6
    assert "my_task" in (cli.folder / "runs/sweep/0.error.txt").read_text()


def test_two_jobs_at_once_have_their_own_folders_and_go_on(cli):
    grid = [JOBLIB, "seed=1,2", "resume=auto"]
    cli.run(*WORDS, *grid)
    assert [run.name for run in runs(cli)] == ["0", "1"]
    assert [settings(run)["seed"] for run in runs(cli)] == [1, 2]
    assert all(len(metrics(run)) == 6 for run in runs(cli))
    threads = {settings(run)["task"]["sim"]["num_threads"] for run in runs(cli)}
    assert threads == {max(1, sweeps._cores() // 2)}
    cli.run(*[word for word in WORDS if "max_iter" not in word], *grid, "max_iterations=8")
    assert [run.name for run in runs(cli)] == ["0", "1"]
    assert all([line["iteration"] for line in metrics(run)][-1] == 8 for run in runs(cli))


def test_the_jobs_of_a_sweep_are_a_group_on_the_dashboard(cli):
    words = [word for word in WORDS if "wandb" not in word]
    cli.run(*words, "seed=1,2")
    names = []
    for log in cli.folder.glob("runs/sweep/*/wandb/offline-run-*/*.wandb"):
        inspect = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(log)]
        read = subprocess.run(
            inspect, env=cli.environment, capture_output=True, text=True, timeout=100, check=True
        )
        records = [json.loads(line) for line in read.stdout.splitlines()]
        (run,) = (record["run"] for record in records if record["type"] == "run")
        names.append((run["run_group"], run["display_name"]))
    assert sorted(names) == [("sweep", "sweep/0"), ("sweep", "sweep/1")]


@pytest.mark.parametrize(
    ("signum", "seeds"),
    [
        *((signal.SIGINT, "1,2,3"), (signal.SIGTERM, "1,2,3")),
        # One process has nothing to do.
        *((signal.SIGINT, "1"), (signal.SIGTERM, "1")),
    ],
)
def test_a_signal_stops_every_job_with_a_checkpoint(cli, signum, seeds):
    words = [word for word in WORDS if "max_iter" not in word]
    process = cli.start(*words, JOBLIB, f"seed={seeds}", "max_iterations=1000000")
    busy = min(2, len(seeds.split(",")))
    started = [cli.folder / f"runs/sweep/{number}/metrics.jsonl" for number in range(busy)]
    deadline = time.monotonic() + 100
    while not all(path.exists() and path.read_text().count("\n") > 2 for path in started):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    # A terminal sends Ctrl-C to the whole group, a cluster SIGTERM to the one that it started.
    if signum == signal.SIGINT:
        os.killpg(process.pid, signum)
    else:
        process.send_signal(signum)
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 128 + signum, errors
    assert "Stopped after iteration" in errors
    assert "Traceback" not in errors
    while not all((path.parent / "checkpoints/last.pt").exists() for path in started):
        assert time.monotonic() < deadline + 100
        time.sleep(0.1)
    assert len(runs(cli)) == busy  # a third was not begun
    while _is_alive(process.pid):
        assert time.monotonic() < deadline + 100, "a process trains on"
        time.sleep(0.1)


def _is_alive(group: int) -> bool:
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
