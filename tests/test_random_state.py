"""The process's generators, put back to where they were."""

from __future__ import annotations

import io
import random
from typing import Any

import numpy as np
import pytest
import torch

from rofunc_isaac import random_state


def through_a_file(state: Any) -> Any:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def draw() -> list[float]:
    # gauss and randn keep a second number back for the next call.
    return [random.random(), random.gauss(0, 1), np.random.randn(), float(torch.randn(()))]  # noqa: NPY002


@pytest.fixture(autouse=True)
def as_before():
    before = random_state.process_state()
    yield
    random_state.restore_process(before)


def test_the_process_goes_on_where_it_was():
    random_state.seed_everything(3)
    draw()
    state = through_a_file(random_state.process_state())
    expected = [draw() for _ in range(3)]
    random_state.seed_everything(4)
    draw()
    random_state.restore_process(state)
    assert [draw() for _ in range(3)] == expected


def test_a_seed_decides_all_of_them():
    random_state.seed_everything(7)
    first = draw()
    random_state.seed_everything(7)
    assert draw() == first
    random_state.seed_everything(8)
    assert not set(draw()) & set(first)


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_numpys_generators_go_on(kind):
    make = getattr(np.random, kind)
    generator = np.random.Generator(make(1))
    generator.random(5, dtype=np.float32)  # half of a word is kept back
    state = through_a_file(random_state.numpy_state(generator))
    expected = generator.random(4)
    other = np.random.Generator(make(2))
    random_state.restore_numpy(other, state)
    assert (other.random(4) == expected).all()


def test_numpys_old_generator_goes_on():
    generator = np.random.RandomState(1)
    generator.randn()
    state = through_a_file(random_state.numpy_state(generator))
    expected = generator.randn(4)
    other = np.random.RandomState(2)
    random_state.restore_numpy(other, state)
    assert (other.randn(4) == expected).all()
