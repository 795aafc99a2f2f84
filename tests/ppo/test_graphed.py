"""Policy and update as graphs follow the same way as call by call, learning rate included."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

from rofunc_isaac.cuda_graphs import Graphed
from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.schedulers.config import SchedulerChoice
from tests.fx_capture import fx_graph
from tests.ppo.toy_env import reach_learner
from tests.ppo.zipped import zipped

CPU = torch.device("cpu")
CHOICES = [
    SchedulerChoice(),
    SchedulerChoice(update_every="epoch"),
    SchedulerChoice(update_every="iteration"),
    SchedulerChoice(name="cosine"),
]


def graphed(learner: Learner) -> Learner:
    """The same learner, which captures as it would on CUDA."""
    step, updater = learner.policy_step, learner.updater
    step.graphed = Graphed("the policy's step", step.decide, CPU, capture=fx_graph)
    updater.graphed = Graphed("a minibatch", updater.minibatch, CPU, capture=fx_graph)
    updater.graphed_first = Graphed("first", updater.first_minibatch, CPU, capture=fx_graph)
    return learner


@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: f"{c.name}-{c.update_every}")
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_graphed_training_is_the_eager_one(choice: SchedulerChoice, precision: str) -> None:
    settings: dict[str, Any] = {"choice": choice, "precision": precision, "compile": False}
    settings |= {"num_minibatches": 2, "mini_epochs": 2, "max_grad_norm": 1.0}
    eager, other = reach_learner(**settings), graphed(reach_learner(**settings))
    stds = []
    for _ in range(12):
        expected, found = eager.iterate(), other.iterate()
        for name, value in expected.items():
            if not name.startswith(("perf/", "wall_time")):
                assert found[name] == pytest.approx(value, rel=1e-5, abs=1e-7), name
        stds.append(found["train/action_std"])
    for one, two in zipped(other.network.parameters(), eager.network.parameters()):
        torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6)
    parts = (other.policy_step.graphed, other.updater.graphed, other.updater.graphed_first)
    assert [part.status for part in parts] == ["graph"] * 3
    # What is counted in Python keeps its count.
    assert other.scheduler.state_dict() == eager.scheduler.state_dict()
    assert len(set(stds)) == 12


def test_a_run_goes_on_from_a_graphed_ones_state() -> None:
    learner = graphed(reach_learner(compile=False))
    for _ in range(6):
        learner.iterate()
    other = graphed(reach_learner(compile=False, seed=9))
    for _ in range(6):
        other.iterate()
    other.load_state_dict(copy.deepcopy(learner.state_dict()))
    other.env.load_state_dict(copy.deepcopy(learner.env.state_dict()))  # type: ignore[attr-defined]
    other.obs = other.env.obs  # type: ignore[attr-defined]
    for _ in range(4):  # long enough that it captures anew
        learner.iterate()
        other.iterate()
    assert other.updater.graphed.status == "graph"
    for one, two in zipped(other.network.parameters(), learner.network.parameters()):
        torch.testing.assert_close(one, two, rtol=1e-5, atol=1e-6)
