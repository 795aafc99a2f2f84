"""Needs rl_games, which is in the extras `adapters` and `bench`.

What its PPO stores of all this is tested in tests/benchmarks/test_rl_games.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip(
    "rl_games", reason="rl-games is in the extra `adapters`, which is not installed"
)

from rl_games.common.algo_observer import IsaacAlgoObserver
from rl_games.torch_runner import Runner

from rofunc_isaac.adapters.rl_games_env import RlGamesEnv, register
from rofunc_isaac.errors import UserError
from tests.adapters.cartpole import cartpole
from tests.adapters.toy_env import NUM_ENVS, TellingEnv


def _settings(folder: Path, num_actors: int) -> dict[str, Any]:
    default = {"name": "default"}
    start = {"name": "const_initializer", "val": 0.0}
    continuous = {"mu_activation": "None", "sigma_activation": "None", "fixed_sigma": True}
    return {
        **{"seed": 1, "torch_threads": 0, "algo": {"name": "a2c_continuous"}},
        "model": {"name": "continuous_a2c_logstd"},
        "network": {
            **{"name": "actor_critic", "separate": False},
            "space": {"continuous": {**continuous, "mu_init": default, "sigma_init": start}},
            "mlp": {"units": [32, 32], "activation": "elu", "initializer": default},
        },
        "config": {
            **{"name": "Cartpole", "env_name": "test", "device": "cpu", "train_dir": str(folder)},
            **{"num_actors": num_actors, "horizon_length": 16, "minibatch_size": 16 * num_actors},
            **{"mini_epochs": 8, "max_epochs": 40, "save_best_after": 1000, "print_stats": False},
            **{"normalize_input": True, "normalize_value": True, "normalize_advantage": True},
            **{"reward_shaper": {"scale_value": 0.1}, "gamma": 0.99, "tau": 0.95, "e_clip": 0.2},
            **{"learning_rate": 1e-3, "lr_schedule": "adaptive", "kl_threshold": 0.01},
            **{
                "critic_coef": 2.0,
                "clip_value": True,
                "entropy_coef": 0.0,
                "bounds_loss_coef": 1e-4,
            },
            **{"grad_norm": 1.0, "truncate_grads": True, "torch_compile": False},
        },
    }


def test_a_step_gives_copies_of_what_the_env_gave() -> None:
    env = TellingEnv()
    adapter = RlGamesEnv(env)
    start = adapter.reset()
    for _ in range(2):
        _, _, dones, infos = adapter.step(torch.zeros(NUM_ENVS, 2))
        assert not dones.any()
        assert not infos["time_outs"].any()
    obs, reward, dones, infos = adapter.step(torch.ones(NUM_ENVS, 2))
    adapter.step(torch.zeros(NUM_ENVS, 2))  # writes the buffers again
    assert torch.equal(start, torch.zeros(NUM_ENVS, 3))
    assert torch.equal(env.actions[2], torch.ones(NUM_ENVS, 2))
    assert torch.equal(obs, torch.full((NUM_ENVS, 3), 3.0))  # of the new episode
    assert torch.allclose(reward, torch.tensor([3.0, 3.1, 3.2, 3.3]))
    assert dones.tolist() == [True, True, False, False]
    assert infos["time_outs"].tolist() == [False, True, False, False]

    info = adapter.get_env_info()
    assert info["observation_space"].shape == (3,)
    assert info["action_space"].shape == (2,)
    assert info["action_space"].high.tolist() == [1.0, 1.0]


def test_a_wrong_number_of_actors_is_refused(tmp_path: Path) -> None:
    register(TellingEnv(), "test")
    runner = Runner()
    runner.load({"params": _settings(tmp_path, NUM_ENVS + 1)})
    with pytest.raises(UserError, match="set num_actors=4"):
        runner.run({"train": True})


def test_its_ppo_learns_cartpole(tmp_path: Path) -> None:
    env = cartpole()
    register(env, "test")
    precision = torch.get_float32_matmul_precision()
    try:
        runner = Runner(IsaacAlgoObserver())
        runner.load({"params": _settings(tmp_path, env.num_envs)})
        runner.run({"train": True})
    finally:
        torch.set_float32_matmul_precision(precision)
    assert env.falls_are_rarer()
