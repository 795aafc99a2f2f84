"""Evaluation against a script whose episodes are known."""

from __future__ import annotations

import statistics

import pytest
import torch

from rofunc_isaac.ppo.evaluate import evaluate
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import Normalizer
from tests.ppo.toy_env import ScriptedEnv

# Episodes, over and over. Env 0: 1; 5 (2 + 3). Env 1: 60; -1 with a step of 0.
SCRIPT = ScriptedEnv([[1.0, 2, 3, 7], [10.0, 20, 30, -1]], ["T.XT", "..TX"])


@pytest.mark.parametrize(
    ("episodes", "returns", "lengths"),
    [
        (1, [1.0, 60.0], [1, 3]),
        (2, [1.0, 5.0, 60.0, -1.0], [1, 2, 3, 1]),
        (3, [1.0, 5.0, 7.0, 60.0, -1.0, 60.0], [1, 2, 1, 3, 1, 3]),
    ],
)
def test_the_first_episodes_of_every_env_count(
    episodes: int, returns: list[float], lengths: list[int]
) -> None:
    torch.manual_seed(0)
    network = ActorCritic(4, 2, [8])
    result = evaluate(SCRIPT, network, Normalizer((4,)), episodes_per_env=episodes)
    assert result == {
        "return_mean": pytest.approx(statistics.fmean(returns)),
        "return_std": pytest.approx(statistics.pstdev(returns)),
        "episode_length_mean": pytest.approx(statistics.fmean(lengths)),
        "episodes": 2 * episodes,
    }


def test_the_mean_action_is_taken_on_normalised_observations() -> None:
    torch.manual_seed(0)
    network, normalizer = ActorCritic(4, 2, [8]), Normalizer((4,))
    normalizer.observe(3.0 + 2.0 * torch.randn(30, 4))
    normalizer.apply_statistics()
    SCRIPT.actions.clear()
    evaluate(SCRIPT, network, normalizer, episodes_per_env=2)
    seen = torch.stack([SCRIPT.first, *SCRIPT.seen[:3]])
    with torch.no_grad():
        mean, _ = network(normalizer.normalize(seen))
    torch.testing.assert_close(torch.stack(SCRIPT.actions), mean)
    assert float(normalizer.count) == 30
