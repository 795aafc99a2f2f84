"""`KLAdaptiveRL` beside torch's chaining schedulers, and through a checkpoint."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

import pytest
import torch
from torch.optim.lr_scheduler import ChainedScheduler, ConstantLR, SequentialLR

from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL


def make_optimizer(lr: Any, fused: Any = None) -> torch.optim.Optimizer:
    return torch.optim.Adam([torch.nn.Parameter(torch.zeros(2))], lr=lr, fused=fused)


def rate(optimizer: torch.optim.Optimizer) -> float:
    return float(optimizer.param_groups[0]["lr"])


def through_a_file(state: Any) -> Any:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)


@pytest.mark.parametrize("tensor_lr", [False, True])
def test_sequential_does_not_feed_it_epochs(tensor_lr: bool) -> None:
    optimizer = make_optimizer(torch.tensor(1e-3) if tensor_lr else 1e-3, fused=tensor_lr)
    warmup = ConstantLR(optimizer, factor=0.5, total_iters=2)
    adaptive = KLAdaptiveRL(optimizer)
    chain = SequentialLR(optimizer, [warmup, adaptive], milestones=[3])
    seen = []
    for _ in range(8):
        optimizer.step()
        chain.step()
        seen.append(rate(optimizer))
    assert seen == pytest.approx([5e-4] + [1e-3] * 7)
    assert float(chain.get_last_lr()[0]) == pytest.approx(1e-3)
    adaptive.step(1.0)
    assert rate(optimizer) == pytest.approx(1e-3 / 1.5)
    chain.step()
    assert rate(optimizer) == pytest.approx(1e-3 / 1.5)


def test_sequential_may_begin_with_it() -> None:
    optimizer = make_optimizer(1e-3)
    adaptive = KLAdaptiveRL(optimizer)
    tail = ConstantLR(optimizer, factor=1.0, total_iters=1)
    chain = SequentialLR(optimizer, [adaptive, tail], milestones=[4])
    for _ in range(3):
        optimizer.step()
        chain.step()
    adaptive.step(1.0)
    assert rate(optimizer) == pytest.approx(1e-3 / 1.5)


def test_chained_does_not_feed_it_epochs() -> None:
    optimizer = make_optimizer(1e-3)
    adaptive = KLAdaptiveRL(optimizer)
    chain = ChainedScheduler([adaptive, ConstantLR(optimizer, factor=1.0, total_iters=1)])
    for _ in range(4):
        optimizer.step()
        chain.step()
    assert rate(optimizer) == pytest.approx(1e-3)
    assert chain.get_last_lr() == pytest.approx([1e-3])
    restored = ChainedScheduler([adaptive, ConstantLR(optimizer, factor=1.0, total_iters=1)])
    restored.load_state_dict(through_a_file(chain.state_dict()))


def test_a_first_step_before_the_optimizers_is_no_cause_for_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler = KLAdaptiveRL(make_optimizer(1e-3))
        scheduler.step(0.1)
        scheduler.step()


@pytest.mark.parametrize("tensor_lr", [False, True])
@pytest.mark.parametrize("scheduler_first", [False, True])
def test_resume_keeps_the_restored_rate(tensor_lr: bool, scheduler_first: bool) -> None:
    def build() -> tuple[torch.optim.Optimizer, KLAdaptiveRL]:
        optimizer = make_optimizer(torch.tensor(1e-3) if tensor_lr else 1e-3, fused=tensor_lr)
        return optimizer, KLAdaptiveRL(optimizer)

    optimizer, scheduler = build()
    for kl in (1.0, 1.0, math.nan, 0.008):
        scheduler.step(torch.tensor(kl))
    saved = through_a_file(
        {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
    )

    new_optimizer, new_scheduler = build()
    if scheduler_first:
        new_scheduler.load_state_dict(saved["scheduler"])
        new_optimizer.load_state_dict(saved["optimizer"])
    else:
        new_optimizer.load_state_dict(saved["optimizer"])
        new_scheduler.load_state_dict(saved["scheduler"])
    assert rate(new_optimizer) == rate(optimizer)
    assert new_scheduler.get_last_lr() == scheduler.get_last_lr()
    assert new_scheduler.state_dict() == scheduler.state_dict()
    assert new_scheduler.nan_count == 1
    for kl in (1.0, 0.0, 0.008, 0.0):
        scheduler.step(torch.tensor(kl))
        new_scheduler.step(torch.tensor(kl))
        assert rate(new_optimizer) == rate(optimizer)


def test_building_it_on_a_restored_optimizer_keeps_the_restored_rate() -> None:
    optimizer = make_optimizer(1e-3)
    KLAdaptiveRL(optimizer).step(1.0)
    restored = make_optimizer(1e-3)
    restored.load_state_dict(optimizer.state_dict())
    scheduler = KLAdaptiveRL(restored)
    assert rate(restored) == 1e-3 / 1.5
    scheduler.step(1.0)
    assert rate(restored) == 1e-3 / 1.5 / 1.5


def test_groups_replaced_by_the_optimizer_are_followed() -> None:
    optimizer = make_optimizer(torch.tensor(1e-3), fused=True)
    scheduler = KLAdaptiveRL(optimizer)
    before = optimizer.param_groups[0]["lr"]
    optimizer.load_state_dict(optimizer.state_dict())
    after = optimizer.param_groups[0]["lr"]
    assert after is not before
    scheduler.step(torch.tensor(1.0))
    assert float(after) == pytest.approx(1e-3 / 1.5)
    assert before == torch.tensor(1e-3)


def test_the_state_is_plain_numbers_and_carries_the_settings() -> None:
    scheduler = KLAdaptiveRL(
        make_optimizer(torch.tensor(1e-3), fused=True),
        kl_threshold=0.02,
        min_lr=1e-5,
        max_lr=1e-1,
        kl_factor=3,
        lr_factor=1.2,
    )
    scheduler.step(torch.tensor(math.nan))
    state = scheduler.state_dict()
    assert all(type(value) in (int, float, bool) for value in state.values())
    other = KLAdaptiveRL(make_optimizer(torch.tensor(1e-3), fused=True))
    other.load_state_dict(through_a_file(state))
    assert other.state_dict() == state
    assert (other.kl_threshold, other.min_lr, other.max_lr) == (0.02, 1e-5, 1e-1)
    assert (other.kl_factor, other.lr_factor) == (3, 1.2)


def test_a_foreign_state_is_refused_and_changes_nothing() -> None:
    scheduler = KLAdaptiveRL(make_optimizer(1e-3))
    before = scheduler.state_dict()
    with pytest.raises(KeyError, match="nan_count"):
        scheduler.load_state_dict({"kl_threshold": 0.5, "last_epoch": 3})
    assert scheduler.state_dict() == before
