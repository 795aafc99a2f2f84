"""Needs Stable-Baselines3, which is in the extra `adapters`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip(
    "stable_baselines3",
    reason="stable-baselines3 is in the extra `adapters`, which is not installed",
)

from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from rofunc_isaac.adapters.gymnasium_env import GymnasiumEnv
from rofunc_isaac.adapters.sb3_env import Sb3Env
from rofunc_isaac.errors import UserError
from tests.adapters.cartpole import cartpole
from tests.adapters.one_env import OneEnv
from tests.adapters.toy_env import NUM_ENVS, TellingEnv

ACTIONS = np.zeros((NUM_ENVS, 2), np.float32)


class Kept(BaseCallback):
    """Copies of what a rollout stored, and the value of what ended it, before the update."""

    def __init__(self) -> None:
        super().__init__()
        self.rollouts: list[dict[str, np.ndarray]] = []
        self.value_at_the_end = 0.0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        buffer = self.model.rollout_buffer  # type: ignore[attr-defined]
        names = ("observations", "rewards", "episode_starts")
        self.rollouts.append({name: getattr(buffer, name).copy() for name in names})
        if len(self.rollouts) == 1:
            with torch.no_grad():
                seen = torch.full((1, 3), -3.0)
                self.value_at_the_end = self.model.policy.predict_values(seen).item()


def test_a_step_gives_copies_of_what_the_env_gave() -> None:
    env = TellingEnv()
    adapter = Sb3Env(env)
    first = adapter.reset()
    adapter.step(ACTIONS)
    second = adapter.step(ACTIONS)
    third = adapter.step(ACTIONS + 0.5)
    adapter.step(ACTIONS)  # writes the buffers again
    assert torch.equal(env.actions[2], torch.full((NUM_ENVS, 2), 0.5))
    assert first.tolist() == np.zeros((NUM_ENVS, 3)).tolist()
    assert second[2].tolist() == [False] * NUM_ENVS
    assert second[3] == [{"TimeLimit.truncated": False}] * NUM_ENVS

    obs, reward, dones, infos = third
    assert (obs.dtype, reward.dtype) == (np.float32, np.float32)
    assert obs.tolist() == np.full((NUM_ENVS, 3), 3.0).tolist()
    assert reward == pytest.approx([3.0, 3.1, 3.2, 3.3])
    assert dones.tolist() == [True, True, False, False]
    assert [info["TimeLimit.truncated"] for info in infos] == [False, True, False, False]
    last = [info.get("terminal_observation") for info in infos]
    assert [row if row is None else row.tolist() for row in last] == [[-3.0] * 3] * 2 + [None] * 2


def test_its_ppo_stores_what_the_env_gave_and_bootstraps_with_the_final_observation() -> None:
    kept = Kept()
    model = PPO("MlpPolicy", Sb3Env(TellingEnv()), n_steps=5, batch_size=20, gamma=0.9, seed=None)
    model.learn(40, callback=kept)
    first, second = kept.rollouts
    assert first["observations"][:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    assert second["observations"][:, 0, 0].tolist() == [5, 6, 7, 8, 9]
    assert first["episode_starts"][:, 0].tolist() == [1, 0, 0, 1, 0]
    assert first["episode_starts"][:, 1].tolist() == [1, 0, 0, 1, 0]
    expected = np.arange(1, 6)[:, None] + 0.1 * np.arange(NUM_ENVS)
    expected[2, 1] += 0.9 * kept.value_at_the_end
    assert first["rewards"] == pytest.approx(expected, rel=1e-5)
    assert abs(kept.value_at_the_end) > 1e-3  # else the line above shows nothing


def test_its_own_check_passes_for_one_alone() -> None:
    check_env(OneEnv(GymnasiumEnv(cartpole(1))), skip_render_check=True)


def test_its_wrappers_and_its_evaluation_take_it() -> None:
    monitored = VecMonitor(Sb3Env(TellingEnv()))
    monitored.reset()
    infos = [monitored.step(ACTIONS)[3] for _ in range(3)][2]
    assert [infos[0]["episode"][key] for key in "rl"] == [6.0, 3]
    assert infos[1]["episode"]["r"] == pytest.approx(6.3)

    normalized = VecNormalize(Sb3Env(TellingEnv()))
    normalized.reset()
    obs, _, _, infos = [normalized.step(ACTIONS) for _ in range(3)][2]
    assert infos[0]["terminal_observation"][0] < obs[0, 0]  # -3 and 3, normalised alike

    model = PPO("MlpPolicy", Sb3Env(cartpole(4)), n_steps=4, batch_size=16)
    mean, _ = evaluate_policy(model, model.get_env(), n_eval_episodes=4, warn=False)
    assert np.isfinite(mean)


def test_a_seed_fixes_what_comes() -> None:
    adapter = Sb3Env(cartpole(3))

    def start(seed: int) -> list[Any]:
        adapter.seed(seed)
        return adapter.reset().tolist()

    first = start(5)
    assert start(6) != first
    assert start(5) == first
    assert adapter.reset().tolist() != first  # a seed is used once
    with pytest.raises(UserError, match="has no effect on TellingEnv"):
        PPO("MlpPolicy", Sb3Env(TellingEnv()), n_steps=8, batch_size=8, seed=1).learn(8)


def test_what_cannot_be_done_for_one_environment_is_refused() -> None:
    adapter = Sb3Env(TellingEnv())
    assert adapter.get_attr("num_obs") == [3] * NUM_ENVS
    assert adapter.get_attr("num_obs", indices=[0, 2]) == [3, 3]
    assert not adapter.has_attr("no_such_thing")
    assert adapter.env_is_wrapped(VecMonitor) == [False] * NUM_ENVS
    with pytest.raises(UserError, match="not one by one"):
        adapter.set_attr("num_obs", 4)
    with pytest.raises(UserError, match="not one by one"):
        adapter.env_method("reset")
    with pytest.raises(UserError, match="takes"):
        adapter.step(np.zeros((NUM_ENVS, 1)))
    adapter.set_options({"mass": 1.0})
    with pytest.raises(UserError, match="take no options"):
        adapter.reset()


def test_its_ppo_learns_cartpole() -> None:
    env = cartpole()
    model = PPO(
        *("MlpPolicy", Sb3Env(env)),
        **{"n_steps": 16, "batch_size": 1024, "n_epochs": 8, "learning_rate": 3e-3, "seed": 0},
        device="cpu",
    )
    model.learn(40 * 16 * env.num_envs)
    assert env.falls_are_rarer()
