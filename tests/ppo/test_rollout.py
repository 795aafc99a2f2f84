"""What a rollout stores, against the script of its environment."""

from __future__ import annotations

import pytest
import torch
from torch.distributions import Independent, Normal

from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.episodes import EpisodeStatistics
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import CLIP, Normalizer
from rofunc_isaac.ppo.numerics import Numerics
from rofunc_isaac.ppo.policy_step import PolicyStep
from rofunc_isaac.ppo.rollout import Rollout
from rofunc_isaac.ranks import Ranks
from tests.ppo.toy_env import CPU, ScriptedEnv


class Gathered:
    """A rollout on `env`, gathered with an obs normaliser that knows other data already."""

    def __init__(self, env: ScriptedEnv, horizon: int, reward_scale: float = 1.0) -> None:
        torch.manual_seed(0)
        self.env = env
        self.network = ActorCritic(4, 2, [16], initial_log_std=-1.0)
        self.obs_normalizer, self.value_normalizer = Normalizer((4,)), Normalizer(())
        generator = torch.Generator().manual_seed(1)
        self.obs_normalizer.observe(2.0 + 3.0 * torch.randn(50, 4, generator=generator))
        self.value_normalizer.observe(-1.0 + 4.0 * torch.randn(50, generator=generator))
        for normalizer in (self.obs_normalizer, self.value_normalizer):
            normalizer.apply_statistics()
        self.applied = (self.obs_normalizer.mean.clone(), self.obs_normalizer.var.clone())
        numerics = Numerics(PPOConfig(compile=False, precision="float32"), CPU, env.num_envs)
        self.policy_step = PolicyStep(self.network, self.obs_normalizer, numerics)
        self.episodes = EpisodeStatistics(env.num_envs, CPU)
        self.rollout = Rollout(env, horizon, torch.float32)
        self.generator = generator
        self.obs = env.reset()
        self.gather(reward_scale)

    def gather(self, reward_scale: float = 1.0) -> None:
        self.obs = self.rollout.gather(
            self.env,
            self.obs,
            self.policy_step,
            self.value_normalizer,
            self.episodes,
            reward_scale,
            self.generator,
            Ranks(),
        )

    def estimate(self, gamma: float = 0.5, gae_lambda: float = 0.5) -> None:
        normalizers = self.obs_normalizer, self.value_normalizer
        self.rollout.estimate(self.network, *normalizers, gamma, gae_lambda)

    @torch.no_grad()
    def value(self, obs: torch.Tensor) -> torch.Tensor:
        """V(obs) in reward units, by hand: normalised in float64, through the network, back."""
        mean, var = self.applied
        normal = ((obs.double() - mean) / (var + 1e-5).sqrt()).clamp(-CLIP, CLIP).float()
        _, value = self.network(normal)
        scale = (self.value_normalizer.var + 1e-5).sqrt()
        return (value.double() * scale + self.value_normalizer.mean).float()


REWARDS = [[1.0, 2, 3, 4, 5, 6], [-1.0, -2, -3, -4, -5, -6], [0.5, 0, 0.5, 0, 0.5, 0]]
ENDS = ["..X..X", ".T.X.T", "......"]


def gathered(max_episode_length: int | None = None) -> Gathered:
    return Gathered(ScriptedEnv(REWARDS, ENDS, max_episode_length), horizon=6)


@pytest.mark.parametrize("max_episode_length", [None, 2, 3])
def test_values_of_what_followed(max_episode_length: int | None) -> None:
    """V(final observation) at each truncation, 0 at terminations, the next state's elsewhere."""
    run = gathered(max_episode_length)
    run.estimate()
    env, rollout = run.env, run.rollout
    expected = run.value(env.seen)
    for step in range(6):
        for index, ends in enumerate(ENDS):
            if ends[step] == "T":
                expected[step, index] = 0.0
            elif ends[step] == "X":
                final = run.value(env.reached[step, index])
                assert abs(float(final - expected[step, index])) > 1e-3
                expected[step, index] = final
    torch.testing.assert_close(rollout.next_values, expected, rtol=1e-4, atol=1e-4)


def test_advantages_and_returns_follow_from_the_stored() -> None:
    run = gathered()
    run.estimate(0.9, 0.8)
    rollout = run.rollout
    for env, ends in enumerate(ENDS):
        advantage = 0.0
        for step in range(5, -1, -1):
            value, following = rollout.values[step, env], rollout.next_values[step, env]
            delta = float(rollout.rewards[step, env] + 0.9 * following - value)
            advantage = delta + (0.72 * advantage if ends[step] == "." else 0.0)
            assert float(rollout.advantages[step, env]) == pytest.approx(advantage, abs=1e-4)
            assert float(rollout.returns[step, env]) == pytest.approx(
                advantage + float(value), abs=1e-4
            )


def test_truncated_with_every_step() -> None:
    """The fixed number of final observations is every sample then."""
    env = ScriptedEnv([[1.0], [2.0]], ["X", "X"], max_episode_length=1)
    run = Gathered(env, 5)
    reached = env.reached.expand(5, 2, 4)
    assert run.rollout.max_truncations == 10
    run.estimate()
    torch.testing.assert_close(run.rollout.next_values, run.value(reached), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("length", "horizon", "per_env"),
    # With an episode of 5: truncated at steps 0, 5, 10 at the most.
    [(None, 7, 7), (1, 7, 7), (5, 5, 1), (5, 6, 2), (5, 10, 2), (5, 11, 3), (1000, 16, 1)],
)
def test_how_many_truncations_there_can_be(length: int | None, horizon: int, per_env: int) -> None:
    env = ScriptedEnv([[0.0]] * 3, ["."] * 3, length)
    assert Rollout(env, horizon, torch.float32).max_truncations == 3 * per_env


def test_steps_are_stored_as_they_came() -> None:
    run = gathered()
    env, rollout = run.env, run.rollout
    assert rollout.num_samples == 18
    assert torch.equal(rollout.rewards, env.rewards)
    assert torch.equal(rollout.terminated, env.terminated)
    assert torch.equal(rollout.truncated, env.truncated)
    assert torch.equal(rollout.actions, torch.stack(env.actions))
    seen = torch.cat([env.first[None], env.seen[:-1]])
    torch.testing.assert_close(rollout.values, run.value(seen), rtol=1e-4, atol=1e-4)
    count, mean_return, mean_length = run.episodes.means()
    # Ended: 1 + 2 + 3, 4 + 5 + 6; -1 - 2, -3 - 4, -5 - 6.
    assert int(count) == 5
    assert float(mean_return) == pytest.approx((6 + 15 - 3 - 7 - 11) / 5)
    assert float(mean_length) == pytest.approx(12 / 5)


def test_rewards_are_scaled_but_not_those_of_episodes() -> None:
    run = Gathered(ScriptedEnv(REWARDS, ENDS), 6, reward_scale=0.01)
    torch.testing.assert_close(run.rollout.rewards, 0.01 * run.env.rewards)
    assert float(run.episodes.means()[1]) == pytest.approx((6 + 15 - 3 - 7 - 11) / 5)


def test_observations_are_normalised_with_the_statistics_of_before() -> None:
    run = gathered()
    mean, var = run.applied
    env, normalizer = run.env, run.obs_normalizer
    seen = torch.cat([env.first[None], env.seen[:-1]])
    expected = ((seen.double() - mean) / (var + 1e-5).sqrt()).clamp(-CLIP, CLIP).float()
    torch.testing.assert_close(run.rollout.obs, expected, rtol=1e-5, atol=1e-5)
    # The 18 observations have moved the statistics, and nothing that is applied.
    assert float(normalizer.count) == 50 + 18
    torch.testing.assert_close(normalizer.applied_mean, mean.float())
    pooled = (50 * mean + seen.double().sum((0, 1))) / 68
    torch.testing.assert_close(normalizer.mean, pooled, rtol=1e-6, atol=1e-6)


def test_old_log_prob_is_that_of_the_policy_that_acted() -> None:
    run = gathered()
    rollout = run.rollout
    assert rollout.old_log_std.tolist() == [-1.0, -1.0]
    with torch.no_grad():
        mean, _ = run.network(rollout.obs)
    torch.testing.assert_close(rollout.old_mean, mean)
    policy = Independent(Normal(mean.double(), rollout.old_log_std.double().exp()), 1)
    expected = policy.log_prob(rollout.actions.double())
    torch.testing.assert_close(rollout.old_log_prob.double(), expected, rtol=1e-4, atol=1e-4)


def test_noise_is_standard_normal_and_the_generators_alone() -> None:
    env = ScriptedEnv([[0.0]] * 500, ["."] * 500)
    first, second = Gathered(env, 8), Gathered(env, 8)
    assert torch.equal(first.rollout.actions, second.rollout.actions)
    noise = (first.rollout.actions - first.rollout.old_mean) / torch.tensor(-1.0).exp()
    assert float(noise.mean()) == pytest.approx(0.0, abs=0.05)
    assert float(noise.std()) == pytest.approx(1.0, abs=0.05)


def test_a_second_rollout_goes_on_where_the_first_ended() -> None:
    run = Gathered(ScriptedEnv(REWARDS, ENDS), horizon=3)
    run.gather()
    assert torch.equal(run.rollout.rewards, run.env.rewards[3:])
    normalized = run.obs_normalizer.normalize(run.env.seen[2:5])
    torch.testing.assert_close(run.rollout.obs, normalized)
