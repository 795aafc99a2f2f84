"""An object's tensors, numbers and generators, taken out and put back."""

from __future__ import annotations

import io
from enum import IntEnum
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rofunc_isaac.envs.attributes import collect, put_back


def through_a_file(entries):
    file = io.BytesIO()
    torch.save(entries, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def test_every_kind_comes_back():
    saved = SimpleNamespace(
        tensor=torch.tensor([1.5, 2.5]),
        array=np.array([[1, 2]], dtype=np.int32),
        flag=True,
        count=3,
        scale=0.5,
        name="a",
        nothing=None,
        parts=[torch.ones(2), 4, object()],
        pair=(1.0, torch.zeros(1)),
        named={"a": torch.full((2,), 7.0), 3: 2},
    )
    here = SimpleNamespace(
        tensor=torch.zeros(2),
        array=np.zeros((1, 2), dtype=np.int32),
        **dict.fromkeys(("flag", "count", "scale", "name")),
        nothing=5,
        parts=[torch.zeros(2), 0, "mine"],
        pair=(0.0, torch.ones(1)),
        named={"a": torch.zeros(2)},
    )
    put_back(here, through_a_file(collect(saved)))
    assert here.tensor.tolist() == [1.5, 2.5]
    assert here.array.tolist() == [[1, 2]]
    assert (here.flag, here.count, here.scale, here.name, here.nothing) == (True, 3, 0.5, "a", None)
    assert here.parts[0].tolist() == [1.0, 1.0]
    assert here.parts[1:] == [4, "mine"]  # what can't be saved is left as it is
    assert here.pair[0] == 1.0
    assert here.pair[1].tolist() == [0.0]
    assert here.named["a"].tolist() == [7.0, 7.0]
    assert here.named[3] == 2


class Mode(IntEnum):
    WALK = 1
    RUN = 2


def test_subclasses_of_numbers_come_back_too():
    """As they are, torch would refuse to load them with weights_only."""
    saved = SimpleNamespace(
        mode=Mode.RUN, speed=np.float64(1.5), steps=np.int32(4), list=[Mode.RUN]
    )
    here = SimpleNamespace(mode=Mode.WALK, speed=0.0, steps=0, list=[Mode.WALK])
    put_back(here, through_a_file(collect(saved)))
    assert here.mode is Mode.RUN
    assert here.list == [Mode.RUN]
    assert (here.speed, here.steps) == (1.5, 4)


def test_a_generator_that_is_not_there_yet_is_made():
    saved = SimpleNamespace(noise=torch.Generator().manual_seed(5))
    here = SimpleNamespace()
    put_back(here, through_a_file(collect(saved)))
    assert torch.equal(torch.rand(2, generator=here.noise), torch.rand(2, generator=saved.noise))


def test_tensors_and_arrays_are_written_in_place():
    here = SimpleNamespace(tensor=torch.zeros(4), array=np.zeros(2))
    view, array = here.tensor[1:3], here.array
    put_back(here, collect(SimpleNamespace(tensor=torch.arange(4.0), array=np.ones(2))))
    assert view.tolist() == [1.0, 2.0]
    assert array.tolist() == [1.0, 1.0]


def test_copies_are_taken():
    owner = SimpleNamespace(tensor=torch.zeros(2), array=np.zeros(2))
    entries = collect(owner)
    owner.tensor += 1
    owner.array += 1
    assert entries["tensor"][1].tolist() == entries["array"][1].tolist() == [0.0, 0.0]


def test_generators_go_on():
    owner = SimpleNamespace(torch=torch.Generator().manual_seed(1), numpy=np.random.default_rng(1))
    torch.rand(3, generator=owner.torch)
    owner.numpy.random(3)
    entries = through_a_file(collect(owner))
    expected = torch.rand(3, generator=owner.torch), owner.numpy.random(3)
    other = SimpleNamespace(torch=torch.Generator(), numpy=np.random.default_rng(2))
    held = other.torch
    put_back(other, entries)
    assert torch.equal(torch.rand(3, generator=held), expected[0])
    assert (other.numpy.random(3) == expected[1]).all()


def test_an_attribute_that_is_not_there_yet_is_made():
    here = SimpleNamespace()
    put_back(here, collect(SimpleNamespace(last=torch.ones(2), history=[torch.zeros(1)])))
    assert here.last.tolist() == [1.0, 1.0]
    assert here.history[0].tolist() == [0.0]


def test_an_expanded_tensor_is_replaced():
    here = SimpleNamespace(row=torch.zeros(3).expand(2, 3))
    put_back(here, collect(SimpleNamespace(row=torch.ones(3).expand(2, 3))))
    assert here.row.tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("make", [torch.zeros, np.zeros])
def test_another_shape_is_refused_by_name(make):
    here = SimpleNamespace(speed=make((4, 2)))
    with pytest.raises(ValueError, match=r"speed: shape \(3, 2\) in the checkpoint, \(4, 2\) here"):
        put_back(here, collect(SimpleNamespace(speed=make((3, 2)))))
