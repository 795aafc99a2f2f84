"""What follows the physics, captured and replayed without its Python, against the tasks."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import rofunc_isaac
from rofunc_isaac.cuda_graphs import Graphed
from tests.fx_capture import fx_graph


def graphed(env: Any) -> Any:
    """The same environments, which capture as they would on CUDA."""
    env.graphed = Graphed(
        "what follows the physics",
        env._finish_step,
        torch.device("cpu"),
        generators=(env.generator,),
        holder=env,
        capture=fx_graph,
    )
    return env


@pytest.mark.parametrize("name", ["Cartpole", "Ant", "Humanoid"])
def test_a_replayed_step_is_the_step(name: str) -> None:
    """With resets and their random starts, to the last bit."""
    overrides = {"sim.num_threads": 1, "env.episode_length": 7}
    plain, other = (
        rofunc_isaac.make(name, num_envs=16, seed=1, overrides=overrides) for _ in range(2)
    )
    graphed(other)
    plain.reset()
    other.reset()
    generator = torch.Generator().manual_seed(3)
    ends = 0
    for _ in range(30):
        actions = 2.4 * torch.rand(16, plain.num_actions, generator=generator) - 1.2
        expected, found = plain.step(actions), other.step(actions)
        ends += int((expected.terminated | expected.truncated).sum())
        for one, two in zip(found, expected, strict=True):
            assert torch.equal(one, two)
    assert other.graphed.status == "graph"
    assert other.graphed.was_replayed
    assert ends >= 48
