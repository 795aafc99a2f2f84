"""Returns of the last 100 episodes, against a deque."""

from __future__ import annotations

from collections import deque

import pytest
import torch

from rofunc_isaac.ppo.episodes import WINDOW, EpisodeStatistics
from tests.ppo.zipped import zipped

CPU = torch.device("cpu")


class Reference:
    """The same, an env at a time."""

    def __init__(self, num_envs: int) -> None:
        self.running = [[0.0, 0] for _ in range(num_envs)]
        self.finished: deque[tuple[float, int]] = deque(maxlen=100)
        self.count = 0

    def record(self, reward: torch.Tensor, done: torch.Tensor) -> None:
        for env, (value, ended) in enumerate(zipped(reward.tolist(), done.tolist())):
            self.running[env][0] += value
            self.running[env][1] += 1
            if ended:
                self.finished.append((self.running[env][0], self.running[env][1]))
                self.running[env] = [0.0, 0]
                self.count += 1


def assert_same(own: EpisodeStatistics, reference: Reference) -> None:
    count, mean_return, mean_length = own.means()
    assert int(count) == reference.count
    size = len(reference.finished)
    if size == 0:
        assert bool(mean_return.isnan())
        assert bool(mean_length.isnan())
        return
    returns, lengths = zipped(*reference.finished)
    assert float(mean_return) == pytest.approx(sum(returns) / size, abs=1e-4)
    assert float(mean_length) == pytest.approx(sum(lengths) / size, rel=1e-6)


@pytest.mark.parametrize(("num_envs", "chance"), [(1, 0.5), (7, 0.3), (60, 0.4), (330, 0.6)])
def test_means_of_the_last_100_episodes(num_envs: int, chance: float) -> None:
    """330 envs of which 60% finish: twice the window in one step."""
    assert WINDOW == 100
    generator = torch.Generator().manual_seed(num_envs)
    own, reference = EpisodeStatistics(num_envs, CPU), Reference(num_envs)
    assert_same(own, reference)
    for step in range(60):
        reward = torch.randn(num_envs, generator=generator)
        done = torch.rand(num_envs, generator=generator) < (0.0 if step < 3 else chance)
        own.record(reward, done)
        reference.record(reward, done)
        assert_same(own, reference)


def test_exactly_100_and_101_in_one_step() -> None:
    for num_envs in (100, 101):
        own, reference = EpisodeStatistics(num_envs, CPU), Reference(num_envs)
        for _ in range(2):
            own.record(torch.arange(float(num_envs)), torch.ones(num_envs, dtype=torch.bool))
            reference.record(torch.arange(float(num_envs)), torch.ones(num_envs, dtype=torch.bool))
            assert_same(own, reference)


def test_restart_forgets_what_is_running_only() -> None:
    own = EpisodeStatistics(2, CPU)
    own.record(torch.tensor([1.0, 2.0]), torch.tensor([True, False]))
    own.restart()
    own.record(torch.tensor([5.0, 3.0]), torch.tensor([False, True]))
    count, mean_return, mean_length = own.means()
    assert (int(count), float(mean_return), float(mean_length)) == (2, 2.0, 1.0)


def test_state_goes_on_and_fits_another_number_of_envs() -> None:
    generator = torch.Generator().manual_seed(0)
    own = EpisodeStatistics(5, CPU)
    for _ in range(9):
        own.record(torch.randn(5, generator=generator), torch.rand(5, generator=generator) < 0.3)
    same, other = EpisodeStatistics(5, CPU), EpisodeStatistics(6, CPU)
    same.load_state_dict(own.state_dict())
    other.load_state_dict(own.state_dict())
    for a, b in zipped(other.means(), own.means()):
        assert torch.equal(a, b)
    reward, done = torch.randn(5, generator=generator), torch.ones(5, dtype=torch.bool)
    own.record(reward, done)
    same.record(reward, done)
    for a, b in zipped(same.means(), own.means()):
        assert torch.equal(a, b)
