"""Real runs of wandb, each in a process of its own: wandb keeps settings for a process's life."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rofunc_isaac.tracking.weights_and_biases import MAX_PAIRS, WeightsAndBiases, _Pairs

KEY = "0123456789" * 4
REPOSITORY = Path(__file__).parents[2]

RUN = """
import json, sys
from rofunc_isaac.tracking.weights_and_biases import WeightsAndBiases
config = {"task": {"name": "Ant", "env": {"num_envs": 4}}, "seed": 3, "sizes": [8, 4]}
tracker = WeightsAndBiases("run", config, project="ours", name="first", group="seeds", ARGUMENTS)
print(json.dumps([tracker.mode, tracker.run_id]))
for i in range(FIRST, LAST + 1):
    metrics = {
        "iteration": i, "env_steps": 100 * i, "wall_time_s": 0.5 * i,
        "train/return_mean": None if i == 1 else 2.0 * i,
        "train/kl_mean": 0.01 * i, "train/lr": 0.001 / i, "train/grad_norm": float("nan"),
    }
    DURING
    tracker.log(metrics, [(0.01 * i, 0.001 / i), (0.02 * i, 0.002 / i)])
tracker.close("finished")
print(json.dumps([tracker.mode, tracker.run_id]))
"""


def program(arguments="", first=1, last=6, during=""):
    values = {"ARGUMENTS": arguments, "FIRST": first, "LAST": last, "DURING": during}
    code = RUN
    for name, value in values.items():
        code = code.replace(name, str(value))
    return code


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


def start(folder, code, stdin=subprocess.DEVNULL, **variables):
    """Run `code` as a user without a key would, from `folder`."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("WANDB", "NETRC"))}
    environment.update(HOME=str(folder / "home"), PYTHONPATH=str(REPOSITORY), **variables)
    for name in ("CACHE", "CONFIG", "DATA"):
        environment[f"XDG_{name}_HOME"] = str(folder / "home" / name.lower())
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def records(run_folder):
    """Every record of an offline run, read by W&B's own reader."""
    (log,) = run_folder.glob("*.wandb")
    done = subprocess.run(
        [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(log)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def history(read):
    return [record["history"]["item"] for record in read if record["type"] == "history"]


def last_table(run_folder, rows):
    """The table that the last history row with a panel points to."""
    path = [row["lr_against_kl_table.path"] for row in rows if "lr_against_kl_table.path" in row][
        -1
    ]
    return json.loads((run_folder / "files" / path).read_text())


def test_an_offline_run_reads_back(folder):
    done = start(folder, program())
    mode, run_id = json.loads(done.stdout.splitlines()[0])
    assert mode == "offline"
    (run_folder,) = (folder / "run" / "wandb").glob(f"offline-run-*-{run_id}")
    assert f"wandb sync --yes run/wandb/{run_folder.name}" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["home", "run"]

    read = records(run_folder)
    rows = [row for row in history(read) if "iteration" in row]
    assert [row["global_step"] for row in rows] == [100, 200, 300, 400, 500, 600]
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row["wall_time"] for row in rows] == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    assert {row["segment"] for row in rows} == {0}
    # The two curves, over env steps.
    assert [row["train/kl_mean"] for row in rows] == [0.01 * i for i in range(1, 7)]
    assert [row["train/lr"] for row in rows] == [0.001 / i for i in range(1, 7)]
    assert ["train/return_mean" in row for row in rows] == [False, True, True, True, True, True]
    metrics = [record["metric"] for record in read if record["type"] == "metric"]
    assert {"glob_name": "*", "step_metric": "global_step"}.items() <= metrics[-1].items()

    # Learning rate against KL, a point an update.
    table = last_table(run_folder, history(read))
    assert table["columns"] == ["env_steps", "kl", "lr"]
    assert table["data"] == [
        [100 * i, factor * 0.01 * i, factor * 0.001 / i] for i in range(1, 7) for factor in (1, 2)
    ]
    configs = [record["config"]["update"] for record in read if record["type"] == "config"]
    key = "_wandb.visualize.lr_against_kl"
    settings = next(c[key]["panel_config"] for c in configs if key in c)
    assert settings["panelDefId"] == "wandb/scatter/v0"
    assert settings["fieldSettings"] == {"x": "kl", "y": "lr"}

    run = next(record["run"] for record in read if record["type"] == "run")
    assert (run["project"], run["display_name"], run["run_group"]) == ("ours", "first", "seeds")
    config = run["config"]["update"]
    assert config["task"] == {"name": "Ant", "env": {"num_envs": 4}}
    assert (config["seed"], config["sizes"]) == (3, [8, 4])


def test_a_resume_goes_on_with_the_same_run(folder):
    first = start(folder, program(last=3))
    _, run_id = json.loads(first.stdout.splitlines()[0])
    time.sleep(1.1)  # wandb names folders by the second
    earlier = [(100, 0.01, 0.001)]
    arguments = f"run_id={run_id!r}, segment=1, earlier_updates={earlier}"
    second = start(folder, program(arguments, first=4))
    assert json.loads(second.stdout.splitlines()[0]) == ["offline", run_id]
    folders = sorted((folder / "run" / "wandb").glob(f"offline-run-*-{run_id}"))
    assert len(folders) == 2
    names = " ".join(f"run/wandb/{path.name}" for path in folders)
    assert second.stderr.splitlines()[-1].endswith(f"wandb sync --yes {names}")
    rows = history(records(folders[1]))
    assert [row["iteration"] for row in rows if "iteration" in row] == [4, 5, 6]
    assert {row["segment"] for row in rows} == {1}
    table = last_table(folders[1], rows)
    assert [row[0] for row in table["data"]] == [100, 400, 400, 500, 500, 600, 600]


def test_what_is_computed_again_after_a_kill_is_not_logged_again(folder):
    """The step axis never goes back, and the panel misses no pair."""
    arguments = "run_id='abcdefgh', segment=1, logged_until=500, earlier_updates=[(300, 0.1, 0.2)]"
    start(folder, program(arguments, first=4))
    (second,) = (folder / "run" / "wandb").glob("offline-run-*-abcdefgh")
    rows = history(records(second))
    assert [row["global_step"] for row in rows if "iteration" in row] == [600]
    assert all(row["global_step"] >= 600 for row in rows)
    table = last_table(second, rows)
    assert [row[0] for row in table["data"]] == [300, 400, 400, 500, 500, 600, 600]


def test_without_a_key_nobody_is_asked_on_a_terminal(folder):
    leader, follower = pty.openpty()
    try:
        done = start(folder, program(last=1), stdin=follower)
    finally:
        os.close(leader)
        os.close(follower)
    assert json.loads(done.stdout.splitlines()[0])[0] == "offline"
    assert "offline (no API key)" in done.stderr
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize(("mode", "ours"), [("offline", "offline"), ("disabled", "off")])
def test_wandb_mode_holds_against_a_key(folder, mode, ours):
    done = start(folder, program(last=1), WANDB_MODE=mode, WANDB_API_KEY=KEY)
    assert json.loads(done.stdout.splitlines()[0])[0] == ours
    assert ("WANDB_MODE" in done.stderr) == (mode == "offline")


@pytest.mark.parametrize("where", ["environment", pytest.param("netrc", marks=pytest.mark.slow)])
def test_no_network_is_one_line_and_training_goes_on(folder, where):
    variables = {"WANDB_BASE_URL": "http://127.0.0.1:9"}  # nobody listens there
    if where == "environment":
        variables["WANDB_API_KEY"] = KEY
    else:
        netrc = folder / "home" / ".netrc"
        netrc.write_text(f"machine 127.0.0.1:9\n  login user\n  password {KEY}\n")
        netrc.chmod(0o600)
    began = time.monotonic()
    done = start(folder, program("init_timeout_s=1.0", last=1), **variables)
    assert time.monotonic() - began < 20
    assert json.loads(done.stdout.splitlines()[-1]) == ["off", None]
    (line,) = done.stderr.splitlines()
    assert line.startswith("W&B could not start (")
    assert line.endswith("metrics.jsonl go on without it")


def test_a_malformed_key_is_one_line_and_the_run_id_stays_for_the_checkpoint(folder):
    done = start(folder, program("run_id='abc'", last=1), WANDB_API_KEY="short")
    (line,) = done.stderr.splitlines()
    assert line.startswith("W&B could not start (AuthenticationError: WANDB_API_KEY invalid")
    assert json.loads(done.stdout.splitlines()[-1]) == ["off", "abc"]


def test_without_wandb_training_goes_on(folder):
    done = start(folder, "import sys; sys.modules['wandb'] = None" + program(last=1))
    (line,) = done.stderr.splitlines()
    assert line.startswith("W&B could not start (ModuleNotFoundError: ")


def test_a_run_that_breaks_in_the_middle_is_one_line(folder):
    during = "if i == 3: tracker._run.finish()"  # wandb then raises at every log
    done = start(folder, program(during=during))
    assert json.loads(done.stdout.splitlines()[-1])[0] == "off"
    _, line = done.stderr.splitlines()
    assert line.startswith("W&B could not log (UsageError: ")


def test_off_imports_no_wandb(folder):
    code = program("activate=False", last=1) + "\nassert 'wandb' not in sys.modules"
    done = start(folder, code)
    assert json.loads(done.stdout.splitlines()[-1]) == ["off", None]
    assert done.stderr == ""
    assert list((folder / "run").iterdir()) == []


def test_off_in_this_process(tmp_path):
    tracker = WeightsAndBiases(tmp_path, {}, activate=False, run_id="kept")
    tracker.log({"iteration": 1, "env_steps": 1, "wall_time_s": 0.1}, [(0.1, 0.2)])
    tracker.close("finished")
    assert (tracker.mode, tracker.run_id) == ("off", "kept")


def test_the_table_is_logged_seldom_and_never_grows_past_its_bound():
    pairs = _Pairs([])
    logged = []
    for i in range(20_000):
        pairs.add(i, [(float(2 * i), 0.5), (float(2 * i + 1), 0.5)])
        if pairs.panel_is_due():
            logged.append(pairs.take())
    assert len(logged) < 30
    assert max(len(rows) for rows in logged) <= MAX_PAIRS
    whole = [rows for rows in logged if len(rows) == 2 * (rows[-1][0] + 1)]
    assert sum(map(len, whole)) < 3 * len(whole[-1]) + 10
    # Thinned evenly, from the first pair on.
    kls = [row[1] for row in pairs.take()]
    assert kls == list(range(0, 40_000, 4))
