"""Checkpoints: a round trip, and a clear answer to every file that won't do."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from rofunc_isaac import random_state
from rofunc_isaac.errors import UserError
from rofunc_isaac.ppo.checkpoint import (
    CheckpointError,
    check_fit,
    load_checkpoint,
    load_policy,
    save_checkpoint,
)
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.schedulers.config import SchedulerChoice
from tests.ppo.toy_env import ScriptedEnv, reach_learner, small_config
from tests.ppo.zipped import zipped


@pytest.fixture(scope="module")
def learner() -> Learner:
    learner = reach_learner()
    learner.iterate()
    return learner


@pytest.fixture
def path(learner: Learner, tmp_path: Path) -> Path:
    path = tmp_path / "last.pt"
    save_checkpoint(path, learner, "Reach", best_return=-1.5, wandb_run_id=None)
    return path


def refusal(path: Path, task: str = "Reach") -> str:
    """The error's text; the file must not have been touched."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path, task)
    assert isinstance(caught.value, UserError)
    if before is not None:
        assert path.read_bytes() == before
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def assert_equal_trees(own: Any, other: Any) -> None:
    if isinstance(own, torch.Tensor):
        assert torch.equal(own, other)
    elif isinstance(own, dict):
        assert own.keys() == other.keys()
        for key in own:
            assert_equal_trees(own[key], other[key])
    elif isinstance(own, (list, tuple)):
        for a, b in zipped(own, other):
            assert_equal_trees(a, b)
    else:
        assert own == other


def test_round_trip(path: Path, learner: Learner) -> None:
    content = load_checkpoint(path, "Reach")
    assert (content["best_return"], content["wandb_run_id"]) == (-1.5, None)
    assert_equal_trees(content["learner"], learner.state_dict())
    check_fit(path, content, learner)
    assert_equal_trees(torch.load(path, weights_only=True), content)
    assert [file.name for file in path.parent.iterdir()] == ["last.pt"]


def test_the_policy_alone_is_taken_over(path: Path, learner: Learner) -> None:
    other = reach_learner(seed=4)
    load_policy(other, load_checkpoint(path, "Reach"))
    assert_equal_trees(other.network.state_dict(), learner.network.state_dict())
    assert_equal_trees(other.obs_normalizer.state_dict(), learner.obs_normalizer.state_dict())
    assert (other.iteration, other.optimizer.state_dict()["state"]) == (0, {})


def test_another_task(path: Path) -> None:
    text = refusal(path, task="Ant")
    assert "of task Reach, not of Ant" in text
    assert "task=Reach" in text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden_sizes": [16, 16]}, ["trunk.0.bias", "(32,) there", "(16,) here", "hidden_sizes"]),
        ({"hidden_sizes": [32, 16, 8]}, ["(2, 16) there", "(2, 8) here"]),
        ({"hidden_sizes": [32]}, ["(2, 16) there", "(2, 32) here"]),
    ],
)
def test_another_network(path: Path, settings: dict, words: list[str]) -> None:
    content = load_checkpoint(path, "Reach")
    other = reach_learner(**settings)
    before = {name: value.clone() for name, value in other.network.state_dict().items()}
    with pytest.raises(CheckpointError) as caught:
        check_fit(path, content, other)
    for word in [str(path), "another network", *words]:
        assert word in str(caught.value)
    assert_equal_trees(other.network.state_dict(), before)


@pytest.mark.parametrize(
    ("key", "value"), [("activation", "tanh"), ("normalize_observations", False)]
)
def test_the_same_weights_under_another_setting(tmp_path: Path, key: str, value: Any) -> None:
    learner = reach_learner(**{key: value})
    path = tmp_path / "last.pt"
    save_checkpoint(path, learner, "Reach", config={"train": {key: value}})
    content = load_checkpoint(path, "Reach")
    check_fit(path, content, learner)
    with pytest.raises(CheckpointError, match=f"trained with train.{key}={value}, not"):
        check_fit(path, content, reach_learner())


def test_another_number_of_observations(path: Path) -> None:
    env = ScriptedEnv([[0.0]], ["X"])
    other = Learner(env, small_config(num_minibatches=1), SchedulerChoice())
    words = r"\(32, 3\) there and \(32, 4\) here; it is for 3 observations .* the task has 4"
    with pytest.raises(CheckpointError, match=words):
        check_fit(path, load_checkpoint(path, "Reach"), other)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.999])
def test_truncated(path: Path, share: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "truncated or no checkpoint" in refusal(path)


NO_CHECKPOINTS = {
    "empty": b"",
    "text": b"train:\n  gamma: 0.99\n",
    "json": b'{"a": 1}\n',
    "png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "zeros": bytes(1000),
    "zip magic": b"PK\x03\x04" + bytes(100),
    "pickle": pickle.dumps({"a": 1}),
    "pickled class": pickle.dumps(Path("x")),
    "pickled list": pickle.dumps([1, 2]),
    # Texts that torch, left to itself, takes for a pickle and stumbles over with an IndexError.
    "letter U": b"Uabc\n12\n",
    "letter s": b"sabc\n12\n",
}


@pytest.mark.parametrize("name", NO_CHECKPOINTS)
def test_no_checkpoint(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(NO_CHECKPOINTS[name])
    assert "truncated or no checkpoint" in refusal(path)


def test_a_zip_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "damaged or no checkpoint" in refusal(path)


def test_not_allowed_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(b"abc")

    def refused(*arguments: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(zipfile, "is_zipfile", refused)
    assert "can't be read: Permission denied" in refusal(path)


@pytest.mark.parametrize(
    "content", [{"network": {}}, [1, 2], torch.zeros(3), {"format": 1, "task": "Reach"}], ids=str
)
def test_a_file_of_somebody_else(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "file.pt"
    torch.save(content, path)
    assert "not written by rofunc_isaac" in refusal(path)


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "touched",))

    path = tmp_path / "file.pt"
    torch.save({"format": 1, "task": "Reach", "learner": Harmful()}, path)
    refusal(path)
    assert not (tmp_path / "touched").exists()


def test_a_newer_format(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    torch.save({"format": 4, "task": "Reach", "learner": {}}, path)
    assert "format 4, and this version reads formats up to 3" in refusal(path)


def test_a_checkpoint_of_the_first_format_goes_on() -> None:
    """data/format_1.pt was written by the last version of that format, after three iterations."""
    path = Path(__file__).parent / "data" / "format_1.pt"
    content = load_checkpoint(path, "Reach")
    assert (content["format"], content["env"], content["random"]) == (3, None, None)
    learner = reach_learner(num_envs=2, hidden_sizes=[4], horizon_length=4)
    check_fit(path, content, learner)
    learner.load_state_dict(content["learner"])
    # What that version printed for this observation.
    mean, _ = learner.network(torch.tensor([[0.5, -0.5, 0.25]]))
    assert mean.tolist() == [[pytest.approx(-0.2119, abs=1e-4), pytest.approx(-0.0902, abs=1e-4)]]
    assert learner.iterate()["iteration"] == 4


def test_the_state_of_the_process_s_generators_is_kept(path: Path) -> None:
    random_state.restore_process(load_checkpoint(path, "Reach")["random"])
    first = torch.rand(3)
    random_state.restore_process(load_checkpoint(path, "Reach")["random"])
    assert torch.equal(torch.rand(3), first)


def test_missing_and_folder(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "last.pt")
    assert "is a folder" in refusal(tmp_path)
