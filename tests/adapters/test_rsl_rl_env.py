"""Needs rsl_rl, which is in the extra `adapters`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip(
    "rsl_rl", reason="rsl-rl-lib is in the extra `adapters`, which is not installed"
)

from rsl_rl.algorithms import PPO
from rsl_rl.runners import OnPolicyRunner

from rofunc_isaac.adapters.rsl_rl_env import RslRlEnv
from rofunc_isaac.errors import UserError
from tests.adapters.cartpole import cartpole
from tests.adapters.toy_env import NUM_ENVS, TellingEnv


class KeepingPPO(PPO):
    """Keeps copies of what each rollout stored."""

    rollouts: list[dict[str, torch.Tensor]] = []  # noqa: RUF012  of the class, emptied by the test

    def compute_returns(self, obs: Any) -> None:
        names = ("rewards", "values", "dones")
        stored = {name: getattr(self.storage, name).clone() for name in names}
        self.rollouts.append({**stored, "obs": self.storage.observations["policy"].clone()})
        super().compute_returns(obs)


def _settings(num_steps: int, algorithm: Any = PPO) -> dict[str, Any]:
    network = {"class_name": "MLPModel", "hidden_dims": [32, 32], "activation": "elu"}
    distribution = {"distribution_cfg": {"class_name": "GaussianDistribution"}}
    return {
        **{"num_steps_per_env": num_steps, "save_interval": 1000},
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {
            **{"class_name": algorithm, "gamma": 0.9, "entropy_coef": 0.0},
            **{"num_learning_epochs": 8, "num_mini_batches": 1},
        },
        **{"actor": {**network, **distribution}, "critic": network},
    }


def test_a_step_gives_copies_of_what_the_env_gave() -> None:
    env = TellingEnv()
    adapter = RslRlEnv(env)
    start = adapter.get_observations()
    adapter.step(torch.zeros(NUM_ENVS, 2))
    assert adapter.episode_length_buf.tolist() == [1, 1, 1, 1]
    _, _, dones, extras = adapter.step(torch.zeros(NUM_ENVS, 2))
    assert not dones.any()
    assert not extras["time_outs"].any()
    obs, reward, dones, extras = adapter.step(torch.ones(NUM_ENVS, 2))
    assert adapter.get_observations() is obs
    assert adapter.episode_length_buf.tolist() == [0, 0, 3, 3]
    adapter.step(torch.zeros(NUM_ENVS, 2))  # writes the buffers again
    assert torch.equal(start["policy"], torch.zeros(NUM_ENVS, 3))
    assert torch.equal(env.actions[2], torch.ones(NUM_ENVS, 2))
    assert torch.equal(obs["policy"], torch.full((NUM_ENVS, 3), 3.0))
    assert torch.allclose(reward, torch.tensor([3.0, 3.1, 3.2, 3.3]))
    assert dones.tolist() == [True, True, False, False]
    assert extras["time_outs"].tolist() == [False, True, False, False]
    assert extras["log"]["env/steps"].item() == 3.0


def test_its_ppo_stores_what_the_env_gave() -> None:
    KeepingPPO.rollouts.clear()
    OnPolicyRunner(RslRlEnv(TellingEnv()), _settings(5, KeepingPPO)).learn(2)
    first, second = KeepingPPO.rollouts
    assert first["obs"][:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    assert second["obs"][:, 0, 0].tolist() == [5, 6, 7, 8, 9]
    assert first["dones"][:, :, 0].tolist() == [[0] * 4, [0] * 4, [1, 1, 0, 0], [0] * 4, [0] * 4]
    # Where truncated, gamma * V(observation before) is added.
    expected = torch.arange(1, 6)[:, None] + 0.1 * torch.arange(NUM_ENVS)
    expected[2, 1] += 0.9 * first["values"][2, 1, 0]
    assert torch.allclose(first["rewards"][..., 0], expected)


def test_episodes_begin_at_random_lengths_where_the_env_counts_them() -> None:
    env = cartpole(8)
    adapter = RslRlEnv(env)
    lengths = torch.tensor([0, 100, 200, 300, 400, 497, 498, 499])
    adapter.episode_length_buf = lengths
    assert torch.equal(adapter.episode_length_buf, lengths)
    extras = adapter.step(torch.zeros(8, 1))[3]
    assert extras["time_outs"].tolist() == [False] * 7 + [True]
    assert adapter.episode_length_buf.tolist() == [1, 101, 201, 301, 401, 498, 499, 0]
    with pytest.raises(UserError, match="init_at_random_ep_len=False"):
        RslRlEnv(TellingEnv()).episode_length_buf = torch.zeros(NUM_ENVS)


def test_the_configuration_of_a_task_reaches_its_loggers() -> None:
    adapter = RslRlEnv(cartpole(2))
    assert asdict(adapter.cfg)["env"]["max_effort"] == 400.0
    assert adapter.max_episode_length == 500


def test_its_ppo_learns_cartpole(tmp_path: Path) -> None:
    torch.manual_seed(0)
    env = cartpole()
    runner = OnPolicyRunner(RslRlEnv(env), _settings(16), log_dir=str(tmp_path))
    runner.learn(30, init_at_random_ep_len=True)
    assert env.falls_are_rarer()
    runner.learn(1)  # its rollouts run in inference mode: the env is of use afterwards all the same
    env.reset()
