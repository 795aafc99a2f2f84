"""Captured functions: the promises of `Graphed`, with a capture that works without CUDA."""

from __future__ import annotations

import warnings

import pytest
import torch

from rofunc_isaac.cuda_graphs import WARM_UPS, Graphed
from tests.fx_capture import fx_graph

CPU = torch.device("cpu")


class Counter:
    """Adds what it is given to a tensor, and counts its calls in Python."""

    def __init__(self) -> None:
        self.total = torch.zeros(2)
        self.calls: list[None] = []

    def add(self, numbers: torch.Tensor) -> torch.Tensor:
        self.calls.append(None)
        self.total.add_(numbers)
        return self.total * 10.0


def test_replays_compute_what_calls_would_and_skip_the_python() -> None:
    counter = Counter()
    graphed = Graphed("adding", counter.add, CPU, capture=fx_graph)
    assert graphed.status == "eager: not captured yet"
    replayed = []
    for step in range(WARM_UPS + 4):
        outputs = graphed(torch.tensor([1.0, float(step)]))
        replayed.append(graphed.was_replayed)
        assert outputs.tolist() == [10.0 * (step + 1), 10.0 * sum(range(step + 1))]
    assert replayed == [False] * (WARM_UPS + 1) + [True] * 3
    assert len(counter.calls) == WARM_UPS + 1
    assert graphed.status == "graph"


def test_inputs_and_outputs_are_the_graphs_own() -> None:
    graphed = Graphed("adding", Counter().add, CPU, capture=fx_graph)
    given = torch.ones(2)
    outputs = [graphed(given) for _ in range(WARM_UPS + 3)]
    assert given.tolist() == [1.0, 1.0]
    assert outputs[-1].data_ptr() == outputs[-2].data_ptr() != given.data_ptr()


def test_on_the_cpu_it_is_the_function() -> None:
    counter = Counter()
    graphed = Graphed("adding", counter.add, CPU)
    for _ in range(WARM_UPS + 3):
        graphed(torch.ones(2))
    assert len(counter.calls) == WARM_UPS + 3
    assert graphed.status == "eager: on cpu"


def test_a_capture_that_fails_is_told_once_and_done_without() -> None:
    def refuse(*arguments: object) -> None:
        raise RuntimeError("operation not permitted\nand so on")

    counter = Counter()
    graphed = Graphed("adding", counter.add, CPU, capture=refuse)  # type: ignore[arg-type]
    for _ in range(WARM_UPS):
        graphed(torch.ones(2))
    with pytest.warns(
        RuntimeWarning, match=r"adding can't be captured .*operation not permitted\)"
    ):
        graphed(torch.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graphed(torch.ones(2)).tolist() == [10.0 * (WARM_UPS + 2)] * 2
    assert graphed.status == "eager: operation not permitted"


def test_python_that_a_replay_would_skip_is_seen() -> None:
    class Clocked:
        def __init__(self) -> None:
            self.steps = 0
            self.reward = torch.zeros(1)

        def step(self) -> None:
            self.steps += 1
            self.reward.fill_(self.steps)

    task = Clocked()
    graphed = Graphed("a step", task.step, CPU, holder=task, capture=fx_graph)
    with pytest.warns(RuntimeWarning, match="Clocked.steps changes in Python"):
        graphed()
    for _ in range(WARM_UPS + 2):
        graphed()
    assert task.reward.item() == WARM_UPS + 3
