"""The rule of `KLAdaptiveRL` with float learning rates, its inputs and its arguments."""

from __future__ import annotations

import doctest
import inspect
import math
import random
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim.lr_scheduler import _LRScheduler

from rofunc_isaac.schedulers import kl_adaptive
from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL


def make_optimizer(*lrs: Any) -> torch.optim.Optimizer:
    groups = [{"params": [torch.nn.Parameter(torch.zeros(2))], "lr": lr} for lr in lrs]
    return torch.optim.SGD(groups, lr=1.0)


def make(*lrs: Any, **arguments: Any) -> KLAdaptiveRL:
    return KLAdaptiveRL(make_optimizer(*lrs), **arguments)


def rates(scheduler: KLAdaptiveRL) -> list[Any]:
    return [group["lr"] for group in scheduler.optimizer.param_groups]


def reference(
    lr: Any,
    kl: Any,
    threshold: float = 0.008,
    low: float = 1e-6,
    high: float = 1e-2,
    kl_factor: float = 2.0,
    lr_factor: float = 1.5,
) -> float:
    """The rule, written from its description."""
    if kl > threshold * kl_factor:
        return max(lr / lr_factor, low)
    if kl < threshold / kl_factor:
        return min(lr * lr_factor, high)
    return lr


def test_signature_is_the_promised_one() -> None:
    signature = inspect.signature(KLAdaptiveRL.__init__)
    assert [(p.name, p.default) for p in signature.parameters.values()][2:] == [
        ("kl_threshold", 0.008),
        ("min_lr", 1e-6),
        ("max_lr", 1e-2),
        ("kl_factor", 2),
        ("lr_factor", 1.5),
        ("last_epoch", -1),
        ("verbose", False),
    ]
    assert list(inspect.signature(KLAdaptiveRL.step).parameters) == ["self", "kl", "epoch"]
    assert _LRScheduler in KLAdaptiveRL.__mro__


def test_docstring_examples() -> None:
    failed, tried = doctest.testmod(kl_adaptive)
    assert failed == 0
    assert tried >= 10


def test_promised_examples() -> None:
    optimizer = make_optimizer(3e-4)
    scheduler = KLAdaptiveRL(optimizer, kl_threshold=0.01)
    for kl_divergence in (0.03, 0.01, 0.001):
        optimizer.step()
        scheduler.step(kl_divergence)
    assert rates(scheduler) == [pytest.approx(3e-4)]
    scheduler.step(torch.tensor([0.0332, 0.0500, 0.0383, 0.0076, 0.0240, 0.0164]).mean())
    assert rates(scheduler) == [pytest.approx(2e-4)]
    scheduler.step(0.0046)
    assert rates(scheduler) == [pytest.approx(3e-4)]


@pytest.mark.parametrize("verbose", [False, True])
def test_verbose_by_position_and_by_keyword(
    verbose: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    by_position = KLAdaptiveRL(make_optimizer(0.3), 0.008, 1e-6, 1.0, 2, 1.5, -1, verbose)
    by_keyword = make(0.3, max_lr=1.0, verbose=verbose)
    assert capsys.readouterr().out == ""
    for scheduler in (by_position, by_keyword):
        scheduler.step()
        scheduler.step(1.0)
    expected = "KLAdaptiveRL: KL 1.0000e+00, learning rate 2.0000e-01\n" * 2
    assert capsys.readouterr().out == (expected if verbose else "")


def test_construction_changes_no_rate() -> None:
    scheduler = make(0.3, 7)
    assert rates(scheduler) == [0.3, 7]
    assert scheduler.get_last_lr() == [0.3, 7]
    assert scheduler.last_epoch == 0


def test_comparisons_are_strict() -> None:
    scheduler = make(1e-3, kl_threshold=0.5)
    for kl in (1.0, 0.25, torch.tensor(1.0), torch.tensor(0.25)):
        scheduler.step(kl)
        assert rates(scheduler) == [1e-3]
    scheduler.step(math.nextafter(1.0, 2.0) if hasattr(math, "nextafter") else 1.0 + 1e-15)
    assert rates(scheduler) == [1e-3 / 1.5]
    scheduler.step(0.25 - 1e-15)
    assert rates(scheduler) == [1e-3 / 1.5 * 1.5]


def test_a_float32_kl_on_the_border_does_not_cross_it_by_rounding() -> None:
    for threshold in (0.008, 0.01, 0.012, 0.02):
        scheduler = make(1e-3, kl_threshold=threshold)
        scheduler.step(torch.tensor(threshold * 2))
        scheduler.step(torch.tensor(threshold / 2))
        assert rates(scheduler) == [1e-3]


def test_follows_the_rule_over_random_divergences() -> None:
    rng = random.Random(7)
    for _ in range(30):
        settings = {
            "kl_threshold": 10 ** rng.uniform(-3, -1),
            "kl_factor": rng.uniform(1, 4),
            "lr_factor": rng.uniform(1, 3),
            "min_lr": 10 ** rng.uniform(-7, -4),
            "max_lr": 10 ** rng.uniform(-4, -1),
        }
        expected = [10 ** rng.uniform(-8, 0) for _ in range(3)]
        scheduler = make(*expected, **settings)
        for _ in range(60):
            kl = rng.choice([0.0, math.inf, math.nan, 10 ** rng.uniform(-5, 1)])
            forms: list[Any] = [kl, np.float64(kl), torch.tensor(kl, dtype=torch.float64)]
            scheduler.step(rng.choice(forms))
            expected = [
                reference(
                    lr,
                    kl,
                    settings["kl_threshold"],
                    settings["min_lr"],
                    settings["max_lr"],
                    settings["kl_factor"],
                    settings["lr_factor"],
                )
                for lr in expected
            ]
            assert rates(scheduler) == expected
            assert all(type(lr) is float for lr in rates(scheduler))


def test_groups_move_from_their_own_rate() -> None:
    scheduler = make(8e-3, 4e-3, 1e-3)
    scheduler.step(1.0)
    assert rates(scheduler) == [8e-3 / 1.5, 4e-3 / 1.5, 1e-3 / 1.5]
    for _ in range(3):
        scheduler.step(0.0)
    first, second, third = rates(scheduler)
    assert first == 1e-2  # clamped
    assert second / third == pytest.approx(4.0)
    assert scheduler.at_bound() is True


def test_only_the_bound_that_a_move_heads_for_is_applied() -> None:
    above = make(0.9)
    above.step(0.008)
    assert rates(above) == [0.9]
    above.step(1.0)
    assert rates(above) == [0.9 / 1.5]
    above.step(0.0)
    assert rates(above) == [1e-2]
    below = make(1e-8)
    below.step(0.0)
    assert rates(below) == [1e-8 * 1.5]
    below.step(1.0)
    assert rates(below) == [1e-6]


@pytest.mark.parametrize("kl", [None, 0, 5, True, False, np.int64(3)])
def test_what_is_no_divergence_adjusts_nothing(kl: Any) -> None:
    scheduler = make(1e-3)
    scheduler.step(kl)
    assert rates(scheduler) == [1e-3]
    assert scheduler.nan_count == 0
    assert scheduler.last_epoch == 1


@pytest.mark.parametrize(
    "kl", [0.1, np.float32(0.1), torch.tensor(0.1), torch.full((1, 1, 1), 0.1), math.inf]
)
def test_large_divergences_of_every_type_lower_the_rate(kl: Any) -> None:
    scheduler = make(1e-3)
    scheduler.step(kl)
    assert rates(scheduler) == [1e-3 / 1.5]


def test_a_divergence_with_a_gradient_is_read_only() -> None:
    kl = torch.tensor(0.1, requires_grad=True)
    scheduler = make(1e-3)
    scheduler.step(kl * 2)
    assert rates(scheduler) == [1e-3 / 1.5]


@pytest.mark.parametrize("kl", [math.nan, torch.tensor(math.nan), torch.tensor([math.nan])])
def test_nan_keeps_the_rate_and_is_counted(kl: Any) -> None:
    scheduler = make(1e-3)
    scheduler.step(kl)
    scheduler.step(0.008)
    scheduler.step(kl)
    assert rates(scheduler) == [1e-3]
    assert type(scheduler.nan_count) is int
    assert scheduler.nan_count == 2


@pytest.mark.parametrize("shape", [(4,), (2, 3), (0,)])
def test_several_elements_are_refused_with_their_shape(shape: tuple[int, ...]) -> None:
    scheduler = make(1e-3)
    with pytest.raises(ValueError, match=re.escape(f"{shape}; ") + r".*kl\.mean\(\)"):
        scheduler.step(torch.zeros(shape))
    assert rates(scheduler) == [1e-3]
    assert scheduler.last_epoch == 0


@pytest.mark.parametrize("kl", ["0.1", [0.1], np.array([0.1]), 1j])
def test_other_types_are_refused(kl: Any) -> None:
    with pytest.raises(TypeError, match=type(kl).__name__):
        make(1e-3).step(kl)


def test_epoch_is_accepted_and_ignored_by_the_rule() -> None:
    scheduler = make(1e-3)
    scheduler.step(0.1, 40)
    assert scheduler.last_epoch == 40
    assert rates(scheduler) == [1e-3 / 1.5]
    scheduler.step(epoch=41)
    assert scheduler.last_epoch == 41
    assert rates(scheduler) == [1e-3 / 1.5]


def test_at_bound() -> None:
    assert make(1e-2).at_bound() is True
    assert make(1e-6).at_bound() is True
    assert make(0.5).at_bound() is True
    assert make(1e-3, 1e-4).at_bound() is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kl_threshold", 0.0),
        ("kl_threshold", -0.01),
        ("kl_threshold", math.nan),
        ("kl_threshold", math.inf),
        ("min_lr", -1e-6),
        ("min_lr", math.nan),
        ("min_lr", 0.1),  # above max_lr
        ("max_lr", 1e-9),  # below min_lr
        ("max_lr", math.nan),
        ("kl_factor", 0.5),
        ("kl_factor", math.nan),
        ("lr_factor", 0.9),
        ("lr_factor", math.inf),
    ],
)
def test_arguments_that_cannot_work_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=str(value)):
        make(1e-3, **{name: value})


@pytest.mark.parametrize("name", ["kl_threshold", "min_lr", "max_lr", "kl_factor", "lr_factor"])
@pytest.mark.parametrize("value", ["0.5", None, True])
def test_arguments_that_are_no_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=name):
        make(1e-3, **{name: value})


def test_edges_that_others_may_rely_on_are_accepted() -> None:
    scheduler = make(1.0, min_lr=0, max_lr=math.inf, kl_factor=1, lr_factor=2)
    scheduler.step(0.0)
    assert rates(scheduler) == [2.0]
    scheduler.step(0.009)
    assert rates(scheduler) == [1.0]
    scheduler.step(0.008)
    assert rates(scheduler) == [1.0]
    still = make(1e-3, lr_factor=1)
    still.step(1.0)
    assert rates(still) == [1e-3]


def test_refuses_what_is_no_optimizer() -> None:
    with pytest.raises(TypeError, match="is not an Optimizer"):
        KLAdaptiveRL([1e-3])  # type: ignore[arg-type]
