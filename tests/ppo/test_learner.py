"""Training on the toy environment: it learns, it repeats, it goes on."""

from __future__ import annotations

import copy
import inspect
import io
import math
from typing import Any

import pytest
import torch
from torch.optim.lr_scheduler import LRScheduler

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.ppo.update import column
from rofunc_isaac.schedulers.config import SchedulerChoice
from tests.no_sync import NoSync
from tests.ppo.toy_env import ReachEnv, ScriptedEnv, reach_learner, small_config
from tests.ppo.zipped import zipped

KEYS = {
    *{"iteration", "env_steps", "wall_time_s", "train/return_mean", "train/episode_length_mean"},
    *{"train/kl_mean", "train/kl_max", "train/lr", "train/lr_next", "train/lr_at_bound"},
    *{"train/clip_fraction", "train/explained_variance", "train/entropy", "train/grad_norm"},
    *{"train/action_std", "train/policy_loss", "train/value_loss", "train/bounds_loss"},
    *{"train/skipped_updates", "train/kl_nan_count", "train/episodes", "train/reward_mean"},
    *{"perf/env_steps_per_s", "perf/rollout_env_steps_per_s", "perf/update_env_steps_per_s"},
    "env/steps_mean",
}
TIMES = {key for key in KEYS if key.startswith("perf/")} | {"wall_time_s"}
MISSING = {"train/return_mean", "train/episode_length_mean"}


def without_times(metrics: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metrics.items() if key not in TIMES}


def resumed_from(learner: Learner, **settings: Any) -> Learner:
    """A new learner on a new env, both in the state that went through a file."""
    file = io.BytesIO()
    torch.save([learner.state_dict(), learner.env.state_dict()], file)  # type: ignore[attr-defined]
    file.seek(0)
    state, env_state = torch.load(file, weights_only=True)
    other = reach_learner(seed=99, **settings)
    other.load_state_dict(state)
    other.env.load_state_dict(env_state)  # type: ignore[attr-defined]
    other.obs = other.env.obs  # type: ignore[attr-defined]
    return other


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_it_learns(precision: str) -> None:
    """The best return is 0. At the start it is about -2 a step: std 1 in two dimensions."""
    learner = reach_learner(
        num_envs=64, precision=precision, learning_rate=3e-3, initial_log_std=-0.5
    )
    first = learner.iterate()["train/return_mean"]
    assert isinstance(first, float)
    assert first < -2.5
    for _ in range(60):
        metrics = learner.iterate()
    last, std = metrics["train/return_mean"], metrics["train/action_std"]
    assert isinstance(last, float)
    assert isinstance(std, float)
    assert last > -0.6
    # What is left is the noise, std^2 in two dimensions over about 4.7 steps: the mean is right.
    assert std < 0.25
    with torch.no_grad():
        obs = learner.rollout.obs.flatten(0, 1)
        mean, _ = learner.network(obs)
        raw = obs.float() * learner.obs_normalizer.applied_std + learner.obs_normalizer.applied_mean
    target = torch.stack([raw[:, 0], -raw[:, 1]], dim=1) / 2
    assert float((mean - target).square().sum(1).mean()) < 0.02


def test_it_learns_where_the_value_sees_states_alone() -> None:
    env = ReachEnv(64, seed=0)
    env.num_states = 1
    learner = Learner(env, small_config(learning_rate=3e-3), SchedulerChoice(), 0)
    assert learner.network.trunk[0].weight.shape[1] == 2
    assert learner.network.critic_trunk is not None
    assert learner.network.critic_trunk[0].weight.shape == (32, 1)
    first = learner.iterate()["train/return_mean"]
    for _ in range(40):
        last = learner.iterate()["train/return_mean"]
    assert first is not None
    assert last is not None
    assert last > 0.5 * first


def test_a_seed_repeats_and_another_does_not() -> None:
    runs = [reach_learner(seed=seed) for seed in (5, 5, 6)]
    torch.manual_seed(0)  # whatever torch's own generator does meanwhile
    numbers = []
    for learner in runs:
        numbers.append([without_times(learner.iterate()) for _ in range(4)])
        torch.rand(3)
    assert numbers[0] == numbers[1]
    assert numbers[0] != numbers[2]
    for name, value in runs[0].network.state_dict().items():
        assert torch.equal(value, runs[1].network.state_dict()[name]), name


def test_the_global_generator_is_left_alone() -> None:
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    reach_learner(seed=5).iterate()
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("name", ["kl_adaptive", "linear", "cosine", "constant"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_stopping_and_going_on_changes_nothing(name: str, precision: str) -> None:
    settings = {"precision": precision, "max_iterations": 8, "max_grad_norm": 1.0}
    choice = SchedulerChoice(name=name, kl_threshold=0.002)
    learner = reach_learner(choice=choice, **settings)
    for _ in range(4):
        learner.iterate()
    other = resumed_from(learner, choice=choice, **settings)
    rate = other.updater.learning_rate
    assert float(rate) == float(learner.updater.learning_rate)
    if name != "constant":
        assert float(rate) != pytest.approx(3e-4)
    for normalizer in ("obs_normalizer", "value_normalizer"):
        assert float(getattr(other, normalizer).count) == 4 * 8 * 16
    for _ in range(4):
        assert without_times(other.iterate()) == without_times(learner.iterate())
        assert other.updates == learner.updates
    assert other.optimizer.param_groups[0]["lr"] is rate
    for key, value in learner.network.state_dict().items():
        assert torch.equal(value, other.network.state_dict()[key]), key
    assert str(other.scheduler.state_dict()) == str(learner.scheduler.state_dict())


def test_state_is_plain_data_and_loads_into_a_learner_under_way() -> None:
    learner, other = reach_learner(), reach_learner(seed=3)
    for _ in range(3):
        learner.iterate()
        other.iterate()
    state = copy.deepcopy(learner.state_dict())
    other.load_state_dict(state)
    assert other.obs is None
    assert (other.iteration, other.env_steps) == (3, 3 * 128)
    assert other.wall_time == learner.wall_time
    assert other.iterate()["iteration"] == 4


def test_new_episodes_do_not_inherit_what_the_old_ones_had_earned() -> None:
    """Rewards 1, episodes of 4; stopped in the middle of one."""
    script = ScriptedEnv([[1.0] * 4], ["...X"])
    learner = Learner(script, small_config(horizon_length=6, num_minibatches=1), SchedulerChoice())
    learner.iterate()
    other = Learner(script, small_config(horizon_length=6, num_minibatches=1), SchedulerChoice())
    other.load_state_dict(copy.deepcopy(learner.state_dict()))
    metrics = other.iterate()
    assert metrics["train/episodes"] == 2
    assert metrics["train/return_mean"] == 4.0
    assert metrics["train/episode_length_mean"] == 4.0


def test_settings_of_the_scheduler_may_change_on_resume() -> None:
    learner = reach_learner()
    learner.iterate()
    rate = float(learner.updater.learning_rate)
    other = resumed_from(learner, choice=SchedulerChoice(kl_threshold=1e-9))
    assert other.scheduler.kl_threshold == 1e-9  # type: ignore[union-attr]
    assert other.scheduler.last_epoch == learner.scheduler.last_epoch
    assert float(other.updater.learning_rate) == rate
    other.iterate()  # seven KLs, all above
    assert float(other.updater.learning_rate) == pytest.approx(rate / 1.5**7, rel=1e-5)


def test_another_scheduler_may_take_over_on_resume() -> None:
    """Eight KLs an iteration have been counted; the line goes on by iterations."""
    learner = reach_learner(max_iterations=10)
    for _ in range(2):
        learner.iterate()
    line = resumed_from(learner, choice=SchedulerChoice(name="linear"), max_iterations=10)
    metrics = line.iterate()
    assert metrics["train/lr_next"] == pytest.approx(3e-4 * 0.7)
    back = resumed_from(line, max_iterations=10)
    assert back.iterate()["train/lr"] == pytest.approx(3e-4 * 0.7)


@pytest.mark.parametrize(
    ("name", "factor"), [("linear", 0.6), ("cosine", 0.5 + 0.5 * math.cos(0.4 * math.pi))]
)
def test_a_finished_schedule_goes_on_where_a_longer_one_would_be(name: str, factor: float) -> None:
    """At its end, after 4 of 4 iterations, the rate was 0; 4 of 10 are another point."""
    choice = SchedulerChoice(name=name)
    learner = reach_learner(choice=choice, max_iterations=4)
    for _ in range(4):
        learner.iterate()
    assert float(learner.updater.learning_rate) == pytest.approx(0.0, abs=1e-9)
    longer = resumed_from(learner, choice=choice, max_iterations=10)
    assert longer.iterate()["train/lr"] == pytest.approx(3e-4 * factor)


def test_an_update_of_one_minibatch_has_no_kl() -> None:
    learner = reach_learner(num_minibatches=1, mini_epochs=1)
    metrics = learner.iterate()
    assert (metrics["train/kl_mean"], metrics["train/kl_max"]) == (None, None)


def test_observations_are_renormalised_after_the_update_and_values_before_it() -> None:
    learner = reach_learner()
    obs_normalizer, value_normalizer = learner.obs_normalizer, learner.value_normalizer
    run = learner.updater.run
    during: list[torch.Tensor] = []

    def spying(*arguments: Any) -> None:
        run(*arguments)
        during.extend([obs_normalizer.applied_mean.clone(), value_normalizer.applied_mean.clone()])

    learner.updater.run = spying  # type: ignore[method-assign]
    learner.iterate()
    assert torch.equal(during[0], torch.zeros(3))
    assert float(during[1]) == pytest.approx(float(learner.rollout.returns.mean()), rel=1e-5)
    assert torch.equal(obs_normalizer.applied_mean, obs_normalizer.mean.float())
    assert not torch.equal(obs_normalizer.applied_mean, during[0])


@pytest.mark.parametrize("name", ["kl_adaptive", "cosine"])
def test_metrics_are_complete_plain_numbers(name: str) -> None:
    learner = reach_learner(horizon_length=2, choice=SchedulerChoice(name=name))
    for iteration in range(1, 5):
        metrics = learner.iterate()
        assert metrics.keys() == KEYS
        for key, value in metrics.items():
            if value is None:
                assert key in MISSING
                assert metrics["train/episodes"] == 0
            else:
                assert type(value) in (int, float), key
                assert math.isfinite(value), key
        assert metrics["iteration"] == iteration
        assert metrics["env_steps"] == iteration * 32


def test_nothing_stands_for_returns_before_the_first_episode() -> None:
    env = ScriptedEnv([[1.0] * 4] * 2, ["...X", "...."])
    learner = Learner(env, small_config(horizon_length=2, num_minibatches=1), SchedulerChoice())
    metrics = learner.iterate()
    assert metrics["train/return_mean"] is None
    assert metrics["train/episode_length_mean"] is None
    metrics = learner.iterate()
    assert (metrics["train/return_mean"], metrics["train/episode_length_mean"]) == (4.0, 4.0)


def test_metrics_are_what_they_say() -> None:
    learner = reach_learner(horizon_length=32, reward_scale=0.1, initial_log_std=-0.5)
    metrics = learner.iterate()
    rollout, log = learner.rollout, learner.updater.log
    kl = column(log, "kl")[1:]
    expected = {
        "train/kl_mean": kl.mean(),
        "train/kl_max": kl.max(),
        "train/lr": column(log, "lr")[0],
        "train/lr_next": learner.optimizer.param_groups[0]["lr"],
        "train/reward_mean": rollout.rewards.mean() * 10,
        "train/action_std": learner.network.log_std.exp().mean(),
        "train/entropy": torch.distributions.Normal(0.0, learner.network.log_std.exp())
        .entropy()
        .sum(),
        "train/explained_variance": 1
        - (rollout.returns - rollout.values).var() / rollout.returns.var(),
    }
    for key, value in expected.items():
        assert metrics[key] == pytest.approx(float(value.detach()), rel=1e-4), key
    rates = column(log, "lr")[1:].tolist()
    assert learner.updates == list(zipped(kl.tolist(), rates))


def test_the_share_of_updates_at_a_bound() -> None:
    choice = SchedulerChoice(kl_threshold=1e-12, min_lr=1e-4, lr_factor=10.0)
    learner = reach_learner(choice=choice)
    # The first minibatch keeps 3e-4; the second, and all after it, stand at the bound.
    assert learner.iterate()["train/lr_at_bound"] == pytest.approx(7 / 8)
    assert learner.iterate()["train/lr_at_bound"] == 1.0


def test_a_size_that_does_not_divide_is_refused() -> None:
    with pytest.raises(ConfigError, match="train.minibatch_size=48 does not divide .* 32, 64"):
        reach_learner(minibatch_size=48)


CHOICES = [
    SchedulerChoice(),
    SchedulerChoice(feed_first_minibatch=True),
    SchedulerChoice(update_every="epoch"),
    SchedulerChoice(update_every="iteration"),
    SchedulerChoice(name="linear"),
    SchedulerChoice(name="cosine"),
]


@pytest.mark.parametrize(
    "choice", CHOICES, ids=lambda choice: f"{choice.name}-{choice.update_every}"
)
def test_nothing_waits_from_the_rollouts_first_step_to_the_updates_last(
    choice: SchedulerChoice,
) -> None:
    torchs_own = choice.name in ("linear", "cosine")
    if torchs_own and "verbose" in inspect.signature(LRScheduler.__init__).parameters:
        pytest.skip("to print the rate, this torch's own schedulers read it on the host")
    settings = {"horizon_length": 4, "mini_epochs": 2, "precision": "bfloat16"}
    learner = reach_learner(choice=choice, max_grad_norm=1.0, **settings)
    for _ in range(2):
        with NoSync():
            learner.gather()
            learner.learn()
        learner.read_metrics()


def test_any_env_of_the_contract_will_do() -> None:
    """A single env, a single step, no promise about the length of episodes."""
    env = ReachEnv(1)
    env.max_episode_length = None
    config = small_config(horizon_length=4, num_minibatches=1)
    metrics = Learner(env, config, SchedulerChoice()).iterate()
    assert metrics["train/skipped_updates"] == 0
