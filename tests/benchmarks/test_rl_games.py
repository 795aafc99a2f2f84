"""rl_games' side of the benchmark; needs the extra `bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("rl_games", reason="rl_games is in the extra `bench`, which is not installed")

from benchmarks.pace import Finished
from benchmarks.trainers import TRAINERS
from benchmarks.trainers.rl_games import parameters, run
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import UserError
from tests.adapters.toy_env import NUM_ENVS, TellingEnv


class CountingPace:
    """Ends the training after `iterations`, and looks at the agent's buffers after each."""

    def __init__(self, iterations: int) -> None:
        self.left = iterations
        self.ended: list[tuple[float, float]] = []
        self.numerics = ""

    def ready(self, numerics: str) -> None:
        self.numerics = numerics

    def begin(self) -> None:
        if self.left == 0:
            raise Finished
        self.left -= 1

    def end(self, rollout_s: float, update_s: float) -> None:
        self.ended.append((rollout_s, update_s))


def _config(*overrides: str) -> Any:
    settings = [f"num_envs={NUM_ENVS}", "train.horizon_length=6", "train.hidden_sizes=[8]"]
    return compose(["task=Ant", *settings, *overrides])


def test_rl_games_stores_what_the_env_gave(tmp_path: Path, monkeypatch: Any) -> None:
    import benchmarks.trainers.rl_games as module

    rollouts: list[dict[str, torch.Tensor]] = []

    class WatchedAgent(module.PacedAgent):
        def play_steps(self) -> Any:
            batch = super().play_steps()
            stored = self.experience_buffer.tensor_dict
            rollouts.append({name: tensor.clone() for name, tensor in stored.items()})
            return batch

    def parameters_without_compiler(*arguments: Any) -> Any:
        params = parameters(*arguments)
        params["config"]["torch_compile"] = False  # compiling takes half a minute
        return params

    monkeypatch.setattr(module, "PacedAgent", WatchedAgent)
    monkeypatch.setattr(module, "parameters", parameters_without_compiler)
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    env, pace = TellingEnv(), CountingPace(2)
    try:
        with pytest.raises(Finished):
            run(env, _config(), tmp_path, pace)
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)

    assert env.steps == 12
    assert len(pace.ended) == 2
    assert all(rollout_s > 0 and update_s > 0 for rollout_s, update_s in pace.ended)
    assert "float32" in pace.numerics
    first = rollouts[0]
    assert first["obses"][:, 0, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert rollouts[1]["obses"][:, 0, 0].tolist() == [6, 7, 8, 9, 10, 11]
    # An entry of `dones` tells whether the step before ended an episode.
    assert first["dones"][1:, 0].tolist() == [0, 0, 1, 0, 0]
    assert first["dones"][1:, 1].tolist() == [0, 0, 1, 0, 0]
    assert not first["dones"][1:, 2].any()
    assert torch.allclose(torch.stack(env.actions[:6]), first["actions"].clamp(-1.0, 1.0))
    # Rewards are scaled; where truncated, gamma * V(observation before) is added.
    scaled = 0.01 * (torch.arange(1, 7)[:, None] + 0.1 * torch.arange(NUM_ENVS))
    expected = scaled.clone()
    expected[2::3, 1] += 0.99 * first["values"][2::3, 1, 0]
    assert torch.allclose(first["rewards"][..., 0], expected, atol=1e-6)
    assert not torch.allclose(expected, scaled, atol=1e-6)


def test_settings_are_the_published_ones_for_ant(tmp_path: Path) -> None:
    env = TellingEnv()
    config = _config(*TRAINERS["rl_games"].overrides)
    found = parameters(config, env, tmp_path)["config"]
    published = {
        **{"gamma": 0.99, "tau": 0.95, "e_clip": 0.2, "critic_coef": 2.0, "mini_epochs": 4},
        **{"learning_rate": 3e-4, "lr_schedule": "adaptive", "schedule_type": "legacy"},
        **{"kl_threshold": 0.008, "entropy_coef": 0.0, "bounds_loss_coef": 1e-4},
        **{"normalize_input": True, "normalize_value": True, "normalize_advantage": True},
        **{"value_bootstrap": True, "clip_value": True, "truncate_grads": False},
        "reward_shaper": {"scale_value": 0.01},
    }
    assert {key: found[key] for key in published} == published
    assert found["minibatch_size"] == NUM_ENVS * 6 // 2
    assert found["mixed_precision"] is False


def test_gradient_clipping_and_epochwise_schedule_follow_the_configuration(tmp_path: Path) -> None:
    config = _config("train.max_grad_norm=0.5", "scheduler.update_every=epoch")
    found = parameters(config, TellingEnv(), tmp_path)["config"]
    assert (found["truncate_grads"], found["grad_norm"]) == (True, 0.5)
    assert found["schedule_type"] == "standard"


@pytest.mark.parametrize(
    "override", ["scheduler=linear", "scheduler.min_lr=1e-5", "scheduler.update_every=iteration"]
)
def test_what_rl_games_cannot_follow_is_refused(override: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="rl_games can't train with scheduler"):
        parameters(_config(override), TellingEnv(), tmp_path)
