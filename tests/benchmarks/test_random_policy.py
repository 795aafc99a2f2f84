"""Random actions on a rail: a mass of 1 kg, pushed by at most `maxForce`, from within 0.1 m."""

from __future__ import annotations

import json

import pytest

from benchmarks.random_policy import main, measure
from tests.isaacgymenvs.conftest import FOLDER

SLIDER = [
    "task=isaacgymenvs/Slider",
    f"isaacgymenvs_path={FOLDER}",
    "sim_device=cpu",
    "num_envs=32",
]


def test_without_a_force_the_mass_stays_where_it_starts() -> None:
    """1 - |x| a step, x uniform within 0.1 m: 0.95 in the mean, over 19 and 20 steps."""
    result = measure([*SLIDER, "task.env.maxForce=0"])
    assert (result["task"], result["count"]) == ("isaacgymenvs/Slider", 64)
    assert result["episode_length_mean"] == 19.5
    assert result["mean"] == pytest.approx(0.95 * 19.5, abs=0.3)
    assert measure([*SLIDER, "task.env.maxForce=0", "episodes=1"])["episode_length_mean"] == 19.0


def test_actions_are_random_and_seeded(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SLIDER, "task.env.maxForce=40", "task.env.reach=1"]
    first = measure([*words, "seed=1"])
    assert 3.0 < first["episode_length_mean"] < 19.0
    assert measure([*words, "seed=1"]) == first
    assert measure([*words, "seed=2"]) != first
    assert main(["task=Nothing"]) == 2
    assert main([*words, "seed=1"]) == 0
    assert json.loads(capsys.readouterr().out) == first
