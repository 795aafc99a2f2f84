"""The order of minibatches: a permutation, a new one each epoch, the generator's alone."""

from __future__ import annotations

import torch

from rofunc_isaac.ppo.minibatches import shuffled

CPU = torch.device("cpu")


def test_every_sample_comes_once_an_epoch() -> None:
    batches = list(shuffled(48, 12, torch.Generator().manual_seed(1), CPU))
    assert [batch.shape for batch in batches] == [(12,)] * 4
    order = torch.cat(batches)
    assert torch.equal(order.sort().values, torch.arange(48))
    assert not torch.equal(order, torch.arange(48))


def test_a_whole_batch_is_not_shuffled() -> None:
    generator = torch.Generator().manual_seed(1)
    before = generator.get_state()
    (batch,) = shuffled(48, 48, generator, CPU)
    assert torch.equal(batch, torch.arange(48))
    assert torch.equal(generator.get_state(), before)


def test_each_epoch_has_another_order() -> None:
    generator = torch.Generator().manual_seed(1)
    first, second = (torch.cat(list(shuffled(48, 12, generator, CPU))) for _ in range(2))
    assert not torch.equal(first, second)


def test_the_order_follows_from_the_generators_state_alone() -> None:
    generator = torch.Generator().manual_seed(1)
    list(shuffled(48, 12, generator, CPU))
    state = generator.get_state()
    expected = torch.cat(list(shuffled(48, 12, generator, CPU)))
    torch.manual_seed(123)
    again = torch.Generator().manual_seed(9)
    again.set_state(state)
    assert torch.equal(torch.cat(list(shuffled(48, 12, again, CPU))), expected)
