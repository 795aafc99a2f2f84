"""Shapes and names of what a task's code fills, on the slider of test_vec_task.py."""

from __future__ import annotations

import pytest

from tests.envs.test_vec_task import SLIDER, Slider, SliderConfig, SliderEnvConfig

import torch  # isort: skip

from rofunc_isaac.errors import UserError


def make(tmp_path, kind=Slider):
    (tmp_path / "slider.xml").write_text(SLIDER)
    return kind(SliderConfig(env=SliderEnvConfig(asset_root=str(tmp_path))), num_envs=3)


@pytest.mark.parametrize("shape", [(1, 1), (3,), (3, 7)])
def test_actions_of_another_shape_are_refused(tmp_path, shape):
    env = make(tmp_path)
    env.reset()
    with pytest.raises(UserError, match=r"Slider\.step takes actions of shape \(3, 1\)"):
        env.step(torch.ones(shape))


def test_an_observation_of_another_width_is_named(tmp_path):
    class Narrow(Slider):
        def compute_observations(self):
            self.obs_buf = torch.zeros(3, 1)

    with pytest.raises(
        UserError, match=r"Narrow\.compute_observations, obs_buf.*\(3, 1\).*\(3, 2\)"
    ):
        make(tmp_path, Narrow).reset()


@pytest.mark.parametrize(
    ("name", "value"),
    [("reward_buf", torch.zeros(3, 2)), ("terminated_buf", torch.zeros(3))],
)
def test_an_outcome_of_another_shape_or_type_is_named(tmp_path, name, value):
    class Wrong(Slider):
        def compute_reward(self):
            setattr(self, name, value)

    env = make(tmp_path, Wrong)
    env.reset()
    with pytest.raises(UserError, match=rf"Wrong\.compute_reward, {name} is"):
        env.step(torch.zeros(3, 1))


@pytest.mark.parametrize(
    ("theirs", "ours"), [("rew_buf", "reward_buf"), ("reset_buf", "terminated_buf")]
)
def test_isaacgymenvs_names_are_told_apart(tmp_path, theirs, ours):
    class Ported(Slider):
        def compute_reward(self):
            setattr(self, theirs, torch.zeros(3))

    env = make(tmp_path, Ported)
    env.reset()
    with pytest.raises(UserError, match=f"Ported.{theirs} has no effect here: write {ours}"):
        env.step(torch.zeros(3, 1))
