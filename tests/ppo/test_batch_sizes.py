"""Which minibatch sizes are taken, and what the errors name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.batch_sizes import BatchSizeError, nearest_divisors, resolve_minibatch_size
from rofunc_isaac.ppo.config import PPOConfig


@pytest.mark.parametrize("num_minibatches", [1, 2, 4, 48])
def test_auto_divides_by_the_number_of_minibatches(num_minibatches: int) -> None:
    config = PPOConfig(horizon_length=16, num_minibatches=num_minibatches)
    assert resolve_minibatch_size(config, num_envs=3) == 48 // num_minibatches


@pytest.mark.parametrize("size", [1, 6, 24, 48])
def test_an_explicit_divisor_is_taken(size: int) -> None:
    config = PPOConfig(horizon_length=16, minibatch_size=size, num_minibatches=7)
    assert resolve_minibatch_size(config, num_envs=3) == size


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"minibatch_size": 20},
            [
                "train.minibatch_size=20 ",
                "48 samples",
                "num_envs 3 x",
                "length 16",
                "12, 16, 24, 48",
            ],
        ),
        ({"minibatch_size": 49}, ["train.minibatch_size=49 ", "are 24, 48"]),
        ({"minibatch_size": 0}, ["train.minibatch_size=0 ", "1 or more"]),
        ({"minibatch_size": -4}, ["train.minibatch_size=-4 ", "1 or more"]),
        ({"minibatch_size": "half"}, ["train.minibatch_size=half ", "auto or a whole number"]),
        ({"minibatch_size": True}, ["train.minibatch_size=True ", "auto or a whole number"]),
        ({"num_minibatches": 5}, ["train.num_minibatches=5 ", "are 3, 4, 6, 8"]),
        ({"num_minibatches": 0}, ["train.num_minibatches=0 ", "1 or more"]),
    ],
)
def test_what_does_not_divide_is_refused(settings: dict, words: list[str]) -> None:
    with pytest.raises(BatchSizeError) as caught:
        resolve_minibatch_size(PPOConfig(horizon_length=16, **settings), num_envs=3)
    error = caught.value
    assert isinstance(error, ConfigError)
    assert str(error) == f"{error.key}={error.value} {error.reason}"
    for word in words:
        assert word in str(error)


def test_nearest_divisors_are_two_on_either_side() -> None:
    assert nearest_divisors(36, 5) == "3, 4, 6, 9"  # of 1 2 3 4 6 9 12 18 36
    assert nearest_divisors(36, 1000) == "18, 36"
    assert nearest_divisors(36, 0) == "1, 2"
    assert nearest_divisors(13, 5) == "1, 13"


def test_loads_without_torch() -> None:
    program = "import sys, rofunc_isaac.ppo.batch_sizes; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
