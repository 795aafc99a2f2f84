"""The settings that a checkout's own files come to."""

from __future__ import annotations

from pathlib import Path

import pytest
from omegaconf import OmegaConf

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.checkout import Checkout
from rofunc_isaac.isaacgymenvs.settings import RESOLVERS, read_settings


def test_references_come_to_the_published_values(checkout: Checkout) -> None:
    before = [OmegaConf.has_resolver(name) for name in RESOLVERS]
    settings = read_settings(checkout, "Slider", "SliderPPO")
    assert settings.task["name"] == "Slider"
    assert settings.task["physics_engine"] == "physx"
    assert settings.task["env"]["numEnvs"] == 64
    assert settings.task["sim"]["physx"]["num_threads"] == 0, "every core"
    assert settings.params["config"]["max_epochs"] == 40
    assert settings.params["config"]["num_actors"] == 64
    assert settings.params["load_checkpoint"] is False
    # Its functions are gone again: the package registers them itself, and may do so once.
    assert [OmegaConf.has_resolver(name) for name in RESOLVERS] == before


def test_files_that_build_on_others(checkout: Checkout) -> None:
    settings = read_settings(checkout, "SliderAtOnce", "SliderAsymmPPO")
    assert settings.task["name"] == "SliderAtOnce"
    assert settings.task["env"]["episodeLength"] == 20
    assert settings.params["config"]["gamma"] == 0.98
    assert settings.params["config"]["central_value_config"]["mini_epochs"] == 4


def test_without_a_training(checkout: Checkout) -> None:
    assert read_settings(checkout, "Slider", None).params == {}


def test_files_that_cannot_be_composed(checkout: Checkout, tmp_path: Path) -> None:
    cfg = tmp_path / "isaacgymenvs" / "cfg"
    (cfg / "task").mkdir(parents=True)
    (cfg / "train").mkdir()
    (cfg / "config.yaml").write_text("defaults: [{task: Odd}, {train: OddPPO}, _self_]\n")
    (cfg / "train" / "OddPPO.yaml").write_text("params: {}\n")
    (cfg / "task" / "Odd.yaml").write_text("name: Odd\nenv: {numEnvs: '${nearest:1}'}\n")
    with pytest.raises(ConfigError, match="task=Odd") as caught:
        read_settings(Checkout(str(tmp_path)), "Odd", "OddPPO")
    assert "nearest" in str(caught.value)
