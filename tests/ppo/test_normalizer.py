"""Running statistics against numpy over everything at once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rofunc_isaac.ppo.normalizer import CLIP, EPSILON, Normalizer


def fed(samples: np.ndarray, sizes: list[int]) -> Normalizer:
    """A normaliser of samples of this shape that has seen `samples` in batches of `sizes`."""
    normalizer = Normalizer(samples.shape[1:])
    assert sum(sizes) == len(samples)
    start = 0
    for size in sizes:
        normalizer.observe(torch.from_numpy(samples[start : start + size]))
        start += size
    normalizer.apply_statistics()
    return normalizer


def draw(n: int, offset: float = 0.0, scale: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (offset + scale * rng.standard_normal((n, 4))).astype(np.float32)


@pytest.mark.parametrize(
    "sizes",
    [[60], [1] * 60, [20, 20, 20], [1, 59], [59, 1], [2, 3, 5, 50]],
    ids=["one", "singles", "thirds", "one-first", "one-last", "growing"],
)
@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (-3.0, 0.01), (2e4, 5.0)])
def test_any_split_gives_the_pooled_statistics(
    sizes: list[int], offset: float, scale: float
) -> None:
    samples = draw(60, offset, scale)
    normalizer = fed(samples, sizes)
    exact = samples.astype(np.float64)
    assert float(normalizer.count) == 60
    # A batch's mean is float32: 1e-3 at 2e4.
    np.testing.assert_allclose(normalizer.mean, exact.mean(0), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(normalizer.var, exact.var(0), rtol=1e-3)
    std = np.sqrt(exact.var(0) + EPSILON)
    np.testing.assert_allclose(normalizer.applied_mean, exact.mean(0), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(normalizer.applied_std, std, rtol=1e-3)
    expected = np.clip((exact - exact.mean(0)) / std, -CLIP, CLIP)
    result = normalizer.normalize(torch.from_numpy(samples))
    assert result.dtype == torch.float32
    np.testing.assert_allclose(result, expected, atol=3e-3)


def test_many_batches_at_a_large_offset_do_not_drift() -> None:
    """In float32 a mean of 1e5 would move by steps of 0.008, or not at all."""
    rng = np.random.default_rng(0)
    batches = (1e5 + rng.standard_normal((3000, 8, 1))).astype(np.float32)
    normalizer = Normalizer((1,))
    for batch in torch.from_numpy(batches):
        normalizer.observe(batch)
    exact = batches.astype(np.float64)
    assert float(normalizer.mean) == pytest.approx(exact.mean(), abs=2e-3)
    assert float(normalizer.var) == pytest.approx(exact.var(), rel=2e-3)


def test_scalars() -> None:
    samples = draw(50)[:, 0]
    normalizer = fed(samples, [25, 25])
    assert normalizer.mean.shape == ()
    assert float(normalizer.mean) == pytest.approx(float(samples.mean(dtype=np.float64)), abs=1e-7)


def test_nothing_is_applied_before_apply() -> None:
    normalizer = Normalizer((4,))
    samples = torch.from_numpy(draw(50, offset=3.0))
    normalizer.observe(samples)
    assert torch.equal(normalizer.normalize(samples), samples.clamp(-CLIP, CLIP))
    normalizer.apply_statistics()
    frozen = normalizer.normalize(samples)
    assert float(frozen.mean()) == pytest.approx(0.0, abs=1e-5)
    normalizer.observe(samples + 100.0)
    assert torch.equal(normalizer.normalize(samples), frozen)


def test_a_constant_feature_becomes_zero() -> None:
    samples = draw(40)
    samples[:, 1] = 7.25
    normalizer = fed(samples, [10, 30])
    assert float(normalizer.var[1]) == 0.0
    result = normalizer.normalize(torch.from_numpy(samples))
    assert torch.equal(result[:, 1], torch.zeros(40))
    assert bool(result.isfinite().all())


def test_clip_and_inverse() -> None:
    samples = draw(200, offset=-2.0, scale=3.0)
    normalizer = fed(samples, [200])
    far = torch.tensor([[1e6, -1e6, 0.0, 1.0]])
    assert normalizer.normalize(far)[0, :2].tolist() == [CLIP, -CLIP]
    assert (
        normalizer.denormalize(far)[0, 0] == normalizer.denormalize(torch.full((1, 4), 5.0))[0, 0]
    )
    inside = torch.from_numpy(samples)
    back = normalizer.denormalize(normalizer.normalize(inside))
    torch.testing.assert_close(back, inside, rtol=1e-5, atol=1e-5)


def test_normalize_leaves_its_input_alone() -> None:
    normalizer = fed(draw(20), [20])
    samples = torch.from_numpy(draw(20, offset=9.0))
    before = samples.clone()
    normalizer.normalize(samples)
    normalizer.denormalize(samples)
    assert torch.equal(samples, before)


def test_disabled_does_nothing() -> None:
    normalizer = Normalizer((4,), enabled=False)
    samples = torch.from_numpy(draw(20, offset=90.0))
    normalizer.observe(samples)
    normalizer.apply_statistics()
    assert float(normalizer.count) == 0
    assert torch.equal(normalizer.normalize(samples), samples)
    assert torch.equal(normalizer.denormalize(samples), samples)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_batch_that_is_not_finite_is_left_out(bad: float) -> None:
    """One broken sample would otherwise make every later one NaN."""
    samples = torch.from_numpy(draw(40))
    broken = samples.clone()
    broken[3, 2] = bad
    normalizer = Normalizer((4,))
    for batch in (samples[:20], broken, samples[20:]):
        normalizer.observe(batch)
    reference = fed(draw(40), [20, 20])
    for name in ("mean", "var", "count"):
        assert torch.equal(getattr(normalizer, name), getattr(reference, name))


def test_state_round_trip_keeps_the_count_and_what_is_applied() -> None:
    normalizer = fed(draw(30, offset=2.0), [30])
    normalizer.observe(torch.from_numpy(draw(10)))
    other = Normalizer((4,))
    other.load_state_dict(normalizer.state_dict())
    assert float(other.count) == 40
    for name, value in normalizer.state_dict().items():
        assert torch.equal(other.state_dict()[name], value)


def test_batches_of_known_moments_are_merged_as_their_samples_would_be() -> None:
    samples = 5.0 + 3.0 * torch.randn(4, 20, 2, generator=torch.Generator().manual_seed(1))
    samples[2, 3, 1] = float("nan")
    variances, means = torch.var_mean(samples.double(), dim=1, correction=0)
    together, one_by_one = Normalizer((2,)), Normalizer((2,))
    for normalizer in (together, one_by_one):
        normalizer.observe(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
    together.observe_moments(means, variances, 20)
    for batch in samples:
        one_by_one.observe(batch)
    assert together.count == 62  # the batch that is broken is left out
    for name, buffer in together.named_buffers():
        torch.testing.assert_close(buffer, one_by_one.get_buffer(name), rtol=1e-6, atol=1e-6)
    together.observe_moments(means[2:3], variances[2:3], 20)
    assert together.count == 62
    assert together.mean.isfinite().all()
