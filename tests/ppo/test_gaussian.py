"""Gaussians against torch.distributions in float64, from very narrow to very wide."""

from __future__ import annotations

import pytest
import torch
from torch.distributions import Independent, Normal
from torch.distributions import kl_divergence as reference_kl

from rofunc_isaac.ppo.gaussian import entropy, kl_divergence, log_prob
from tests.ppo.zipped import zipped

STDS = [1e-3, 0.02, 0.05, 0.3, 1.0, 10.0]


def gaussian(mean: torch.Tensor, log_std: torch.Tensor) -> Independent:
    return Independent(Normal(mean.double(), log_std.double().exp()), 1)


def draw(std: float, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Means (200, 8) and a log standard deviation (8,) about log(std)."""
    generator = torch.Generator().manual_seed(seed)
    mean = torch.randn(200, 8, generator=generator)
    return mean, torch.tensor(std).log() + 0.1 * torch.randn(8, generator=generator)


@pytest.mark.parametrize("std", STDS)
def test_log_prob(std: float) -> None:
    mean, log_std = draw(std)
    noise = torch.randn(200, 8, generator=torch.Generator().manual_seed(5))
    actions = mean + log_std.exp() * noise
    result = log_prob(actions, mean, log_std)
    assert result.shape == (200,)
    assert result.dtype == torch.float32
    reference = gaussian(mean, log_std).log_prob(actions.double())
    torch.testing.assert_close(result.double(), reference, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("std", STDS)
def test_entropy(std: float) -> None:
    mean, log_std = draw(std)
    reference = gaussian(mean[0], log_std).entropy()
    torch.testing.assert_close(entropy(log_std).double(), reference, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("std", STDS)
@pytest.mark.parametrize("shift", [0.01, 0.3, 3.0])
def test_kl(std: float, shift: float) -> None:
    """`shift` is the move of mean and log std, in old standard deviations."""
    old_mean, old_log_std = draw(std)
    generator = torch.Generator().manual_seed(2)
    new_mean = old_mean + shift * std * torch.randn(200, 8, generator=generator)
    new_log_std = old_log_std + 0.3 * shift * torch.randn(8, generator=generator)
    result = kl_divergence(old_mean, old_log_std, new_mean, new_log_std)
    assert result.shape == (200,)
    assert result.dtype == torch.float32
    reference = reference_kl(gaussian(old_mean, old_log_std), gaussian(new_mean, new_log_std))
    # Float32 means about 1 carry 6e-8: of a std of 1e-3 that is 6e-5.
    torch.testing.assert_close(result.double(), reference, rtol=2e-3, atol=1e-6)


def test_kl_in_one_dimension_by_hand() -> None:
    # KL(N(0, 1) || N(1, 2^2)) = log 2 + (1 + 1) / 8 - 1/2 = 0.6931472 - 0.25
    zero, one = torch.zeros(1), torch.ones(1)
    result = kl_divergence(zero, zero, one, torch.tensor([2.0]).log())
    assert float(result) == pytest.approx(0.4431472, abs=1e-6)
    # and the other way: KL(N(1, 4) || N(0, 1)) = -log 2 + (4 + 1) / 2 - 1/2
    result = kl_divergence(one, torch.tensor([2.0]).log(), zero, zero)
    assert float(result) == pytest.approx(1.3068528, abs=1e-6)


@pytest.mark.parametrize("std", STDS)
def test_kl_of_equal_distributions_is_exactly_zero(std: float) -> None:
    mean, log_std = draw(std)
    assert torch.equal(
        kl_divergence(mean, log_std, mean.clone(), log_std.clone()), torch.zeros(200)
    )


@pytest.mark.parametrize("move", [1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
def test_kl_of_near_distributions_is_not_negative_beyond_rounding(move: float) -> None:
    """The log std alone moves: its KL, move^2 an action, is smaller than what float32 resolves."""
    mean, log_std = draw(0.3)
    result = kl_divergence(mean, log_std, mean, log_std + move)
    # An expm1 of 2 * move is rounded to 6e-8 of it; eight of them are summed.
    assert float(result.min()) >= -8 * 2 * move * 6e-8 - 1e-12


@pytest.mark.parametrize("std", STDS)
def test_gradients_are_finite_and_right(std: float) -> None:
    old_mean, old_log_std = draw(std)
    actions = old_mean + old_log_std.exp()
    mean = (old_mean + 0.1 * std).requires_grad_()
    log_std = (old_log_std + 0.1).requires_grad_()
    mean64 = mean.detach().double().requires_grad_()
    log_std64 = log_std.detach().double().requires_grad_()

    def check(own: torch.Tensor, reference: torch.Tensor) -> None:
        grads = torch.autograd.grad(own.mean(), [mean, log_std], allow_unused=True)
        expected = torch.autograd.grad(reference.mean(), [mean64, log_std64], allow_unused=True)
        for grad, target in zipped(grads, expected):
            if grad is None or target is None:
                assert grad is target
                continue
            assert bool(grad.isfinite().all())
            tolerance = 1e-3 * float(target.abs().max()) + 1e-7
            torch.testing.assert_close(grad.double(), target, rtol=1e-3, atol=tolerance)

    reference = gaussian(mean64, log_std64).log_prob(actions.double())
    check(log_prob(actions, mean, log_std), reference)
    reference = reference_kl(gaussian(old_mean, old_log_std), gaussian(mean64, log_std64))
    check(kl_divergence(old_mean, old_log_std, mean, log_std), reference)
    check(entropy(log_std), gaussian(mean64.detach(), log_std64).entropy())
