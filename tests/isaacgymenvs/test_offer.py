"""Tasks of IsaacGymEnvs as options of our own command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.offer import is_theirs, tree
from tests.isaacgymenvs.conftest import FOLDER

SLIDER = ("task=isaacgymenvs/Slider", f"isaacgymenvs_path={FOLDER}")


def error_of(*words: str) -> str:
    with pytest.raises(ConfigError) as caught:
        compose(words)
    return str(caught.value)


def plain(node: Any) -> Any:
    return OmegaConf.to_container(node)


def test_the_tree_that_its_class_takes() -> None:
    config = compose([*SLIDER, "sim_device=cpu"])
    assert is_theirs(config.task)
    assert config.task.name == "isaacgymenvs/Slider"
    assert tree(plain(config.task)) == {
        "name": "Slider",
        "physics_engine": "physx",
        "env": {
            "numEnvs": 64,
            "episodeLength": 20,
            "asymmetric_observations": False,
            "reach": 1.0,
            "maxForce": 5.0,
            "clipActions": 1.0,
            "clipObservations": 5.0,
        },
        "sim": {
            "dt": 0.05,
            "substeps": 1,
            "use_gpu_pipeline": True,
            "physx": {"num_threads": 0, "use_gpu": True},
        },
        "task": {"randomize": False},
    }
    assert config.num_envs == 64


def test_translated_settings_are_the_defaults() -> None:
    config = compose(SLIDER)
    assert config.train.hidden_sizes == [24, 12]
    assert config.max_iterations == 40
    assert config.scheduler.update_every == "epoch"
    assert config.scheduler.kl_threshold == pytest.approx(0.04)


def test_words_mean_what_they_mean_elsewhere() -> None:
    config = compose(
        [
            *(*SLIDER, "num_envs=32", "max_iterations=7", "train.gamma=0.9"),
            *("task.env.reach=2", "+task.env.colour=red", "scheduler.kl_threshold=0.02"),
        ]
    )
    assert config.num_envs == config.task.env.numEnvs == 32
    assert config.max_iterations == config.train.max_iterations == 7
    assert (config.train.gamma, config.task.env.reach, config.task.env.colour) == (0.9, 2, "red")
    assert (config.scheduler.update_every, config.scheduler.kl_threshold) == ("epoch", 0.02)
    assert compose([*SLIDER, "task.env.numEnvs=16"]).num_envs == 16


def test_other_settings_can_be_chosen() -> None:
    config = compose([*SLIDER, "scheduler=linear"])
    assert config.scheduler.name == "linear"
    assert config.train.hidden_sizes == [24, 12]
    config = compose([*SLIDER, "train=isaacgymenvs/SliderAsymmPPO"])
    assert config.train.critic_hidden_sizes == [48, 16]
    assert config.task.vec_env.states_for_value
    assert config.scheduler.name == "constant"
    config = compose([*SLIDER, "train=default"])
    assert config.train.hidden_sizes == [256, 128, 64]
    assert config.scheduler.kl_threshold == 0.032
    assert config.task.not_translated == []


def test_the_path_becomes_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER.parent)
    words = ["task=isaacgymenvs/Slider", "isaacgymenvs_path=checkout"]
    assert compose(words).isaacgymenvs_path == str(FOLDER)


def test_every_task_of_a_sweep_is_offered() -> None:
    from rofunc_isaac.isaacgymenvs.offer import offer

    offer(["task=isaacgymenvs/SliderAtOnce,Cartpole", f"isaacgymenvs_path={FOLDER}"])
    name = "isaacgymenvs/SliderAtOnce"
    assert compose([f"task={name}", f"isaacgymenvs_path={FOLDER}"]).task.name == name


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("task=isaacgymenvs/Slidr", SLIDER[1]), "did you mean Slider?"),
        (("task=isaacgymenvs/Slider", "isaacgymenvs_path=/nowhere"), "/nowhere holds no"),
        ((*SLIDER, "train=isaacgymenvs/SliderLSTMPPO"), "a network with rnn"),
        ((*SLIDER, "train=isaacgymenvs/SlidPPO"), "did you mean SliderPPO?"),
        ((*SLIDER, "task.env.numEvns=3"), "did you mean task.env.numEnvs?"),
        ((*SLIDER, "task.env.num_envs=3"), "did you mean task.env.numEnvs?"),
        ((*SLIDER, "task.env.numEnvs=0"), "task.env.numEnvs"),
        ((*SLIDER, "train.num_minibatches=5"), "num_minibatches=5"),
        ((*SLIDER, "pipeline=cpu"), "unknown key pipeline"),
        (("task=Ant", "train=isaacgymenvs/SliderPPO"), "goes with a task=isaacgymenvs/NAME"),
        (
            (*SLIDER, "train=isaacgymenvs/SliderPPO,isaacgymenvs/SliderAsymmPPO"),
            "one training at a time",
        ),
    ],
)
def test_mistakes(words: tuple[str, ...], told: str) -> None:
    assert told in error_of(*words)


def test_no_torch_is_loaded_for_a_mistake(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from rofunc_isaac.cli.main import main\n"
        "try:\n"
        f"    main(['task=isaacgymenvs/Nothing', 'isaacgymenvs_path={FOLDER}'])\n"
        "except SystemExit as end:\n"
        "    print(end.code, 'torch' in sys.modules)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["2", "False"], done.stderr
    assert "there are: Slider, SliderAtOnce" in done.stderr
