"""The terms of the loss against numbers worked out by hand."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.ppo.losses import bounds_loss, explained_variance, policy_loss, value_loss


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "gradient"),
    [
        # Clip range 0.2. A good action: beyond 1.2 nothing is won, below 0.8 nothing is hidden.
        (1.0, 2.0, -2.0, -2.0),
        (1.5, 2.0, -2.4, 0.0),
        (0.5, 2.0, -1.0, -2.0),
        # A bad action: below 0.8 nothing is won, beyond 1.2 nothing is hidden.
        (1.0, -2.0, 2.0, 2.0),
        (0.5, -2.0, 1.6, 0.0),
        (1.5, -2.0, 3.0, 2.0),
        (1.5, 0.0, 0.0, 0.0),
    ],
)
def test_policy_loss_on_both_sides(
    ratio: float, advantage: float, loss: float, gradient: float
) -> None:
    leaf = torch.tensor([ratio], requires_grad=True)
    result = policy_loss(leaf, torch.tensor([advantage]), 0.2)
    result.backward()
    assert float(result.detach()) == pytest.approx(loss)
    assert leaf.grad is not None
    assert float(leaf.grad) == pytest.approx(gradient)


def test_policy_loss_is_the_mean() -> None:
    result = policy_loss(torch.tensor([1.5, 1.5]), torch.tensor([2.0, -2.0]), 0.2)
    assert float(result) == pytest.approx((-2.4 + 3.0) / 2)


@pytest.mark.parametrize(
    ("value", "loss", "gradient"),
    [
        # Old value 1, return 3, clip range 0.2.
        (1.1, 3.61, -3.8),  # within the clip: (1.1 - 3)^2, 2 (1.1 - 3)
        (2.0, 3.24, 0.0),  # a move of 1 counts as one of 0.2: (1.2 - 3)^2, larger than (2 - 3)^2
        (0.0, 9.0, -6.0),  # away from the return: (0 - 3)^2, larger than (0.8 - 3)^2
        (6.0, 9.0, 6.0),  # far past it: (6 - 3)^2, larger than (1.2 - 3)^2
    ],
)
def test_value_loss(value: float, loss: float, gradient: float) -> None:
    leaf = torch.tensor([value], requires_grad=True)
    result = value_loss(leaf, torch.tensor([1.0]), torch.tensor([3.0]), 0.2)
    result.backward()
    assert float(result.detach()) == pytest.approx(loss)
    assert leaf.grad is not None
    assert float(leaf.grad) == pytest.approx(gradient)


def test_value_loss_without_clip_is_the_squared_error() -> None:
    values = torch.tensor([2.0, -7.0], requires_grad=True)
    result = value_loss(values, torch.tensor([1.0, 0.1]), torch.tensor([3.0, 1.0]), float("inf"))
    result.backward()
    assert float(result.detach()) == pytest.approx((1.0 + 64.0) / 2)
    assert values.grad is not None
    assert values.grad.tolist() == pytest.approx([-1.0, -8.0])


def test_bounds_loss() -> None:
    # Beyond 1.1: 0.4 and -0.9; the sum over actions of the squares, 0.16 + 0.81; mean of two.
    mean = torch.tensor([[1.5, -2.0], [1.1, -0.3]], requires_grad=True)
    result = bounds_loss(mean, 1.1)
    result.backward()
    assert float(result.detach()) == pytest.approx(0.97 / 2)
    assert mean.grad is not None
    assert mean.grad.flatten().tolist() == pytest.approx([0.4, -0.9, 0.0, 0.0])


def test_explained_variance() -> None:
    returns = torch.tensor([0.0, 2.0, 4.0])  # variance 8 / 3
    assert float(explained_variance(returns, returns)) == 1.0
    assert float(explained_variance(torch.full((3,), 9.0), returns)) == pytest.approx(0.0)
    # Residuals -1, 0, 1 have the variance 2 / 3.
    values = torch.tensor([1.0, 2.0, 3.0])
    assert float(explained_variance(values, returns)) == pytest.approx(0.75)
    assert float(explained_variance(values, torch.ones(3))) == 0.0
