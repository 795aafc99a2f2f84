"""Advantages against episodes worked out by hand, with gamma 1/2 and lambda 1/2 (product 1/4)."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.ppo.gae import compute_advantages


def advantages(
    rewards: list[float],
    values: list[float],
    next_values: list[float],
    ends: list[int],
    gamma: float = 0.5,
    gae_lambda: float = 0.5,
) -> list[float]:
    """Of one env; `ends` are the steps with which an episode ended."""
    done = torch.zeros(len(rewards), 1, dtype=torch.bool)
    done[ends] = True
    columns = [torch.tensor(numbers)[:, None] for numbers in (rewards, values, next_values)]
    out = torch.full((len(rewards), 1), float("nan"))
    assert compute_advantages(*columns, done, gamma, gae_lambda, out) is out
    return out[:, 0].tolist()


def test_an_episode_that_goes_on() -> None:
    # delta_2 = 3 + 0.5 * 8 - 4 = 3                 A_2 = 3
    # delta_1 = 2 + 0.5 * 4 - 6 = -2                A_1 = -2 + 3 / 4    = -1.25
    # delta_0 = 1 + 0.5 * 6 - 2 = 2                 A_0 = 2 - 1.25 / 4  = 1.6875
    assert advantages([1, 2, 3.0], [2, 6, 4.0], [6, 4, 8.0], []) == [1.6875, -1.25, 3.0]


def test_termination_is_worth_nothing_and_cuts() -> None:
    # delta_2 = 3 + 4 - 4 = 3                       A_2 = 3: of the next episode
    # delta_1 = 2 + 0 - 6 = -4                      A_1 = -4: nothing comes through from A_2
    # delta_0 = 1 + 3 - 2 = 2                       A_0 = 2 - 4 / 4     = 1
    assert advantages([1, 2, 3.0], [2, 6, 4.0], [6, 0, 8.0], [1]) == [1.0, -4.0, 3.0]


def test_truncation_is_worth_its_final_state_and_cuts() -> None:
    # V(final) = 10: delta_1 = 2 + 5 - 6 = 1        A_1 = 1
    # delta_0 = 2                                   A_0 = 2 + 1 / 4     = 2.25
    assert advantages([1, 2, 3.0], [2, 6, 4.0], [6, 10, 8.0], [1]) == [2.25, 1.0, 3.0]


def test_several_ends_in_one_rollout() -> None:
    # Ends at 0 (terminated), 2 (truncated, V(final) 4), 4 (terminated, the rollout's last step).
    # A_4 = 5 + 0 - 1 = 4
    # delta_3 = 4 + 0.5 * 1 - 2 = 2.5               A_3 = 2.5 + 4 / 4     = 3.5
    # A_2 = 3 + 0.5 * 4 - 3 = 2
    # delta_1 = 2 + 0.5 * 3 - 4 = -0.5              A_1 = -0.5 + 2 / 4    = 0
    # A_0 = 1 + 0 - 5 = -4
    result = advantages([1, 2, 3, 4, 5.0], [5, 4, 3, 2, 1.0], [0, 3, 4, 1, 0.0], [0, 2, 4])
    assert result == [-4.0, 0.0, 2.0, 3.5, 4.0]


def test_lambda_0_is_one_step_temporal_difference() -> None:
    generator = torch.Generator().manual_seed(0)
    rewards, values, next_values = torch.randn(3, 7, 4, generator=generator)
    done = torch.rand(7, 4, generator=generator) < 0.3
    out = compute_advantages(rewards, values, next_values, done, 0.9, 0.0, torch.empty(7, 4))
    torch.testing.assert_close(out, rewards + 0.9 * next_values - values)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_lambda_1_is_the_discounted_return_less_the_value(gamma: float) -> None:
    generator = torch.Generator().manual_seed(1)
    rewards, values, bootstrap = torch.randn(3, 9, 5, generator=generator)
    done = torch.rand(9, 5, generator=generator) < 0.3
    next_values = torch.where(done, bootstrap, torch.cat([values[1:], bootstrap[-1:]]))
    out = compute_advantages(rewards, values, next_values, done, gamma, 1.0, torch.empty(9, 5))
    for env in range(5):
        for start in range(9):
            total, discount = 0.0, 1.0
            for step in range(start, 9):
                total += discount * float(rewards[step, env])
                discount *= gamma
                if done[step, env] or step == 8:
                    total += discount * float(bootstrap[step, env])
                    break
            assert float(out[start, env]) == pytest.approx(
                total - float(values[start, env]), abs=1e-5
            )
