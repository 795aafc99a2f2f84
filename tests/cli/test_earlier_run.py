"""The words of a run that goes on, and what has changed since."""

from __future__ import annotations

import pytest
from hydra._internal.utils import get_args_parser
from omegaconf import OmegaConf

from rofunc_isaac.cli.earlier_run import (
    changes,
    keep_numerics,
    spoil_environments,
    with_recorded_words,
)
from rofunc_isaac.cli.run_folder import open_run_folder
from rofunc_isaac.errors import UserError

RECORDED = ["task=Cartpole", "seed=3", "train.gamma=0.9", "--config-dir=/my configs"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A run folder `r`, seen from the folder that it stands in."""
    monkeypatch.chdir(tmp_path)
    folder = open_run_folder("Cartpole", run_dir="r")
    folder.record("task: Cartpole\n", RECORDED)
    folder.last.touch()
    folder.release()
    return folder


def words(*arguments):
    overrides = [word for word in arguments if not word.startswith("--")]
    return with_recorded_words(arguments, overrides)


def test_a_resume_begins_with_the_words_of_its_run(folder):
    # Flags stand last, as argparse wants it.
    expected = [*RECORDED[:3], "resume=True", "run_dir=r", RECORDED[3]]
    assert words("resume=True", "run_dir=r") == expected
    flags = get_args_parser().parse_args(expected)
    assert (flags.overrides, flags.config_dir) == (expected[:5], "/my configs")
    assert words("resume=auto", f"run_dir={folder.path.resolve()}")[:3] == RECORDED[:3]


def test_an_experiment_is_found_too(folder):
    folder.path.parent.joinpath("runs").mkdir()
    folder.path.rename("runs/fast")
    assert words("resume=true", "experiment=fast")[:3] == RECORDED[:3]


def test_quotes_and_the_home_folder_are_understood(folder, monkeypatch):
    folder.path.rename("a run")
    assert words("resume=True", "run_dir='a run'")[:3] == RECORDED[:3]
    monkeypatch.setenv("HOME", str(folder.path.parent.resolve()))
    assert words("resume=True", "run_dir='~/a run'")[:3] == RECORDED[:3]


def test_a_word_given_now_takes_the_place_of_a_recorded_one(folder):
    given = ["resume=True", "run_dir=r", "seed=4", "train.gamma=0.95", "max_iterations=9"]
    assert words(*given) == ["task=Cartpole", *given, "--config-dir=/my configs"]
    own = [*given, "--config-dir", "/others"]
    assert with_recorded_words(own, given) == ["task=Cartpole", *own]


def test_two_keys_for_one_setting_are_one_word(folder):
    again = open_run_folder("Cartpole", run_dir="r", resume=True)
    again.record("", ["task=Cartpole", "max_iterations=1", "task.env.num_envs=3"])
    again.release()
    given = ["resume=True", "run_dir=r", "train.max_iterations=3", "num_envs=4"]
    assert words(*given) == ["task=Cartpole", *given]


def test_a_seed_that_was_drawn_is_not_drawn_again(folder):
    given = ["seed=-1", "resume=auto", "run_dir=r"]
    assert words(*given)[:3] == RECORDED[:3]
    assert "seed=-1" not in words(*given)


def test_a_run_that_ended_before_its_first_checkpoint_starts_anew_with_its_words(folder):
    folder.last.unlink()
    assert words("resume=auto", "run_dir=r")[:3] == RECORDED[:3]
    assert words("resume=auto", "run_dir=r", "seed=4")[:2] == ["task=Cartpole", "train.gamma=0.9"]


def test_the_policy_that_a_run_began_with_counts_only_where_it_starts_anew(folder):
    (folder.path / "overrides.yaml").write_text("[checkpoint=/p.pt, task=Cartpole]")
    assert "checkpoint=/p.pt" not in words("resume=auto", "run_dir=r")
    folder.last.unlink()
    assert words("resume=auto", "run_dir=r")[:2] == ["checkpoint=/p.pt", "task=Cartpole"]
    assert words("resume=auto", "run_dir=r", "checkpoint=q.pt")[0] == "task=Cartpole"
    assert "checkpoint=/p.pt" not in words("resume=True", "run_dir=r")


def test_a_name_that_hydra_would_fill_in_is_refused(folder):
    with pytest.raises(UserError, match="write its name itself"):
        words("resume=True", "run_dir=${oc.env:HOME}/r")


def test_the_last_session_s_words_count(folder):
    again = open_run_folder("Cartpole", run_dir="r", resume=True)
    again.record("task: Cartpole\n", ["task=Cartpole", "seed=8"])
    again.release()
    assert words("resume=True", "run_dir=r")[:2] == ["task=Cartpole", "seed=8"]


@pytest.mark.parametrize(
    "given",
    [
        ["run_dir=r"],
        ["resume=False", "run_dir=r"],
        ["resume=True"],
        ["resume=auto", "run_dir=elsewhere"],
        ["resume=True", "run_dir=[r"],
    ],
)
def test_other_command_lines_stay_as_they_are(folder, given):
    assert words(*given) == given


@pytest.mark.parametrize("text", ["{task: Ant}", "- [1]", "- 'open"])
def test_a_record_that_makes_no_sense_is_refused(folder, text):
    (folder.path / "overrides.yaml").write_text(text)
    with pytest.raises(UserError, match=r"r/overrides.yaml.*mend it, or delete it"):
        words("resume=True", "run_dir=r")


def test_changes_are_told_by_key():
    before = {"seed": 1, "train": {"gamma": 0.9, "old": 2}, "task": {"env": {"goal": [0, 1]}}}
    now = {"seed": 1, "train": {"gamma": 0.8}, "task": {"env": {"goal": [0, 2]}}, "run_dir": "x"}
    assert changes(before, now) == {
        "task.env.goal": ([0, 1], [0, 2]),
        "train.gamma": (0.9, 0.8),
        "train.old": (2, None),
    }


def test_which_changes_end_the_episodes():
    changed = dict.fromkeys(
        ["task.env.goal", "task.sim.num_threads", "num_envs", "train.gamma", "seeds", "seed"]
    )
    assert spoil_environments(changed) == ["task.env.goal", "num_envs", "seed"]


def test_the_numerics_of_the_run_are_kept():
    own = {"precision": "bfloat16", "compile": True, "rollout_threads": 1, "update_threads": 2}
    content = {"learner": {"numerics": {**own, "torch": "2.9"}}}
    machine = {"precision": "auto", "compile": "auto", "rollout_threads": 0, "update_threads": 0}
    undecided = {"train": machine}
    config = OmegaConf.create(undecided)
    config.train.rollout_threads = 3  # asked for now
    keep_numerics(config, content)
    assert config.train == {**own, "rollout_threads": 3}
    # What is settled so is no change that anybody asked for.
    assert changes(undecided, OmegaConf.to_container(config)) == {}
