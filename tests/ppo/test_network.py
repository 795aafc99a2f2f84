"""Shapes, dtypes and mistakes of the network."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.network import ACTIVATIONS, ActorCritic
from tests.ppo.zipped import zipped


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("leading", [(5,), (3, 5)])
def test_shapes_and_float32_heads(
    activation: str, dtype: torch.dtype, leading: tuple[int, ...]
) -> None:
    network = ActorCritic(7, 3, [16, 8], activation, -0.5, dtype)
    obs = torch.randn(*leading, 7, generator=torch.Generator().manual_seed(0)).to(dtype)
    mean, value = network(obs)
    assert mean.shape == (*leading, 3)
    assert value.shape == leading
    assert mean.dtype == value.dtype == network.value(obs).dtype == torch.float32
    torch.testing.assert_close(network.value(obs), value, rtol=1e-6, atol=1e-6)
    assert network.log_std.tolist() == [-0.5] * 3
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}


def test_the_trunk_is_shared_and_as_asked() -> None:
    network = ActorCritic(7, 3, [16, 8])
    shapes = [tuple(parameter.shape) for parameter in network.trunk.parameters()]
    assert shapes == [(16, 7), (16,), (8, 16), (8,)]
    obs = torch.randn(4, 7)
    for output in network(obs):
        network.zero_grad()
        output.sum().backward(retain_graph=True)
        gradient = network.trunk[0].weight.grad
        assert gradient is not None
        assert bool((gradient != 0).any())


def test_bfloat16_stays_near_float32() -> None:
    torch.manual_seed(0)
    exact = ActorCritic(7, 3, [64, 32])
    rough = ActorCritic(7, 3, [64, 32], trunk_dtype=torch.bfloat16)
    rough.load_state_dict(exact.state_dict())
    obs = torch.randn(100, 7)
    for own, reference in zipped(rough(obs), exact(obs)):
        assert not torch.equal(own, reference)
        assert float((own - reference).abs().max().detach()) < 0.02


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"activation": "ReLU", "hidden_sizes": [8]}, ["train.activation=ReLU", "elu, relu"]),
        ({"hidden_sizes": []}, ["train.hidden_sizes=[]", "at least one"]),
        ({"hidden_sizes": [8, 0]}, ["train.hidden_sizes=[8, 0]", "1 or more"]),
        (
            {"hidden_sizes": [8], "critic_hidden_sizes": []},
            ["train.critic_hidden_sizes=[]", "at least one"],
        ),
    ],
)
def test_mistakes(settings: dict, words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        ActorCritic(7, 3, **settings)
    for word in words:
        assert word in str(caught.value)


def test_a_trunk_of_its_own_for_the_value() -> None:
    network = ActorCritic(7, 3, [16, 8], critic_hidden_sizes=[12])
    assert network.critic_trunk is not None
    assert [tuple(p.shape) for p in network.critic_trunk.parameters()] == [(12, 7), (12,)]
    obs = torch.randn(4, 7, generator=torch.Generator().manual_seed(0))
    mean, value = network(obs)
    torch.testing.assert_close(network.value(obs), value, rtol=1e-6, atol=1e-6)
    mean.sum().backward()
    assert network.critic_trunk[0].weight.grad is None
    network.zero_grad()
    value.sum().backward()
    assert network.trunk[0].weight.grad is None


@pytest.mark.parametrize("leading", [(5,), (3, 5)])
def test_states_are_for_the_value_alone(leading: tuple[int, ...]) -> None:
    network = ActorCritic(7, 3, [16], critic_hidden_sizes=[12], num_states=2)
    assert network.critic_trunk is not None
    assert network.trunk[0].weight.shape == (16, 5)
    assert network.critic_trunk[0].weight.shape == (12, 2)
    obs = torch.randn(*leading, 7, generator=torch.Generator().manual_seed(0))
    mean, value = network(obs)
    other_states, other_rest = obs.clone(), obs.clone()
    other_states[..., 5:] += 1.0
    other_rest[..., :5] += 1.0
    assert torch.equal(network(other_states)[0], mean)
    assert not torch.equal(network(other_states)[1], value)
    assert not torch.equal(network(other_rest)[0], mean)
    assert torch.equal(network(other_rest)[1], value)
    with pytest.raises(ConfigError, match="2 states"):
        ActorCritic(7, 3, [16], num_states=2)
