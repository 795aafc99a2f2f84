"""Sweeps before their first job: which configurations there are, and what is refused."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from hydra.core.hydra_config import HydraConfig

from rofunc_isaac.cli import sweeps, workers
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import ConfigError, UserError

ROOT = Path(__file__).resolve().parents[2]
STUDY = "hydra/sweeper=optuna_ppo"


def run_train(*words: str, cwd: Path, without_plugins: bool = False) -> str:
    """The one line that a mistake is answered with, before anything is written."""
    hide = "sys.modules['hydra_plugins'] = None; " if without_plugins else ""
    program = (
        f"import sys; {hide}sys.path.insert(0, {str(ROOT)!r}); "
        f"from rofunc_isaac.cli.main import main; main({list(words)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert list(cwd.iterdir()) == []
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def jobs(*words: str) -> list[list[str]]:
    compose(sweeps.without_sweeps(words), job=0)
    return sweeps.words_to_check(words, HydraConfig.get())


# ---- mistakes ----


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed=1,2", "num_envs=16,0"], "num_envs (override num_envs=0) must be a whole number"),
        (["train.learning_rate=interval(1e-4,1e-2)"], "add hydra/sweeper=optuna_ppo"),
        ([STUDY, "task=glob(*)"], "only a grid takes a glob"),
        ([STUDY, "hydra.sweeper.n_trial=3"], "did you mean hydra.sweeper.n_trials?"),
        (["hydra/launcher=joblib_local", "hydra.launcher.n_job=3"], "hydra.launcher.n_jobs?"),
        (["hydra/launcher=slurm", "hydra.launcher.timeout_mins=3"], "hydra.launcher.timeout_min?"),
        ([STUDY, "train.learning_rate=interval(0,1e-2)"], "train.learning_rate=0"),
        ([STUDY, "train.gama=interval(0.9,0.99)"], "did you mean train.gamma?"),
        ([STUDY, "resume=auto"], "a study goes on by itself"),
        ([f"{STUDY}s"], "did you mean optuna_ppo?"),
        (["hydra/sweeper=optuna"], "hydra.sweeper.direction=minimize would not look for the"),
        (["hydra/sweeper=optuna"], "hydra/sweeper=optuna_ppo or hydra.sweeper.direction=maximize"),
        ([STUDY, "hydra.sweeper.direction=minimize"], "hydra.sweeper.direction=minimize would"),
        ([STUDY, "hydra.sweeper.direction=[maximize,minimize]"], "direction=[maximize,minimize]"),
        ([STUDY, "hydra.sweeper.n_trials=0"], "hydra.sweeper.n_trials=0 must be 1 or more"),
        ([STUDY, "hydra.sweeper.n_trials=-1"], "hydra.sweeper.n_trials=-1 must be 1 or more"),
        ([STUDY, "hydra.sweeper.n_jobs=0"], "hydra.sweeper.n_jobs=0 must be 1 or more"),
        (["seed=1,2", "run_dir=r"], "run_dir=r would be the folder of several jobs"),
        (["seed=1,2", "experiment=e"], "experiment=e would be the folder of several jobs"),
        (["seed=1,2", "num_envs=8,16", "experiment=e_${seed}"], "let ${num_envs} be part of it"),
        ([STUDY, "train.mini_epochs=range(0,4,2)"], "train.mini_epochs=0"),
        ([STUDY, "num_envs=16", "train.num_minibatches=range(1,3)"], "num_minibatches=3"),
    ],
)
def test_a_mistake_is_told_before_the_first_job(words, message, tmp_path):
    assert message in run_train("-m", "task=Cartpole", *words, cwd=tmp_path)


def test_a_mistake_in_the_sweepers_own_settings_is_told(tmp_path, monkeypatch):
    folder = tmp_path / "hydra" / "sweeper"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(
        "defaults: [optuna_ppo, _self_]\nparams: {train.gama: 'interval(0.9,0.99)'}\n"
    )
    words = ["-m", "--config-dir", str(tmp_path), "hydra/sweeper=mine"]
    here = tmp_path / "here"
    here.mkdir()
    assert "did you mean train.gamma?" in run_train(*words, cwd=here)


@pytest.mark.parametrize(
    "word", [STUDY, "hydra/launcher=joblib_local", "hydra/launcher=slurm", "hydra/sweeper=optuna"]
)
def test_without_the_packages_it_says_what_to_install(word, tmp_path):
    said = run_train("-m", "seed=1,2", word, cwd=tmp_path, without_plugins=True)
    assert said.endswith("needs packages that are not there: pip install -e '.[sweeps]'")


def test_without_m_a_sweeper_is_refused(tmp_path):
    assert run_train(STUDY, cwd=tmp_path) == f"error: {STUDY} is for a sweep: add -m"


def test_a_plain_run_imports_none_of_the_engines(tmp_path):
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from rofunc_isaac.cli.main import main\n"
        "main(['task=Cartpole', '--cfg', 'job'])\n"
        "assert not {'joblib', 'optuna', 'submitit'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=100)


# ---- what is checked, and what a job gets ----


def test_every_choice_and_both_ends_are_checked():
    checked = jobs("seed=1,2,3", "num_envs=choice(4,8)", "train.horizon_length=range(8,33,8)")
    assert checked == [
        ["seed=1", "num_envs=4", "train.horizon_length=8"],
        ["seed=2", "num_envs=8", "train.horizon_length=32"],
        ["seed=3", "num_envs=8", "train.horizon_length=32"],
    ]


def test_a_folder_that_differs_with_each_job_is_fine():
    words = ["seed=1,2", "num_envs=8,16"]
    for name in ("experiment=e_${seed}_${num_envs}", "experiment=e_${hydra:job.num}"):
        sweeps.check_folders([*words, name], [])


def test_a_range_of_a_study_holds_its_end():
    first, *_, last = jobs(STUDY, "train.mini_epochs=range(2,8,3)", "num_envs=range(4,8,2)")
    assert "train.mini_epochs=2" in first
    assert "train.mini_epochs=8" in last
    assert "num_envs=8" in last


def test_a_word_takes_the_place_of_the_studys_own():
    first, *_, last = jobs(STUDY, "train.horizon_length=24", "train.gamma=interval(0.9,0.99)")
    for words in (first, last):
        assert "train.horizon_length=24" in words
        assert len({word.split("=")[0] for word in words}) == len(words)
    assert "train.learning_rate=0.0001" in first
    assert "train.learning_rate=0.003" in last
    assert "train.gamma=0.99" in last


def test_each_job_has_its_folder_and_a_plain_run_has_not():
    assert compose(["task=Cartpole"]).run_dir is None
    words = ["task=Cartpole", "hydra.sweep.dir=runs/s"]
    assert compose(words, job=3).run_dir == "runs/s/3"
    assert sweeps.group(HydraConfig.get()) == "s"
    assert sweeps.run_name(Path("runs/s/3"), HydraConfig.get()) == "s/3"
    assert compose([*words, "experiment=mine"], job=3).run_dir is None
    assert compose([*words, "resume=auto"], job=3).resume == "auto"


def test_jobs_of_joblib_share_the_cores(monkeypatch):
    monkeypatch.setattr(sweeps, "_cores", lambda: 12)

    def threads(*words):
        config = compose(["task=Cartpole", *words], job=0)
        return config.task.sim.num_threads

    assert threads() == 0
    joblib = "hydra/launcher=joblib_local"
    assert threads(joblib) == 6
    assert threads(joblib, "task.sim.num_threads=5") == 5
    assert threads(joblib, "hydra.launcher.n_jobs=-1") == 1
    assert threads(joblib, "hydra.launcher.n_jobs=4", STUDY, "hydra.sweeper.n_jobs=3") == 4
    assert threads(joblib, "hydra.launcher.n_jobs=4", STUDY) == 0  # one at a time


def test_a_study_gets_a_number_or_a_reason():
    compose(["task=Cartpole"], job=0)
    assert sweeps.objective(None, HydraConfig.get()) is None  # of a grid nobody asks
    compose(["task=Cartpole", STUDY], job=0)
    assert sweeps.objective(1.5, HydraConfig.get()) == 1.5
    with pytest.raises(UserError, match="no episode has ended"):
        sweeps.objective(None, HydraConfig.get())
    with pytest.raises(UserError, match="nan"):
        sweeps.objective(float("nan"), HydraConfig.get())


def test_the_seed_of_the_sampler_moves_with_the_runs(tmp_path):
    words = ["task=Cartpole", STUDY, f"hydra.sweep.dir={tmp_path}"]
    compose(words, job=0)
    assert HydraConfig.get().sweeper.sampler.seed == 42
    for name in ("0", "1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").touch()
    compose(words, job=0)
    assert HydraConfig.get().sweeper.sampler.seed == 44


def test_slurm_composes():
    compose(["task=Ant", "hydra/launcher=slurm", "hydra.launcher.partition=gpu"], job=0)
    launcher = HydraConfig.get().launcher
    assert launcher.additional_parameters.requeue
    assert launcher.max_num_timeout == 10


@pytest.fixture
def worker(monkeypatch):
    """This process as one of joblib that has had no job: SIGTERM is held back.

    In this thread alone, so that is where tests must send it.
    """
    for name, value in (("_parent", 0), ("_is_stopped", False), ("_is_busy", False)):
        monkeypatch.setattr(workers, name, value)
    monkeypatch.setattr(workers, "_stop_when_alone", lambda: None)
    handler = signal.getsignal(signal.SIGTERM)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.signal(signal.SIGTERM, handler)


def test_after_an_interrupt_a_worker_begins_nothing_more(worker):
    with pytest.raises(sweeps.JobError, match="Stopped here"), workers.job():
        raise KeyboardInterrupt("Stopped here")
    with pytest.raises(sweeps.JobError, match="not begun"), workers.job():
        pass


def test_a_worker_that_was_told_to_stop_before_its_first_job_begins_none(worker):
    signal.raise_signal(signal.SIGTERM)
    with pytest.raises(sweeps.JobError, match="not begun"), workers.job():
        pass


def test_a_worker_hears_between_its_jobs_and_while_one_is_built(worker):
    with pytest.raises(sweeps.JobError, match="before the training began"), workers.job():
        signal.raise_signal(signal.SIGTERM)
        time.sleep(1)
    workers._is_stopped = False
    with workers.job():
        pass
    signal.raise_signal(signal.SIGTERM)
    with pytest.raises(sweeps.JobError, match="not begun"), workers.job():
        pass


def test_a_reason_stands_beside_the_folder_of_the_job(tmp_path):
    compose(["task=Cartpole", f"hydra.sweep.dir={tmp_path}"], job=0)
    sweeps.fail(UserError("no luck"), None, HydraConfig.get())
    sweeps.fail(UserError("none either"), f"{tmp_path}/0-2", HydraConfig.get())
    assert "no luck" in (tmp_path / "0.error.txt").read_text()
    assert "none either" in (tmp_path / "0-2.error.txt").read_text()


# ---- Weights & Biases' own sweeps ----


def test_every_parameter_of_the_wandb_sweep_composes():
    sweep = yaml.safe_load((ROOT / "docs/wandb_sweep.yaml").read_text())
    assert (ROOT / sweep["program"]).exists()
    for end in (0, -1):
        words = []
        for key, given in sweep["parameters"].items():
            values = given.get("values") or [given.get("value", given.get("min"))]
            values = [*values, given["max"]] if "max" in given else values
            words.append(f"{key}={values[end]}")
        compose(words)
    with pytest.raises(ConfigError):
        compose([*words, "train.learning_rat=1"])
