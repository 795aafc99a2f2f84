"""The tasks on both engines: one step of each from the same state, 50 times."""

from __future__ import annotations

import pytest
import torch

import rofunc_isaac
from rofunc_isaac import simulator

NUM_ENVS = 32
STATE = ("qpos", "qvel", "qacc_warmstart")


@pytest.fixture(autouse=True)
def engine_of_the_device():
    """The choice of an engine is the process's: other tests want the usual one."""
    yield
    simulator.select("auto")


# How many of all steps agree to a thousandth. MuJoCo Warp turns the frame of the second contact
# between a capsule and the ground about its normal, and friction within a pyramid depends on that:
# the Ant's feet are capsules, and the difference is one of direction, not of precision.
@pytest.mark.parametrize(("task", "share"), [("Cartpole", 1.0), ("Ant", 0.85), ("Humanoid", 0.85)])
@torch.no_grad()
def test_a_step_leads_to_the_same_on_both_engines(task: str, share: float) -> None:
    """From the same state each time: float32 and float64 would part ways after a few contacts."""
    arguments = {"num_envs": NUM_ENVS, "seed": 3, "overrides": {"env.episode_length": 20}}
    c = rofunc_isaac.make(task, simulator="mujoco", **arguments)
    warp = rofunc_isaac.make(task, simulator="mujoco_warp", sim_device="cpu", **arguments)
    assert type(c.sim.batch) is not type(warp.sim.batch)
    assert torch.allclose(c.reset(), warp.reset(), atol=1e-5)

    generator = torch.Generator().manual_seed(0)
    ended = 0
    seen: list[torch.Tensor] = []
    references: list[torch.Tensor] = []
    for _ in range(50):
        for name in STATE:
            warp.sim.batch.view(name).copy_(c.sim.batch.view(name))
        actions = torch.rand(NUM_ENVS, c.num_actions, generator=generator) * 2.0 - 1.0
        own, other = warp.step(actions), c.step(actions)
        assert torch.equal(own.terminated, other.terminated)
        assert torch.equal(own.truncated, other.truncated)
        ended += int((other.terminated | other.truncated).sum())
        for result, rows in ((own, seen), (other, references)):
            rows.append(torch.cat([result.obs, result.final_obs, result.reward[:, None]], dim=1))
    reference = torch.cat(references)
    # Of each number, relative to what it grows to.
    error = (torch.cat(seen) - reference).abs() / reference.abs().amax(0).clamp(min=1.0)
    agree = (error <= 1e-3).all(dim=1).float().mean()
    assert agree >= share
    assert error.median() < 1e-5
    assert error.mean(dim=0).max() < 5e-3
    assert ended >= 2 * NUM_ENVS
    for env in (c, warp):
        env.maintain()
        assert int(env.metrics()["env/unstable_resets"]) == 0
        assert int(env.sim.batch.warning_counts.sum()) == 0, "no contact was lost"
