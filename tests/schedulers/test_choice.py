"""`build_scheduler`: the rates of each choice against closed forms, in place, through a resume."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
import torch
from torch.optim.lr_scheduler import LRScheduler

from rofunc_isaac.schedulers.choice import build_scheduler
from rofunc_isaac.schedulers.config import SchedulerChoice
from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL


def make_optimizer(lr: Any) -> torch.optim.Optimizer:
    parameter = torch.nn.Parameter(torch.zeros(2))
    parameter.grad = torch.ones(2)
    return torch.optim.Adam([parameter], lr=lr, fused=True)


CLOSED_FORMS = {
    "constant": lambda progress, final: 1.0,
    "linear": lambda progress, final: 1.0 - progress * (1.0 - final),
    "cosine": lambda progress, final: final + (1.0 - final) * math.cos(math.pi * progress / 2) ** 2,
}


@pytest.mark.parametrize("name", sorted(CLOSED_FORMS))
@pytest.mark.parametrize("final", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("tensor_lr", [False, True])
def test_rates_follow_the_closed_form_and_a_tensor_stays_the_same_tensor(
    name: str, final: float, tensor_lr: bool
) -> None:
    lr = torch.tensor(3e-4) if tensor_lr else 3e-4
    optimizer = make_optimizer(lr)
    scheduler = build_scheduler(SchedulerChoice(name=name, final_lr_factor=final), optimizer, 10)
    assert isinstance(scheduler, LRScheduler)
    for iteration in range(15):  # five more than planned: the rate stays where it ended
        current = optimizer.param_groups[0]["lr"]
        expected = 3e-4 * CLOSED_FORMS[name](min(iteration / 10, 1.0), final)
        assert float(current) == pytest.approx(expected, rel=1e-6, abs=1e-15)
        if tensor_lr:
            assert current is lr
        else:
            assert type(current) is float
        optimizer.step()
        scheduler.step()


@pytest.mark.parametrize("name", sorted(CLOSED_FORMS))
def test_a_resumed_schedule_goes_on_and_may_be_longer(name: str) -> None:
    choice = SchedulerChoice(name=name, final_lr_factor=0.1)
    optimizer = make_optimizer(torch.tensor(1e-3))
    scheduler = build_scheduler(choice, optimizer, 10)
    for _ in range(4):
        optimizer.step()
        scheduler.step()
    file = io.BytesIO()
    torch.save([optimizer.state_dict(), scheduler.state_dict()], file)
    file.seek(0)
    optimizer_state, scheduler_state = torch.load(file, weights_only=True)

    resumed = make_optimizer(torch.tensor(5.0))
    resumed_scheduler = build_scheduler(choice, resumed, 20)
    resumed.load_state_dict(optimizer_state)
    resumed_scheduler.load_state_dict(scheduler_state)
    rate = resumed.param_groups[0]["lr"]
    assert float(rate) == pytest.approx(1e-3 * CLOSED_FORMS[name](0.4, 0.1), rel=1e-6)
    resumed.step()
    resumed_scheduler.step()
    assert resumed.param_groups[0]["lr"] is rate
    assert float(rate) == pytest.approx(1e-3 * CLOSED_FORMS[name](0.25, 0.1), rel=1e-6)


def test_kl_adaptive_gets_every_argument() -> None:
    choice = SchedulerChoice(
        name="kl_adaptive",
        kl_threshold=0.02,
        min_lr=1e-5,
        max_lr=1e-1,
        kl_factor=3.0,
        lr_factor=1.2,
    )
    scheduler = build_scheduler(choice, make_optimizer(1e-3), 10)
    assert isinstance(scheduler, KLAdaptiveRL)
    for name in ("kl_threshold", "min_lr", "max_lr", "kl_factor", "lr_factor"):
        assert getattr(scheduler, name) == getattr(choice, name)


def test_the_default_is_the_promised_kl_adaptive() -> None:
    scheduler = build_scheduler(SchedulerChoice(), make_optimizer(1e-3), 10)
    assert scheduler.state_dict() == KLAdaptiveRL(make_optimizer(1e-3)).state_dict()


@pytest.mark.parametrize("total_iterations", [0, -3])
def test_needs_an_iteration(total_iterations: int) -> None:
    with pytest.raises(ValueError, match="total_iterations"):
        build_scheduler(SchedulerChoice(name="linear"), make_optimizer(1e-3), total_iterations)
