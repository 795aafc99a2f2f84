from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rofunc_isaac.cli import run_folder
from rofunc_isaac.cli.run_folder import (
    RunFolderError,
    describe_environment,
    open_free_folder,
    open_run_folder,
)


def finish_a_run(path, checkpoint=True):
    folder = open_run_folder("Ant", run_dir=path)
    folder.record("task: Ant\n", ["task=Ant"])
    folder.metrics.write_text('{"iteration": 1}\n')
    if checkpoint:
        folder.last.write_bytes(b"weights")
    folder.release()


def contents(path):
    return {p: p.read_bytes() for p in sorted(Path(path).rglob("*")) if p.is_file()}


def test_a_new_run_is_named_by_task_and_time(tmp_path):
    folder = open_run_folder("Ant", root=tmp_path / "runs")
    assert re.fullmatch(r"Ant_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d", folder.path.name)
    assert folder.path.parent == tmp_path / "runs"
    assert not folder.resumed
    assert folder.metrics == folder.path / "metrics.jsonl"
    assert folder.last == folder.path / "checkpoints" / "last.pt"
    assert folder.best == folder.path / "checkpoints" / "best.pt"
    assert folder.last.parent.is_dir()


def _open(root, barrier, names):
    barrier.wait()
    names.put([open_run_folder("Ant", root=root).path.name for _ in range(5)])


def test_processes_that_start_at_once_never_share_a_folder(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, names = context.Barrier(4), context.Queue()
    processes = [
        context.Process(target=_open, args=(tmp_path / "runs", barrier, names)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    made = [name for _ in processes for name in names.get(timeout=60)]
    for process in processes:
        process.join()
    assert len(set(made)) == 20
    assert any(name.endswith("-2") for name in made)


def test_experiment_and_run_dir_choose_the_folder(tmp_path):
    assert open_run_folder("Ant", experiment="fast", root=tmp_path).path == tmp_path / "fast"
    path = tmp_path / "a" / "b"
    assert open_run_folder("Ant", run_dir=path).path == path
    with pytest.raises(RunFolderError, match="both name the run folder"):
        open_run_folder("Ant", experiment="fast", run_dir=path)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b"])
def test_an_experiment_is_a_name_not_a_path(tmp_path, name):
    with pytest.raises(RunFolderError, match="run_dir=PATH"):
        open_run_folder("Ant", experiment=name, root=tmp_path)


@pytest.mark.parametrize("choice", ["experiment", "run_dir"])
def test_a_folder_with_a_run_is_refused_and_left_as_it_is(tmp_path, choice):
    path = tmp_path / "my run"
    finish_a_run(path)
    before = contents(path)
    arguments = {"run_dir": path} if choice == "run_dir" else {"experiment": "my run"}
    with pytest.raises(RunFolderError) as error:
        open_run_folder("Ant", root=tmp_path, **arguments)
    assert f"resume=True run_dir='{path}'" in str(error.value)
    assert "experiment=NAME" in str(error.value)
    assert contents(path) == before


def test_a_run_without_a_checkpoint_is_refused_with_the_way_to_start_it_anew(tmp_path):
    finish_a_run(tmp_path / "r", checkpoint=False)
    with pytest.raises(RunFolderError, match="resume=auto"):
        open_run_folder("Ant", run_dir=tmp_path / "r")


def test_resume_takes_a_run_up(tmp_path):
    finish_a_run(tmp_path / "r")
    folder = open_run_folder("Ant", run_dir=tmp_path / "r", resume=True)
    assert folder.resumed
    folder.record("task: Ant\nmax_iterations: 9\n", ["max_iterations=9"])
    assert (folder.path / "config.yaml").read_text() == "task: Ant\n"
    assert (folder.path / "config_2.yaml").read_text() == "task: Ant\nmax_iterations: 9\n"
    assert (folder.path / "overrides_2.yaml").exists()
    assert (folder.path / "environment_2.json").exists()
    folder.record("task: Ant\n", [])
    assert (folder.path / "config_3.yaml").exists()


@pytest.mark.parametrize(
    ("present", "named"),
    [
        (None, "there is no folder"),
        ([], "no config.yaml and no checkpoints/last.pt"),
        (["config.yaml"], "no checkpoints/last.pt"),
    ],
)
def test_resume_says_what_is_missing(tmp_path, present, named):
    path = tmp_path / "r"
    if present is not None:
        path.mkdir()
        for name in present:
            (path / name).touch()
    with pytest.raises(RunFolderError, match=named):
        open_run_folder("Ant", run_dir=path, resume=True)
    assert path.exists() == (present is not None)


def test_auto_goes_on_or_starts(tmp_path):
    path = tmp_path / "r"
    folder = open_run_folder("Ant", run_dir=path, resume="auto")
    assert not folder.resumed
    folder.record("task: Ant\n", [])
    folder.release()
    folder = open_run_folder("Ant", run_dir=path, resume="auto")
    assert not folder.resumed  # it ended before its first checkpoint
    folder.last.write_bytes(b"weights")
    folder.release()
    assert open_run_folder("Ant", run_dir=path, resume="auto").resumed


def test_a_start_anew_sets_aside_what_was_there(tmp_path):
    path = tmp_path / "r"
    finish_a_run(path, checkpoint=False)
    (path / "overrides_2.yaml").write_text("- task=Ant\n")  # last.pt was deleted since
    (path / "checkpoints" / "best.pt").write_bytes(b"weights")
    before = {file.name: text for file, text in contents(path).items() if file.name != ".lock"}
    for number in (1, 2):
        folder = open_run_folder("Ant", run_dir=path, resume="auto")
        assert folder.set_aside() == path / f"attempt_{number}"
        assert {file.name for file in path.iterdir() if file.is_file()} == {
            *(".lock", "overrides.yaml")  # the words, until new ones stand there
        }
        folder.record("task: Cartpole\n", ["task=Cartpole"])
        assert (path / "config.yaml").read_text() == "task: Cartpole\n"
        folder.release()
    assert {p.name: text for p, text in contents(path / "attempt_1").items()} == before
    assert (path / "attempt_2" / "overrides.yaml").read_text() == '- "task=Cartpole"\n'


def test_nothing_is_set_aside_where_nothing_is_or_the_run_goes_on(tmp_path):
    assert open_run_folder("Ant", run_dir=tmp_path / "new", resume="auto").set_aside() is None
    finish_a_run(tmp_path / "r")
    before = contents(tmp_path / "r")
    assert open_run_folder("Ant", run_dir=tmp_path / "r", resume="auto").set_aside() is None
    assert contents(tmp_path / "r") == before


@pytest.mark.parametrize("resume", [True, "auto"])
def test_a_resume_needs_a_folder(resume):
    with pytest.raises(RunFolderError, match="add run_dir=PATH"):
        open_run_folder("Ant", resume=resume)


def test_a_misspelt_resume(tmp_path):
    with pytest.raises(RunFolderError, match="False, True or auto"):
        open_run_folder("Ant", run_dir=tmp_path / "r", resume="yes")


@pytest.mark.parametrize("resume", [False, True, "auto"])
def test_a_folder_in_use_by_another_process_is_refused(tmp_path, resume):
    path = tmp_path / "r"
    finish_a_run(path)
    code = (
        "import sys; from rofunc_isaac.cli.run_folder import open_run_folder\n"
        "folder = open_run_folder('Ant', run_dir=sys.argv[1], resume=True)\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(RunFolderError, match="in use by another process"):
        open_run_folder("Ant", run_dir=path, resume=resume)
    holder.kill()
    holder.wait()
    assert open_run_folder("Ant", run_dir=path, resume=True).resumed


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "r").touch()
    with pytest.raises(RunFolderError, match="Can't make the folder"):
        open_run_folder("Ant", run_dir=tmp_path / "r")


def test_what_is_recorded(tmp_path):
    folder = open_run_folder("Ant", run_dir=tmp_path / "r")
    words = ["task=Ant", 'wandb_name="a: b #c"', "train.hidden_sizes=[8,4]", "wandb_name=Ünï🐜"]
    folder.record("task: Ant\n", words)
    assert (folder.path / "config.yaml").read_text() == "task: Ant\n"
    assert yaml.safe_load((folder.path / "overrides.yaml").read_text()) == words
    environment = json.loads((folder.path / "environment.json").read_text())
    assert environment["python"] == ".".join(map(str, sys.version_info[:3]))
    assert re.match(r"\d+\.\d+", environment["packages"]["torch"])
    assert re.match(r"\d+\.\d+", environment["packages"]["mujoco"])
    assert environment["cpu_count"] > 0


def test_the_commit_and_whether_files_differ_from_it(tmp_path, monkeypatch):
    def git(*words):
        identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
        command = ["git", "-C", str(tmp_path), *identity, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    package = tmp_path / "rofunc_isaac" / "__init__.py"
    package.parent.mkdir()
    package.touch()
    monkeypatch.setattr(run_folder.rofunc_isaac, "__file__", str(package))
    assert describe_environment()["git"] is None
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    assert describe_environment()["git"] == {"commit": git("rev-parse", "HEAD"), "dirty": False}
    package.write_text("changed")
    assert describe_environment()["git"]["dirty"] is True


def test_neither_torch_nor_an_engine_is_imported():
    code = (
        "import sys, rofunc_isaac.cli.run_folder as m; m.describe_environment()\n"
        "print([n for n in ('torch', 'mujoco', 'mjbatch', 'numpy', 'wandb') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("choice", [{}, {"run_dir": "a/b"}, {"experiment": "fast"}])
def test_a_run_that_never_began_leaves_nothing(tmp_path, monkeypatch, choice):
    monkeypatch.chdir(tmp_path)
    open_run_folder("Ant", **choice).discard()
    assert list(tmp_path.iterdir()) == []


def test_discarding_leaves_what_others_made(tmp_path):
    (tmp_path / "r").mkdir()
    open_run_folder("Ant", run_dir=tmp_path / "r").discard()
    assert list(tmp_path.iterdir()) == [tmp_path / "r"]
    finish_a_run(tmp_path / "r")
    before = contents(tmp_path / "r")
    folder = open_run_folder("Ant", run_dir=tmp_path / "r", resume=True)
    folder.discard()
    assert contents(tmp_path / "r") == before
    open_run_folder("Ant", run_dir=tmp_path / "r", resume=True)  # it was let go


def test_a_free_folder_is_beside_those_that_are_taken(tmp_path):
    path = str(tmp_path / "0")
    in_use = open_free_folder(path)
    finished = open_free_folder(path)
    finished.record("task: Ant\n", [])
    finished.release()
    third = open_free_folder(path)
    names = [folder.path.name for folder in (in_use, finished, third)]
    assert names == ["0", "0-2", "0-3"]
    for folder in (in_use, third):
        folder.release()
