"""Composing a configuration: what comes out, and what every kind of mistake is answered with."""

from __future__ import annotations

import copy
from dataclasses import fields
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, OmegaConf, open_dict

from rofunc_isaac.cli.compose import _load, compose, finish
from rofunc_isaac.cli.config import RunConfig
from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.schedulers.config import SchedulerChoice

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def config_dir(tmp_path: Path) -> Path:
    """A user's own configuration folder with the task Hopper."""
    (tmp_path / "task").mkdir()
    (tmp_path / "train").mkdir()
    (tmp_path / "task/Hopper.yaml").write_text(
        "name: Hopper\n"
        "entry: my_tasks.hopper:Hopper\n"
        "env: {num_envs: 1024, num_envs_cpu: 256, alive_reward: 0.5}\n"
    )
    (tmp_path / "train/HopperPPO.yaml").write_text("defaults: [default, _self_]\ngamma: 0.98\n")
    return tmp_path


def error_of(*overrides: str, config_dir: Path | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        compose(overrides, config_dir=str(config_dir) if config_dir else None)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


class TestWhatComesOut:
    def test_ant_has_the_published_settings(self) -> None:
        config = compose(["task=Ant", "num_envs=4096"])
        assert config.num_envs * config.train.horizon_length == 65536
        assert config.train.num_minibatches == 2
        assert config.train.mini_epochs == 4
        assert config.train.hidden_sizes == [256, 128, 64]
        assert config.train.critic_coef == 2.0
        assert config.train.max_grad_norm is None
        assert config.train.reward_scale == 0.01
        assert config.max_iterations == 500
        assert config.scheduler.name == "kl_adaptive"

    def test_cartpole_has_the_published_settings(self) -> None:
        config = compose(["task=Cartpole"])
        assert config.train.num_minibatches == 1
        assert config.train.mini_epochs == 8
        assert config.train.hidden_sizes == [32, 32]
        assert config.train.critic_coef == 4.0
        assert config.train.max_grad_norm == 1.0
        assert config.train.reward_scale == 0.1
        assert config.max_iterations == 100

    def test_groups_become_the_dataclasses_of_their_layers(self) -> None:
        config = compose(["task=Ant", "scheduler=linear", "scheduler.final_lr_factor=0.1"])
        assert OmegaConf.to_object(config.train) == PPOConfig(initial_log_std=-0.7)
        expected = SchedulerChoice(name="linear", final_lr_factor=0.1)
        assert OmegaConf.to_object(config.scheduler) == expected

    def test_cartpoles_rate_is_bound_below_the_others_unless_it_is_given(self) -> None:
        assert compose(["task=Cartpole"]).scheduler.max_lr == 3e-3
        assert compose(["task=Cartpole", "scheduler.max_lr=1e-2"]).scheduler.max_lr == 1e-2
        assert compose(["task=Ant"]).scheduler.max_lr == 1e-2

    def test_default_train_file_lists_every_setting_with_its_default(self) -> None:
        written = OmegaConf.load(ROOT / "cfg/train/default.yaml")
        assert OmegaConf.to_container(written) == OmegaConf.to_container(
            OmegaConf.structured(PPOConfig)
        )

    def test_config_yaml_lists_every_top_level_key(self) -> None:
        written = OmegaConf.load(ROOT / "cfg/config.yaml")
        groups = {"task", "train", "scheduler", "tracker", "simulator"}
        assert {f.name for f in fields(RunConfig)} - groups == set(written) - {"defaults", "hydra"}

    def test_number_of_envs_by_device(self, config_dir: Path) -> None:
        def num_envs(*overrides: str) -> int:
            config = compose(["task=Hopper", *overrides], config_dir=str(config_dir))
            assert config.task.env.num_envs == config.num_envs
            return config.num_envs

        assert num_envs() == 256
        assert num_envs("sim_device=cuda:0") == 1024
        assert num_envs("task.env.num_envs=64") == 64
        assert num_envs("task.env.num_envs_cpu=32") == 32
        assert num_envs("task.env.num_envs=64", "num_envs=8") == 8

    def test_max_iterations_wins_over_the_train_group(self) -> None:
        config = compose(["task=Cartpole", "max_iterations=7", "train.max_iterations=9"])
        assert config.max_iterations == config.train.max_iterations == 7
        config = compose(["task=Cartpole", "train.max_iterations=9"])
        assert config.max_iterations == config.train.max_iterations == 9

    def test_rl_device_follows_sim_device(self) -> None:
        assert compose(["task=Ant", "sim_device=cuda:1"]).rl_device == "cuda:1"
        assert compose(["task=Ant", "sim_device=cuda:1", "rl_device=cpu"]).rl_device == "cpu"

    def test_random_seed_is_drawn(self) -> None:
        first, second = (compose(["task=Ant", "seed=-1"]).seed for _ in range(2))
        assert first >= 0
        assert second >= 0
        assert first != second
        assert compose(["task=Ant", "seed=7"]).seed == 7

    def test_wandb_names_reach_the_tracker(self) -> None:
        names = ["project", "name", "entity", "group"]
        config = compose(
            ["task=Ant", "wandb_activate=False", *(f"wandb_{n}=my_{n}" for n in names)]
        )
        assert OmegaConf.to_container(config.tracker) == {
            "activate": False,
            **{n: f"my_{n}" for n in names},
        }
        assert not compose(["task=Ant", "tracker=off"]).tracker.activate

    @pytest.mark.parametrize("name", ["auto", "mujoco", "mujoco_warp", "isaacgym"])
    def test_simulators(self, name: str) -> None:
        assert compose(["task=Ant", f"simulator={name}"]).simulator.name == name

    @pytest.mark.parametrize("name", ["kl_adaptive", "constant", "linear", "cosine"])
    def test_schedulers(self, name: str) -> None:
        assert compose(["task=Ant", f"scheduler={name}"]).scheduler.name == name

    @pytest.mark.parametrize("resume", [True, "auto"])
    def test_resume(self, resume: bool | str) -> None:
        assert compose(["task=Ant", f"resume={resume}", "run_dir=runs/a"]).resume == resume

    def test_values_may_refer_to_others_and_to_hydra(self) -> None:
        config = compose(
            ["task=Ant", "wandb_name=${task.name}_${seed}", "experiment=${hydra:job.config_name}"]
        )
        assert config.wandb_name == "Ant_42"
        assert config.tracker.name == "Ant_42"
        assert config.experiment == "config"


class TestUsersOwnConfigs:
    def test_config_dir_and_search_path(self, config_dir: Path) -> None:
        by_flag = compose(["task=Hopper"], config_dir=str(config_dir))
        by_path = compose(["task=Hopper", f"hydra.searchpath=[file://{config_dir}]"])
        assert by_flag == by_path
        assert by_flag.task.entry == "my_tasks.hopper:Hopper"
        assert by_flag.task.env.alive_reward == 0.5
        assert by_flag.train.gamma == 0.98
        assert by_flag.task.sim.dt == pytest.approx(1 / 60)  # what the file leaves out

    def test_entry_can_be_overridden(self) -> None:
        config = compose(["task=Ant", "task.entry=other.ant:BetterAnt"])
        assert config.task.entry == "other.ant:BetterAnt"

    def test_task_without_train_file(self, config_dir: Path) -> None:
        (config_dir / "train/HopperPPO.yaml").unlink()
        text = error_of("task=Hopper", config_dir=config_dir)
        assert "train/HopperPPO.yaml" in text
        assert "train=default" in text
        config = compose(["task=Hopper", "train=default"], config_dir=str(config_dir))
        assert config.train.gamma == 0.99

    def test_missing_folders(self, tmp_path: Path) -> None:
        missing = tmp_path / "nowhere"
        assert str(missing) in error_of("task=Ant", config_dir=missing)
        assert str(missing) in error_of("task=Ant", f"hydra.searchpath=[file://{missing}]")

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("gama: 0.9", ["train.gama", "train/Mine.yaml", "did you mean train.gamma?"]),
            ("gamma: high", ["train.gamma", "train/Mine.yaml", "must be a number, got high"]),
            ("mini_epochs: 2.5", ["train.mini_epochs", "train/Mine.yaml", "whole number"]),
            ("gamma: 1.5", ["train.gamma", "train/Mine.yaml", "from 0 to 1", "1.5"]),
            ("gamma: ${gama}", ["train.gamma", "train/Mine.yaml", "gama"]),
            ("gamma: [1", ["Mine.yaml", "line 1"]),
            ("defaults: [defult]", ["train/defult.yaml", "train/Mine.yaml"]),
            ("- 1", ["train/Mine.yaml"]),
        ],
    )
    def test_mistake_in_a_file(self, config_dir: Path, content: str, words: list[str]) -> None:
        (config_dir / "train/Mine.yaml").write_text(content)
        text = error_of("task=Ant", "train=Mine", config_dir=config_dir)
        for word in words:
            assert word in text

    def test_misspelt_top_level_key_in_a_file(self, config_dir: Path) -> None:
        (config_dir / "mine.yaml").write_text("defaults: [config, _self_]\nnum_env: 3\n")
        with pytest.raises(ConfigError, match=r"num_env \(mine.yaml\).*mean num_envs\?"):
            compose(["task=Ant"], config_dir=str(config_dir), config_name="mine")


MISTAKES = [
    # unknown keys, at the top, nested, in the task, with and without +
    ("num_env=8", ["num_env", "did you mean num_envs?"]),
    ("schedular=linear", ["schedular", "did you mean scheduler?"]),
    ("wandb_activte=False", ["did you mean wandb_activate?"]),
    ("train.learning_rat=1e-3", ["train.learning_rat", "did you mean train.learning_rate?"]),
    ("learning_rate=1e-3", ["did you mean train.learning_rate?"]),
    ("train.params.config.horizon_length=8", ["did you mean train.horizon_length?"]),
    ("task.env.numEnvs=8", ["task.env.numEnvs", "did you mean task.env.num_envs?"]),
    ("task.sim.substep=3", ["did you mean task.sim.substeps?"]),
    ("+train.gama=0.9", ["train.gama", "did you mean train.gamma?"]),
    ("++num_env=8", ["num_env", "did you mean num_envs?"]),
    ("train={gama:0.9}", ["train.gama", "did you mean train.gamma?"]),
    ("xyzzy=1", ["unknown key xyzzy"]),
    ("hydra.xyzzy=1", ["unknown key hydra.xyzzy"]),
    # unknown options of groups
    ("task=Amt", ["task=Amt", "did you mean Ant?", "Ant, Cartpole"]),
    ("simulator=mujco", ["did you mean mujoco?", "auto, isaacgym, mujoco, mujoco_warp"]),
    ("scheduler=lineer", ["did you mean linear?", "constant, cosine, kl_adaptive, linear"]),
    ("train=5", ["train is chosen by name"]),
    # types
    ("num_envs=1.5", ["num_envs", "whole number", "1.5"]),
    ("num_envs=many", ["num_envs", "whole number", "many"]),
    ("num_envs=True", ["num_envs", "whole number", "True"]),
    ("train.learning_rate=fast", ["train.learning_rate", "a number", "fast"]),
    ("train.hidden_sizes=64", ["train.hidden_sizes", "a list"]),
    ("train.hidden_sizes=[a]", ["train.hidden_sizes[0]", "whole number"]),
    ("headless=maybe", ["headless", "True or False"]),
    ("sim_device=null", ["sim_device", "must have a value"]),
    (
        "task.sim.solver.warm_start=maybe",
        ["override task.sim.solver.warm_start=maybe", "True or False", "maybe"],
    ),
    ("task.sim.solver.iterations=0", ["task.sim.solver.iterations", "1 or more", "0"]),
    ("task.env.episode_length=long", ["task.env.episode_length", "whole number", "long"]),
    ("task.env=5", ["task.env", "mapping"]),
    ("train.minibatch_size=1.5", ["train.minibatch_size", "1.5"]),
    # what Hydra cannot read
    ("Ant", ["'Ant'", "key=value"]),
    ("x=[1", ["x=[1"]),
    ("seed=1,2", ["add -m", "seed=[1,2]"]),
    ("num_envs=${nope}", ["num_envs", "nope"]),
    ("~train.gamma", ["train.gamma"]),
]

# Mistakes that are found after composing.
VALUE_MISTAKES = [
    # ranges
    ("num_envs=0", ["num_envs", "1 to 1048576", "got 0"]),
    ("num_envs=-4", ["num_envs", "1 to 1048576", "got -4"]),
    ("num_envs=100000000", ["num_envs", "1 to 1048576", "got 100000000"]),
    ("task.env.num_envs=0", ["task.env.num_envs", "1 to 1048576"]),
    ("max_iterations=0", ["max_iterations", "1 or more"]),
    ("checkpoint_every=0", ["checkpoint_every", "1 or more"]),
    ("seed=-2", ["seed", "-1 or"]),
    ("train.gamma=1.01", ["train.gamma", "from 0 to 1"]),
    ("train.learning_rate=nan", ["train.learning_rate", "finite"]),
    ("train.hidden_sizes=[]", ["train.hidden_sizes"]),
    ("train.max_grad_norm=0", ["train.max_grad_norm", "null"]),
    ("task.sim.dt=0", ["task.sim.dt", "above 0"]),
    ("task.sim.gravity=[0,0]", ["task.sim.gravity", "three"]),
    ("task.entry=hopper", ["task.entry", "module:Class"]),
    ("scheduler.kl_factor=0.5", ["scheduler.kl_factor", "1 or more", "0.5"]),
    # names
    ("scheduler.update_every=minibatches", ["scheduler.update_every", "mean 'minibatch'?"]),
    ("scheduler.name=adaptive", ["scheduler.name", "kl_adaptive"]),
    ("simulator.name=bullet", ["simulator.name", "mujoco_warp"]),
    ("train.precision=fp16", ["train.precision", "bfloat16"]),
    ("train.activation=ReLU", ["train.activation", "did you mean relu?"]),
    ("sim_device=gpu", ["sim_device", "cpu, cuda or cuda:N"]),
    ("resume=maybe", ["resume", "False, True or auto"]),
    # what must fit together
    ("train.minibatch_size=5000", ["num_envs 2048 x train.horizon_length 16", "4096, 8192"]),
    ("train.minibatch_size=0", ["train.minibatch_size", "1 or more"]),
    ("train.num_minibatches=3", ["train.num_minibatches", "1, 2, 4, 8"]),
    ("resume=True", ["run_dir=PATH"]),
    # not there yet
    ("multi_gpu=True", ["multi_gpu", "needs torchrun", "torchrun --nproc-per-node=2 train.py"]),
    ("capture_video=True", ["capture_video", "not available yet"]),
    ("capture_video=True", ["capture_video", "not available yet"]),
    ("train.gamma=???", ["train.gamma", "no value"]),
]


@pytest.mark.parametrize(("override", "words"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_mistake_in_an_override(override: str, words: list[str]) -> None:
    text = error_of("task=Ant", override)
    assert override.lstrip("+~").split("=")[0] in text or override in text
    for word in words:
        assert word in text


@pytest.fixture(scope="module")
def ant() -> DictConfig:
    """The composed Ant, before any check."""
    return _load(["task=Ant"], None, "config")


@pytest.mark.parametrize(("override", "words"), VALUE_MISTAKES, ids=[m[0] for m in VALUE_MISTAKES])
def test_mistake_in_a_value(ant: DictConfig, override: str, words: list[str]) -> None:
    parsed = OverridesParser.create().parse_override(override)
    composed = copy.deepcopy(ant)
    OmegaConf.update(composed, parsed.key_or_group, parsed.value())
    composed.hydra.overrides.task.append(override)
    hydra = composed.hydra
    with open_dict(composed):
        del composed["hydra"]
    with pytest.raises(ConfigError) as caught:
        finish(composed, hydra)
    text = str(caught.value)
    assert override.split("=")[0] in text
    for word in words:
        assert word in text


def test_the_override_is_named() -> None:
    assert "(override num_envs=0)" in error_of("task=Ant", "seed=1", "num_envs=0", "seed=2")


def test_a_batch_that_splits_is_fine() -> None:
    config = compose(["task=Ant", "num_envs=100", "train.minibatch_size=400"])
    assert config.train.minibatch_size == 400


def test_size_and_number_of_minibatches_are_one_setting() -> None:
    words = ["task=Ant", "num_envs=100", "train.num_minibatches=4"]
    with pytest.raises(ConfigError, match=r"minibatch_size=400.*num_minibatches=4.*leave out one"):
        compose([*words, "train.minibatch_size=400"])
    assert compose([*words, "train.minibatch_size=auto"]).train.num_minibatches == 4
