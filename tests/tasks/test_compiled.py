"""What torch's compiler makes of the tasks' observations, rewards and ends, against the tasks."""

from __future__ import annotations

import pytest
import torch

import rofunc_isaac
from rofunc_isaac.compiler import can_compile

pytestmark = pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")


@pytest.mark.parametrize("name", ["Cartpole", "Ant", "Humanoid"])
@pytest.mark.filterwarnings("error:torch.compile failed")
def test_a_compiled_step_is_the_step(name: str) -> None:
    """From the same state, each step anew: chaos would blow up the last bits."""
    overrides = {"sim.num_threads": 1, "env.episode_length": 13}
    plain, compiled = (
        rofunc_isaac.make(name, num_envs=32, seed=1, overrides=overrides) for _ in range(2)
    )
    plain.reset()
    compiled.compile()
    compiled.reset()
    generator = torch.Generator().manual_seed(3)
    ends = 0
    for _ in range(40):
        compiled.load_state_dict(plain.state_dict())
        actions = 2.4 * torch.rand(32, plain.num_actions, generator=generator) - 1.2
        expected, found = plain.step(actions), compiled.step(actions)
        ends += int((expected.terminated | expected.truncated).sum())
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=2e-5, atol=2e-5)
    assert ends >= 64
