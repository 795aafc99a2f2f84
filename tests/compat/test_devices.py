"""Which device arguments a script gets on which machine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rofunc_isaac.compat.devices import missing_devices

HYDRA = """
import hydra
@hydra.main(config_name="config", config_path="./cfg")
def launch(cfg):
    import isaacgym
"""
CONFIG = """
sim_device: 'cuda:0'
rl_device: 'cuda:0'
pipeline: 'gpu'
graphics_device_id: 0
headless: False
experiment: ${.name}
"""
LEGGED_GYM = "import isaacgym\nfrom legged_gym.envs import *\n"
PARSES = """
from isaacgym import gymutil
args = gymutil.parse_arguments(custom_parameters=[{"name": "--rl_device", "default": "cuda:0"}])
"""
ON_CPU = ["sim_device=cpu:0", "rl_device=cpu", "pipeline=cpu", "graphics_device_id=-1"]


def added(
    script: str, folder: Path, *given: str, cuda: int = 0, config: str | None = CONFIG
) -> list[str]:
    if config is not None:
        (folder / "cfg").mkdir()
        (folder / "cfg" / "config.yaml").write_text(config)
    return missing_devices(ast.parse(script), folder, given, cuda)


def test_isaacgymenvs(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, "task=Ant", "headless=True") == ON_CPU


def test_it_gets_no_viewer_on_a_gpu_that_is_not_there(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, "task=Ant") == [*ON_CPU, "headless=True"]


def test_only_keys_that_its_configuration_has(tmp_path: Path) -> None:
    config = "sim_device: cuda:0\nnum_envs: 4\n"
    assert added(HYDRA, tmp_path, config=config) == ["sim_device=cpu:0"]


@pytest.mark.parametrize("given", ["{}=cuda:0", "+{}=cpu", "++{}=cuda:1"])
def test_what_the_user_gave_stays(given: str, tmp_path: Path) -> None:
    assert "rl_device=cpu" not in added(HYDRA, tmp_path, given.format("rl_device"))


def test_nothing_where_the_user_gave_both_devices(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, "sim_device=cpu", "rl_device=cpu") == []


def test_nothing_where_the_defaults_exist(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, cuda=1) == []


def test_a_second_gpu_that_is_not_there(tmp_path: Path) -> None:
    config = "sim_device: cuda:0\nrl_device: cuda:1\n"
    assert added(HYDRA, tmp_path, cuda=1, config=config) == ["rl_device=cpu"]


def test_nothing_where_the_defaults_are_the_cpu(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, config="sim_device: cpu\nrl_device: cpu\n") == []


def test_a_configuration_that_is_not_found_is_left_alone(tmp_path: Path) -> None:
    assert added(HYDRA, tmp_path, config=None) == []


def test_legged_gym(tmp_path: Path) -> None:
    on_cpu = ["--sim_device=cpu", "--rl_device=cpu", "--headless"]
    assert added(LEGGED_GYM, tmp_path, "--task=a1") == on_cpu
    assert missing_devices(ast.parse(LEGGED_GYM), tmp_path, ["--task=a1"], 1) == []


@pytest.mark.parametrize("given", [["--sim_device", "cpu"], ["--sim_d=cpu"], ["--sim_device=cpu"]])
def test_options_may_be_given_in_two_words_or_abbreviated(given: list[str], tmp_path: Path) -> None:
    assert added(LEGGED_GYM, tmp_path, *given) == ["--rl_device=cpu", "--headless"]


def test_a_value_is_not_taken_for_an_option(tmp_path: Path) -> None:
    assert "--headless" in added(LEGGED_GYM, tmp_path, "--run_name", "headless", "--")


def test_options_of_the_script_itself(tmp_path: Path) -> None:
    assert added(PARSES, tmp_path) == ["--rl_device=cpu"]


def test_a_script_without_devices_gets_none(tmp_path: Path) -> None:
    assert added("print('--rl_device of another program')", tmp_path) == []
