"""`KLAdaptiveRL` with tensor learning rates: same rule, in place, without waiting for a device."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

from rofunc_isaac.compiler import can_compile
from rofunc_isaac.schedulers.kl_adaptive import KLAdaptiveRL
from tests.no_sync import NoSync


def make(*lrs: Any, **arguments: Any) -> KLAdaptiveRL:
    groups = [{"params": [torch.nn.Parameter(torch.zeros(2))], "lr": lr} for lr in lrs]
    return KLAdaptiveRL(torch.optim.Adam(groups, fused=True), **arguments)


def rates(scheduler: KLAdaptiveRL) -> list[Any]:
    return [group["lr"] for group in scheduler.optimizer.param_groups]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kl_dtype", [torch.float32, torch.float64])
def test_a_step_reads_no_tensor_and_keeps_the_rates_in_place(
    dtype: torch.dtype, kl_dtype: torch.dtype
) -> None:
    scheduler = make(torch.tensor(3e-4, dtype=dtype), torch.tensor([1e-3], dtype=dtype))
    before = rates(scheduler)
    pointers = [lr.data_ptr() for lr in before]
    divergences = [
        torch.tensor(kl, dtype=kl_dtype).reshape(shape)
        for kl, shape in ((0.1, ()), (0.0, (1,)), (math.nan, (1, 1)), (math.inf, ()))
    ]
    with NoSync():
        for kl in divergences:
            scheduler.step(kl)
        scheduler.step(None)
        scheduler.step(1.0)  # a float KL needs no tensor read either
        scheduler.step(0.0)
        bound, count, last = scheduler.at_bound(), scheduler.nan_count, scheduler.get_last_lr()
    after = rates(scheduler)
    assert [id(lr) for lr in after] == [id(lr) for lr in before]
    assert [lr.data_ptr() for lr in after] == pointers
    assert [(lr.dtype, lr.shape) for lr in after] == [(dtype, ()), (dtype, (1,))]
    assert isinstance(bound, torch.Tensor)
    assert isinstance(count, torch.Tensor)
    assert (bound.dtype, bound.shape) == (torch.bool, ())
    assert not bound
    assert (count.dtype, count.shape) == (torch.int64, ())
    assert count == 1
    torch.testing.assert_close(last[0], torch.tensor(2e-4, dtype=dtype))
    torch.testing.assert_close(last[1], torch.tensor([2e-3 / 3], dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kl_type", ["tensor", "float"])
def test_agrees_with_the_rule_in_plain_python(dtype: torch.dtype, kl_type: str) -> None:
    rng = random.Random(11)
    for _ in range(15):
        threshold = 10 ** rng.uniform(-3, -1)
        lr_factor = rng.uniform(1.1, 3)
        low, high = 10 ** rng.uniform(-7, -4), 10 ** rng.uniform(-4, -1)
        tensors = [torch.tensor(10 ** rng.uniform(-8, 0), dtype=dtype) for _ in range(2)]
        expected = [float(lr) for lr in tensors]
        scheduler = make(
            *tensors, kl_threshold=threshold, lr_factor=lr_factor, min_lr=low, max_lr=high
        )
        nans = 0
        for _ in range(60):
            # Away from the borders, where a float32 KL may fall on the other side by rounding.
            relative = rng.choice([0.0, 0.49, 0.51, 1.0, 1.99, 2.01, 50.0, math.inf, math.nan])
            kl = threshold * relative
            scheduler.step(torch.tensor(kl) if kl_type == "tensor" else kl)
            for i, lr in enumerate(expected):
                if relative > 2:
                    expected[i] = max(lr / lr_factor, low)
                elif relative < 0.5:
                    expected[i] = min(lr * lr_factor, high)
            nans += relative != relative
            tolerance = 1e-12 if dtype == torch.float64 else 1e-5
            assert [float(lr) for lr in rates(scheduler)] == pytest.approx(expected, rel=tolerance)
            at_bound = any(lr <= low * (1 + 1e-5) or lr >= high * (1 - 1e-5) for lr in expected)
            assert bool(scheduler.at_bound()) == at_bound
        assert scheduler.nan_count == nans


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("low", "high"), [(1e-6, 1e-2), (3e-7, 7e-3), (1.1e-5, 1.3e-1)])
def test_the_bounds_are_reached_and_seen_in_every_dtype(
    dtype: torch.dtype, low: float, high: float
) -> None:
    scheduler = make(torch.tensor(1e-3, dtype=dtype), min_lr=low, max_lr=high)
    assert not scheduler.at_bound()
    for kl, bound in ((0.1, low), (0.0, high)):
        for _ in range(60):
            scheduler.step(torch.tensor(kl))
        assert rates(scheduler)[0] == torch.tensor(bound, dtype=dtype)
        assert scheduler.at_bound()


def test_comparisons_are_strict_in_the_dtype_of_the_divergence() -> None:
    for threshold in (0.5, 0.008, 0.01, 0.012):
        for dtype in (torch.float32, torch.float64):
            scheduler = make(torch.tensor(1e-3), kl_threshold=threshold)
            scheduler.step(torch.tensor(threshold * 2, dtype=dtype))
            scheduler.step(torch.tensor(threshold / 2, dtype=dtype))
            assert rates(scheduler) == [torch.tensor(1e-3)]


def test_last_rates_do_not_change_afterwards() -> None:
    scheduler = make(torch.tensor(1e-3))
    first = scheduler.get_last_lr()
    scheduler.step(torch.tensor(1.0))
    second = scheduler.get_last_lr()
    scheduler.step(torch.tensor(1.0))
    assert first[0] == torch.tensor(1e-3)
    torch.testing.assert_close(second[0], torch.tensor(1e-3 / 1.5))
    second[0].fill_(9.0)
    torch.testing.assert_close(rates(scheduler)[0], torch.tensor(1e-3 / 2.25))


def test_the_count_handed_out_does_not_change_afterwards() -> None:
    scheduler = make(torch.tensor(1e-3))
    before = scheduler.nan_count
    scheduler.step(torch.tensor(math.nan))
    scheduler.step(math.nan)
    assert (before, scheduler.nan_count) == (0, 2)


def test_a_float_and_a_tensor_rate_side_by_side() -> None:
    groups = [
        {"params": [torch.nn.Parameter(torch.zeros(2))], "lr": lr}
        for lr in (torch.tensor(1e-3), 1e-4)
    ]
    scheduler = KLAdaptiveRL(torch.optim.SGD(groups, lr=1.0))
    tensor_rate = rates(scheduler)[0]
    for kl in (torch.tensor(1.0), 1.0, torch.tensor(0.0), torch.tensor(math.nan)):
        scheduler.step(kl)
    assert rates(scheduler)[0] is tensor_rate
    assert float(tensor_rate) == pytest.approx(1e-3 / 1.5)
    assert rates(scheduler)[1] == pytest.approx(1e-4 / 1.5)
    assert not scheduler.at_bound()
    assert scheduler.nan_count == 1


def test_rates_and_divergences_with_gradients_and_in_inference_mode() -> None:
    scheduler = make(torch.tensor(1e-3))
    with torch.inference_mode():
        scheduler.step(torch.tensor(1.0) * 1)
    scheduler.step(torch.tensor(1.0, requires_grad=True) * 2)
    assert not rates(scheduler)[0].requires_grad
    assert float(rates(scheduler)[0]) == pytest.approx(1e-3 / 2.25)


@pytest.mark.parametrize("kl", [1.0, torch.tensor(1.0)])
def test_a_rate_that_is_learned_itself_is_written_too(kl: Any) -> None:
    lr = torch.tensor(1e-3, requires_grad=True)
    scheduler = make(lr)
    scheduler.step(kl)
    assert lr.is_leaf
    assert float(lr.detach()) == pytest.approx(1e-3 / 1.5)


def test_the_optimizer_reads_the_new_rate() -> None:
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([parameter], lr=torch.tensor(1e-3), fused=True)
    scheduler = KLAdaptiveRL(optimizer)
    scheduler.step(torch.tensor(1.0))
    parameter.grad = torch.ones(1)
    optimizer.step()
    # Adam's first move is the learning rate.
    torch.testing.assert_close(parameter.detach(), torch.tensor([-1e-3 / 1.5]))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_cuda_a_step_never_synchronises_and_a_captured_step_can_be_replayed() -> None:
    lr = torch.tensor(1e-3, device="cuda")
    parameter = torch.nn.Parameter(torch.zeros(2, device="cuda"))
    scheduler = KLAdaptiveRL(torch.optim.Adam([parameter], lr=lr, fused=True))
    kl = torch.tensor(1.0, device="cuda")
    torch.cuda.set_sync_debug_mode("error")
    try:
        scheduler.step(kl)
        bound, count = scheduler.at_bound(), scheduler.nan_count
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert [torch.as_tensor(value).device.type for value in (bound, count)] == ["cuda"] * 2
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scheduler.step(kl)
    graph.replay()
    kl.fill_(math.nan)
    graph.replay()
    kl.fill_(0.0)
    graph.replay()
    graph.replay()
    assert float(lr) == pytest.approx(1e-3)
    assert int(scheduler.nan_count) == 1
    assert scheduler.optimizer.param_groups[0]["lr"] is lr


def test_compiles_without_a_graph_break() -> None:
    scheduler = make(torch.tensor(1e-3), torch.tensor(2e-3))
    compiled = torch.compile(scheduler.step, fullgraph=True, backend="eager")
    for kl in (1.0, 1.0, math.nan, 0.0):
        compiled(torch.tensor(kl))
    assert [float(lr) for lr in rates(scheduler)] == pytest.approx([1e-3 / 1.5, 2e-3 / 1.5])
    assert scheduler.nan_count == 1
    assert scheduler.last_epoch == 4


SEQUENCE = (1.0, 0.2, math.nan, 0.0, 0.01, math.inf, 0.0, 0.0)


@pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")
@pytest.mark.parametrize(
    ("dtype", "shape"), [(torch.float32, ()), (torch.float32, (1,)), (torch.float64, (1,))]
)
def test_compiled_it_moves_the_rate_as_it_does_otherwise(
    dtype: torch.dtype, shape: tuple[int, ...]
) -> None:
    torch._dynamo.reset()
    compiled, eager = (make(torch.full(shape, 1e-3, dtype=dtype)) for _ in range(2))
    step = torch.compile(compiled.step, fullgraph=True)
    for kl in SEQUENCE:
        step(torch.tensor(kl))
        eager.step(torch.tensor(kl))
        torch.testing.assert_close(rates(compiled), rates(eager), rtol=1e-6, atol=0.0)
    assert int(compiled.nan_count) == 1


@pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")
def test_a_rate_that_compiled_code_would_not_write_to_is_refused() -> None:
    torch._dynamo.reset()
    scheduler = make(torch.tensor(1e-3, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"make the rate float32, or one of shape \(1,\)"):
        torch.compile(scheduler.step, fullgraph=True)(torch.tensor(1.0))
