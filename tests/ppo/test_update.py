"""The update against an independent PPO loss, and what the scheduler is handed."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch
from torch.distributions import Independent, Normal, kl_divergence

from rofunc_isaac.cuda_graphs import Graphed
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.update import column
from rofunc_isaac.schedulers.config import SchedulerChoice
from tests.ppo.toy_env import reach_learner
from tests.ppo.zipped import zipped


def policy_of(network: ActorCritic, obs: torch.Tensor) -> tuple[Independent, torch.Tensor]:
    mean, value = network(obs)
    return Independent(Normal(mean, network.log_std.exp()), 1), value


def reference_loss(network: ActorCritic, learner: Learner) -> torch.Tensor:
    """PPO's loss over the whole rollout, written after the paper, sample by sample."""
    config, rollout = learner.config, learner.rollout
    policy, values = policy_of(network, rollout.obs.flatten(0, 1))
    old_policy = Independent(Normal(rollout.old_mean.flatten(0, 1), rollout.old_log_std.exp()), 1)
    actions = rollout.actions.flatten(0, 1)
    advantages = rollout.advantages.flatten()
    if config.normalize_advantages:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratios = (policy.log_prob(actions) - old_policy.log_prob(actions)).exp()
    surrogate = []
    for ratio, advantage in zipped(ratios, advantages):
        if advantage > 0:
            surrogate.append(advantage * min(ratio, torch.tensor(1.0 + config.clip_range)))
        else:
            surrogate.append(advantage * max(ratio, torch.tensor(1.0 - config.clip_range)))
    loss = -torch.stack(surrogate).mean()

    old_values, returns = rollout.values.flatten(), rollout.returns.flatten()
    if config.normalize_values:
        scale = (learner.value_normalizer.var + 1e-5).sqrt()
        shift = learner.value_normalizer.mean
        old_values = ((old_values - shift) / scale).clamp(-5, 5).float()
        returns = ((returns - shift) / scale).clamp(-5, 5).float()
    errors = []
    for value, old, target in zipped(values, old_values, returns):
        error = (value - target) ** 2
        if config.clip_value_loss:
            near = min(max(value, old - config.clip_range), old + config.clip_range)
            error = max(error, (near - target) ** 2)
        errors.append(error)
    loss = loss + config.critic_coef * torch.stack(errors).mean() / 2
    loss = loss - config.entropy_coef * policy.entropy().mean()
    excess = torch.relu(policy.mean.abs() - config.bounds_limit)
    return loss + config.bounds_loss_coef * (excess**2).sum(1).mean()


def moved_away(learner: Learner) -> ActorCritic:
    """Gather, then move the policy as earlier minibatches would have; a copy of the network."""
    learner.gather()
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in learner.network.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return copy.deepcopy(learner.network)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"clip_value_loss": False, "normalize_values": False, "critic_coef": 1.0},
        {"entropy_coef": 0.01, "bounds_limit": 0.2, "bounds_loss_coef": 0.5},
        {"normalize_advantages": False, "normalize_observations": False, "clip_range": 0.05},
    ],
    ids=lambda settings: "-".join(settings) or "defaults",
)
def test_gradients_and_step_are_those_of_an_independent_ppo(settings: dict[str, Any]) -> None:
    learner = reach_learner(num_minibatches=1, mini_epochs=1, **settings)
    learner.iterate()  # so that the normalisers have something to apply
    network = moved_away(learner)
    momentum = copy.deepcopy(learner.optimizer.state_dict())
    learner.learn()
    assert 0.02 < float(column(learner.updater.log, "clip_fraction")) < 0.98
    if "bounds_limit" in settings:
        assert float(column(learner.updater.log, "bounds_loss")) > 0

    reference_loss(network, learner).backward()
    own = dict(learner.network.named_parameters())
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None
        torch.testing.assert_close(own[name].grad, parameter.grad, rtol=1e-3, atol=2e-6)

    optimizer = torch.optim.Adam(network.parameters(), lr=1.0, foreach=False)
    optimizer.load_state_dict(momentum)
    for group in optimizer.param_groups:
        group.update(lr=float(learner.updater.learning_rate), fused=False)
    for name, parameter in network.named_parameters():
        parameter.grad = own[name].grad
    optimizer.step()
    for name, parameter in network.named_parameters():
        torch.testing.assert_close(own[name], parameter, rtol=1e-5, atol=1e-7)


def test_gradients_are_scaled_to_the_limit() -> None:
    free = reach_learner(num_minibatches=1, mini_epochs=1)
    limited = reach_learner(num_minibatches=1, mini_epochs=1, max_grad_norm=0.05)
    for learner in (free, limited):
        learner.gather()
        learner.learn()
    norm = column(free.updater.log, "grad_norm")
    assert float(norm) > 0.1
    assert torch.equal(column(limited.updater.log, "grad_norm"), norm)
    pairs = zipped(free.network.parameters(), limited.network.parameters())
    for unscaled, scaled in pairs:
        assert unscaled.grad is not None
        torch.testing.assert_close(scaled.grad, unscaled.grad * (0.05 / norm), rtol=1e-4, atol=1e-9)


class Recorded:
    """One iteration whose minibatches and scheduler calls are written down."""

    def __init__(self, learner: Learner) -> None:
        self.kls: list[float] = []
        self.handed: list[float | None] = []
        self.rates: list[float] = []
        self.updater = learner.updater
        objective, step = learner.updater.objective, learner.scheduler.step

        def record_kl(batch: Any, old_log_std: Any) -> Any:
            with torch.no_grad():
                policy, _ = policy_of(
                    copy.deepcopy(learner.network).double(), batch["obs"].double()
                )
            old = Independent(Normal(batch["old_mean"].double(), old_log_std.double().exp()), 1)
            self.kls.append(float(kl_divergence(old, policy).mean()))
            return objective(batch, old_log_std)

        def record_step(*kl: Any) -> None:
            self.handed += [None if value is None else float(value) for value in kl]
            step(*kl)
            self.rates.append(float(learner.updater.learning_rate))

        learner.updater.objective = record_kl  # type: ignore[assignment]
        learner.scheduler.step = record_step  # type: ignore[method-assign,assignment]
        learner.iterate()

    @property
    def log_kl(self) -> list[float]:
        return column(self.updater.log, "kl").tolist()


def test_logged_kl_is_exact_and_nan_in_the_first_minibatch() -> None:
    record = Recorded(reach_learner(num_minibatches=4, mini_epochs=3, learning_rate=3e-3))
    assert len(record.kls) == 12
    assert record.kls[0] == pytest.approx(0.0, abs=1e-10)
    assert math.isnan(record.log_kl[0])
    assert min(record.kls[1:]) > 1e-5
    assert record.log_kl[1:] == pytest.approx(record.kls[1:], rel=1e-3)


def test_every_minibatch_is_handed_its_kl_but_the_first() -> None:
    record = Recorded(reach_learner(num_minibatches=2, mini_epochs=2))
    assert record.handed == [None, *record.log_kl[1:]]


def test_the_first_minibatch_can_be_fed() -> None:
    choice = SchedulerChoice(feed_first_minibatch=True)
    learner = reach_learner(num_minibatches=2, mini_epochs=2, choice=choice)
    record = Recorded(learner)
    assert record.handed[0] == pytest.approx(0.0, abs=1e-7)
    assert record.handed[1:] == record.log_kl[1:]
    # 0 is below every threshold: the rate rises before the first step.
    assert record.rates[0] == pytest.approx(3e-4 * 1.5)
    assert float(column(learner.updater.log, "lr")[0]) == pytest.approx(3e-4 * 1.5)


def test_an_epoch_hands_over_its_mean_without_the_updates_first() -> None:
    choice = SchedulerChoice(update_every="epoch")
    record = Recorded(reach_learner(num_minibatches=2, mini_epochs=3, choice=choice))
    kl = record.log_kl
    expected = [kl[1], (kl[2] + kl[3]) / 2, (kl[4] + kl[5]) / 2]
    assert record.handed == pytest.approx(expected, rel=1e-5)


def test_an_epoch_that_is_the_first_minibatch_hands_over_none() -> None:
    choice = SchedulerChoice(update_every="epoch")
    learner = reach_learner(num_minibatches=1, mini_epochs=3, choice=choice)
    record = Recorded(learner)
    assert record.handed == [None, *record.log_kl[1:]]
    assert int(learner.scheduler.nan_count) == 0


def test_an_iteration_hands_over_the_mean_of_all_without_the_first() -> None:
    choice = SchedulerChoice(update_every="iteration")
    record = Recorded(reach_learner(num_minibatches=2, mini_epochs=2, choice=choice))
    assert record.handed == pytest.approx([sum(record.log_kl[1:]) / 3], rel=1e-5)


@pytest.mark.parametrize("every", ["minibatch", "epoch", "iteration"])
def test_an_update_of_one_minibatch_has_no_kl(every: str) -> None:
    choice = SchedulerChoice(update_every=every)
    learner = reach_learner(num_minibatches=1, mini_epochs=1, choice=choice)
    metrics = learner.iterate()
    assert metrics["train/lr_next"] == pytest.approx(3e-4)
    assert metrics["train/kl_mean"] is None
    assert metrics["train/kl_max"] is None
    assert metrics["train/kl_nan_count"] == 0
    assert learner.updates == []


def test_the_rate_of_each_step_follows_the_rule_from_the_logged_kl() -> None:
    choice = SchedulerChoice(kl_threshold=0.004, min_lr=1e-5, max_lr=2e-3, lr_factor=2.0)
    learner = reach_learner(num_minibatches=4, mini_epochs=4, learning_rate=1e-3, choice=choice)
    rate, moves = 1e-3, set()
    for _ in range(4):
        learner.iterate()
        log = learner.updater.log
        for kl, used in zipped(column(log, "kl").tolist(), column(log, "lr").tolist()):
            before = rate
            if kl > 0.008:
                rate = max(rate / 2.0, 1e-5)
            elif kl < 0.002:
                rate = min(rate * 2.0, 2e-3)
            moves.add((rate > before) - (rate < before))
            assert used == pytest.approx(rate, rel=1e-5)
    assert moves == {-1, 0, 1}
    assert float(learner.updater.learning_rate) == pytest.approx(rate, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("constant", [1.0, 1.0, 1.0]),
        ("linear", [1.0, 0.75, 0.5]),
        ("cosine", [1.0, 0.5 + 0.5 * math.cos(math.pi / 4), 0.5]),
    ],
)
def test_other_schedulers_step_once_an_iteration(name: str, expected: list[float]) -> None:
    choice = SchedulerChoice(name=name)
    learner = reach_learner(num_minibatches=2, mini_epochs=2, max_iterations=4, choice=choice)
    rate = learner.updater.learning_rate
    for factor in expected:
        assert float(rate) == pytest.approx(3e-4 * factor)
        metrics = learner.iterate()
        assert metrics["train/lr"] == pytest.approx(3e-4 * factor)
        assert column(learner.updater.log, "lr").tolist() == pytest.approx([3e-4 * factor] * 4)
        assert metrics["train/lr_at_bound"] == 0.0
        assert metrics["train/lr_next"] == pytest.approx(float(rate))
    assert learner.optimizer.param_groups[0]["lr"] is rate


@pytest.mark.parametrize("every", ["minibatch", "epoch", "iteration"])
def test_the_rate_is_one_tensor_for_good(every: str) -> None:
    learner = reach_learner(choice=SchedulerChoice(update_every=every, kl_threshold=1e-7))
    rate = learner.optimizer.param_groups[0]["lr"]
    learner.iterate()
    assert learner.optimizer.param_groups[0]["lr"] is rate
    assert learner.updater.learning_rate is rate
    assert float(rate) != pytest.approx(3e-4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("limit", [None, 1.0])
def test_a_step_whose_gradient_is_not_finite_is_skipped(bad: float, limit: float | None) -> None:
    """The second of three minibatches gets a bad gradient in one parameter."""
    learner = reach_learner(
        num_envs=12, num_minibatches=3, mini_epochs=1, max_grad_norm=limit, learning_rate=1e-3
    )
    states: list[dict[str, torch.Tensor]] = []
    broken = {"now": False}
    learner.network.mean_head.bias.register_hook(lambda grad: grad * bad if broken["now"] else None)

    def breaking(index: torch.Tensor) -> torch.Tensor:
        broken["now"] = len(states) == 1
        row = learner.updater.minibatch(index, is_first=not states)
        state = {f"p.{k}": v.clone() for k, v in learner.network.state_dict().items()}
        for index, moments in learner.optimizer.state_dict()["state"].items():
            state.update({f"o.{index}.{k}": v.clone() for k, v in moments.items()})
        states.append(state)
        return row

    cpu = torch.device("cpu")
    learner.updater.graphed_first = learner.updater.graphed = Graphed("breaking", breaking, cpu)
    metrics = learner.iterate()
    for name, value in states[0].items():
        assert torch.equal(states[1][name], value), name
        assert not torch.equal(states[2][name], value), name
        assert bool(states[2][name].isfinite().all())
    assert metrics["train/skipped_updates"] == 1
    assert column(learner.updater.log, "skipped").tolist() == [0, 1, 0]
    assert learner.iterate()["train/skipped_updates"] == 0


def test_training_goes_on_after_a_broken_reward() -> None:
    """One NaN spoils its iteration's advantages, and nothing after it."""
    learner = reach_learner()
    learner.iterate()
    before = {k: v.clone() for k, v in learner.network.state_dict().items()}
    step = learner.env.step
    learner.env.step = lambda actions: step(actions)._replace(  # type: ignore[method-assign]
        reward=torch.full((16,), float("nan"))
    )
    rate = float(learner.updater.learning_rate)
    metrics = learner.iterate()
    assert metrics["train/skipped_updates"] == 8
    assert metrics["train/lr_next"] == rate  # a policy that stood still says nothing of steps
    assert math.isnan(metrics["train/reward_mean"])
    assert math.isnan(metrics["train/kl_mean"])
    for name, value in learner.network.state_dict().items():
        assert torch.equal(value, before[name]), name
    learner.env.step = step  # type: ignore[method-assign]
    metrics = learner.iterate()
    assert metrics["train/skipped_updates"] == 0
    assert metrics["train/value_loss"] is not None
    assert any(
        not torch.equal(value, before[name]) for name, value in learner.network.state_dict().items()
    )


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_rollouts_policy_seen_by_the_update_has_no_kl(precision: str) -> None:
    """Shuffled minibatches go through the same numbers: below 5% of the threshold at std 0.05."""
    learner = reach_learner(
        num_envs=512,
        precision=precision,
        hidden_sizes=[256, 128, 64],
        initial_log_std=math.log(0.05),
        num_minibatches=4,
        mini_epochs=1,
        learning_rate=0.0,
        choice=SchedulerChoice(name="constant"),
    )
    learner.iterate()  # the second has statistics to apply
    learner.iterate()
    first, *rest = column(learner.updater.log, "kl").abs().tolist()
    assert math.isnan(first)
    assert len(rest) == 3
    assert max(rest) < 0.05 * 0.008
