"""The policy's step against its formulas, and compiled against uncompiled."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.compiler import can_compile
from rofunc_isaac.ppo.config import PPOConfig
from rofunc_isaac.ppo.network import ActorCritic
from rofunc_isaac.ppo.normalizer import CLIP, EPSILON, Normalizer
from rofunc_isaac.ppo.numerics import Numerics
from rofunc_isaac.ppo.policy_step import PolicyStep

CPU = torch.device("cpu")
NUM_ENVS = 64
KNOWN = 3.0 + 2.0 * torch.randn(100, 5, generator=torch.Generator().manual_seed(1))


def policy_step(precision: str = "float32", compiled: bool = False, **options: bool) -> PolicyStep:
    numerics = Numerics(PPOConfig(precision=precision, compile=compiled), CPU, NUM_ENVS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = ActorCritic(5, 2, [16, 8], initial_log_std=-1.0, trunk_dtype=numerics.trunk_dtype)
    normalizer = Normalizer((5,), **options)
    normalizer.observe(KNOWN)
    normalizer.apply_statistics()
    return PolicyStep(network, normalizer, numerics)


def inputs(seed: int = 2) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    obs = 3.0 + 5.0 * torch.randn(NUM_ENVS, 5, generator=generator)
    return obs, torch.randn(NUM_ENVS, 2, generator=generator), torch.tensor([0.5, 2.0])


@torch.no_grad()
def test_it_normalises_with_the_statistics_of_before_and_adds_the_noise() -> None:
    step, (obs, noise, std) = policy_step(), inputs()
    decision = step(obs, noise, std)
    var, mean = torch.var_mean(KNOWN.double(), dim=0, correction=0)
    normal = ((obs.double() - mean) / (var + EPSILON).sqrt()).clamp(-CLIP, CLIP).float()
    assert (normal.abs() == CLIP).any()
    torch.testing.assert_close(decision.obs, normal)
    action_mean, value = step.network(normal)
    torch.testing.assert_close(decision.mean, action_mean)
    torch.testing.assert_close(decision.value, value)
    torch.testing.assert_close(decision.actions, action_mean + noise * torch.tensor([0.5, 2.0]))


def test_it_tells_the_moments_of_what_it_saw_and_moves_nothing() -> None:
    step = policy_step()
    obs, noise, std = inputs()
    before = [buffer.clone() for buffer in step.normalizer.buffers()]
    decision = step(obs, noise, std)
    var, mean = torch.var_mean(obs.double(), dim=0, correction=0)
    torch.testing.assert_close(decision.obs_mean, mean, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(decision.obs_var, var, rtol=1e-6, atol=1e-6)
    assert all(map(torch.equal, step.normalizer.buffers(), before))


def test_without_normalisation_observations_go_through() -> None:
    step, (obs, noise, std) = policy_step(enabled=False), inputs()
    assert torch.equal(step(obs, noise, std).obs, obs)


@pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_compiled_it_does_the_same(precision: str) -> None:
    eager, compiled = policy_step(precision), policy_step(precision, compiled=True)
    tolerance = 1e-5 if precision == "float32" else 2e-2
    for seed in range(3):
        ours, theirs = compiled(*inputs(seed)), eager(*inputs(seed))
        assert ours.obs.dtype == theirs.obs.dtype == getattr(torch, precision)
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)
