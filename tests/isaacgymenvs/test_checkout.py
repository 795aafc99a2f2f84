"""Where IsaacGymEnvs is found, and what is said where it is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.checkout import Checkout


def test_its_tasks_and_trainings(checkout: Checkout) -> None:
    assert checkout.tasks() == ["Slider", "SliderAtOnce"]
    assert checkout.trainings() == [
        *("SliderAsymmPPO", "SliderAtOncePPO", "SliderLSTMPPO", "SliderPPO"),
    ]
    checkout.check_task("Slider")
    checkout.check_training("SliderLSTMPPO")


def test_one_that_is_installed(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(checkout.root))
    assert Checkout().root == checkout.root


def test_mistakes(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="name the folder of the checkout") as caught:
        Checkout(str(tmp_path))
    assert str(tmp_path) in str(caught.value)
    monkeypatch.setattr("sys.path", [])
    monkeypatch.delitem(sys.modules, "isaacgymenvs", raising=False)  # other tests import it
    with pytest.raises(ConfigError, match="isaacgymenvs_path=PATH"):
        Checkout()
    with pytest.raises(ConfigError, match="Slider, SliderAtOnce; did you mean Slider?"):
        checkout.check_task("Slidr")
    with pytest.raises(ConfigError, match="train=default for ours"):
        checkout.check_training("AntPPO")
