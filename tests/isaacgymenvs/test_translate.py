"""rl_games' settings in our terms, and what is said of those that have none."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.isaacgymenvs.checkout import Checkout
from rofunc_isaac.isaacgymenvs.settings import read_settings
from rofunc_isaac.isaacgymenvs.translate import Translation, translate
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.schedulers.config import SchedulerChoice


@pytest.fixture
def params(checkout: Checkout) -> dict[str, Any]:
    return copy.deepcopy(read_settings(checkout, "Slider", "SliderPPO").params)


@pytest.fixture
def asymmetric(checkout: Checkout) -> dict[str, Any]:
    return copy.deepcopy(read_settings(checkout, "Slider", "SliderAsymmPPO").params)


def of(params: dict[str, Any]) -> Translation:
    return translate(params, num_envs=64, file="SliderPPO.yaml")


def test_every_setting_of_a_file(params: dict[str, Any]) -> None:
    ours = of(params)
    assert ours.train == {
        "max_iterations": 40,
        "horizon_length": 16,
        "num_minibatches": 4,  # 64 envs x 16 steps by minibatches of 256
        "mini_epochs": 3,
        "learning_rate": 1e-3,
        "gamma": 0.98,
        "gae_lambda": 0.9,
        "clip_range": 0.15,
        "clip_value_loss": False,
        "critic_coef": 3.0,
        "entropy_coef": 0.001,
        "bounds_loss_coef": 0.0005,
        "max_grad_norm": 0.8,
        "reward_scale": 0.1,
        "normalize_observations": True,
        "normalize_values": True,
        "normalize_advantages": True,
        "hidden_sizes": [24, 12],
        "critic_hidden_sizes": None,
        "activation": "elu",
        "initial_log_std": -0.5,
        "precision": "float32",
    }
    assert ours.scheduler == {
        "name": "kl_adaptive",
        "update_every": "epoch",
        "kl_threshold": pytest.approx(0.04),
    }
    assert ours.vec_env == {
        "clip_actions": True,
        "bootstrap_time_limits": True,
        "states_for_value": False,
    }
    assert ours.not_translated == ["config.score_to_win=20000"]
    PPOConfig(**ours.train)
    SchedulerChoice(**ours.scheduler)


def test_defaults_are_those_of_rl_games(params: dict[str, Any]) -> None:
    kept = ("minibatch_size", "horizon_length")
    params["config"] = {key: params["config"][key] for key in kept}
    ours = of(params)
    assert ours.train["max_grad_norm"] is None
    assert ours.train["bounds_loss_coef"] == 0.0
    assert ours.train["reward_scale"] == 1.0
    assert not ours.train["normalize_values"]
    assert "max_iterations" not in ours.train
    assert ours.scheduler == {"name": "constant"}
    assert ours.vec_env["bootstrap_time_limits"]


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"truncate_grads": False}, "max_grad_norm", None),
        ({"mixed_precision": True}, "precision", "auto"),
        ({"minibatch_size": 1024}, "num_minibatches", 1),
        ({"learning_rate": "3e-4"}, "learning_rate", 3e-4),  # how YAML 1.1 reads it
    ],
)
def test_single_settings(
    params: dict[str, Any], changes: dict[str, Any], name: str, value: Any
) -> None:
    params["config"].update(changes)
    assert of(params).train[name] == value


@pytest.mark.parametrize(
    ("changes", "choice"),
    [
        ({"lr_schedule": "linear"}, {"name": "linear", "final_lr_factor": 0.0}),
        ({"lr_schedule": "fixed"}, {"name": "constant"}),
        (
            {"schedule_type": "legacy", "kl_threshold": 0.008},
            {"name": "kl_adaptive", "update_every": "minibatch", "kl_threshold": 0.032},
        ),
    ],
)
def test_schedules(params: dict[str, Any], changes: dict[str, Any], choice: dict) -> None:
    params["config"].update(changes)
    assert of(params).scheduler == choice


def test_a_network_of_its_own_for_the_value(params: dict[str, Any]) -> None:
    params["network"].update(separate=True)
    params["network"]["mlp"]["activation"] = "swish"
    ours = of(params)
    assert ours.train["critic_hidden_sizes"] == [24, 12]
    assert ours.train["activation"] == "silu"


def test_a_value_that_sees_states(asymmetric: dict[str, Any]) -> None:
    ours = of(asymmetric)
    assert ours.train["critic_hidden_sizes"] == [48, 16]
    assert ours.vec_env == {
        "clip_actions": False,
        "bootstrap_time_limits": False,
        "states_for_value": True,
    }
    assert [line.split("=")[0] for line in ours.not_translated] == [
        "config.score_to_win",
        "config.central_value_config.learning_rate",
        "config.central_value_config.mini_epochs",
        "config.central_value_config.minibatch_size",
    ]


def test_what_is_not_known_is_told(params: dict[str, Any]) -> None:
    params["config"].update(weight_decay=0.1, reward_shaper={"scale_value": 1, "shift_value": 2})
    params["network"]["mlp"]["initializer"]["name"] = "orthogonal"
    assert of(params).not_translated == [
        "network.mlp.initializer.name=orthogonal",
        "config.reward_shaper.shift_value=2",
        "config.score_to_win=20000",
        "config.weight_decay=0.1",
    ]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("algo.name", "amp_continuous", "algo.name=amp_continuous"),
        ("model.name", "soft_actor_critic", "model.name"),
        ("network.name", "complex_net", "network.name=complex_net"),
        ("network.rnn", {"name": "lstm"}, "a network with rnn"),
        ("network.cnn", {"type": "conv2d"}, "a network with cnn"),
        ("network.mlp.d2rl", True, "d2rl=True"),
        ("network.mlp.activation", "selu", "activation=selu"),
        ("network.space.continuous.fixed_sigma", False, "fixed_sigma=False"),
        ("config.minibatch_size", 1000, "minibatches of 1000 samples in a batch of 1024"),
        ("config.schedule_type", "odd", "schedule_type=odd"),
        ("config.central_value_config.network.rnn", {"name": "lstm"}, "central value with rnn"),
    ],
)
def test_what_cannot_be_done_is_refused(
    asymmetric: dict[str, Any], path: str, value: Any, words: str
) -> None:
    if path == "config.schedule_type":
        asymmetric["config"]["lr_schedule"] = "adaptive"
    *parents, key = path.split(".")
    node = asymmetric
    for parent in parents:
        node = node[parent]
    node[key] = value
    with pytest.raises(ConfigError, match="python -m rofunc_isaac run") as caught:
        of(asymmetric)
    assert str(caught.value).startswith("SliderPPO.yaml has ")
    assert words in str(caught.value)
