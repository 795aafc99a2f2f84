"""The policy and value network: one trunk or two, a Gaussian head and a value head."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from rofunc_isaac.errors import ConfigError

ACTIVATIONS: Dict[str, Callable[[], nn.Module]] = {
    # In place, its gradient follows from its result, without a second exponential.
    "elu": lambda: nn.ELU(inplace=True),
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "silu": nn.SiLU,
}


class ActorCritic(nn.Module):
    """Mean and value share a trunk, or have one each; the log standard deviation does not depend on
    the state.

    Args:
        num_obs, num_actions: sizes of an observation and an action.
        hidden_sizes: widths of the trunk's layers.
        activation: a key of `ACTIVATIONS`.
        initial_log_std: start of `log_std`, (num_actions,).
        trunk_dtype: of the trunk's matrix products; the heads are float32 always, because KL and
            ratio are sensitive to the last bits of the mean.
        critic_hidden_sizes: widths of the value's own trunk; None lets it share the policy's.
        num_states: how many of the observation's last columns are for the value alone. Its trunk
            then sees these, and the policy's sees the others.

    Raises:
        ConfigError: an activation that is not known, no layer, or states without an own trunk.
    """

    def __init__(
        self,
        num_obs: int,
        num_actions: int,
        hidden_sizes: List[int],
        activation: str = "elu",
        initial_log_std: float = 0.0,
        trunk_dtype: torch.dtype = torch.float32,
        critic_hidden_sizes: Optional[List[int]] = None,
        num_states: int = 0,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ConfigError(
                f"train.activation={activation} is not one of {', '.join(ACTIVATIONS)}"
            )
        check_widths("train.hidden_sizes", hidden_sizes)
        self.trunk_dtype, self.num_policy_obs = trunk_dtype, num_obs - num_states
        self.num_states = num_states
        self.trunk = perceptron(self.num_policy_obs, hidden_sizes, activation)
        self.critic_trunk: Optional[nn.Sequential] = None
        if critic_hidden_sizes is not None:
            check_widths("train.critic_hidden_sizes", critic_hidden_sizes)
            self.critic_trunk = perceptron(num_states or num_obs, critic_hidden_sizes, activation)
        elif num_states:
            raise ConfigError(
                f"{num_states} states for the value alone need train.critic_hidden_sizes"
            )
        self.mean_head = nn.Linear(hidden_sizes[-1], num_actions)
        self.value_head = nn.Linear((critic_hidden_sizes or hidden_sizes)[-1], 1)
        self.log_std = nn.Parameter(torch.full((num_actions,), float(initial_log_std)))

    def forward(self, obs: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """Normalised observations (..., num_obs) to mean (..., num_actions) and value (...,).

        The value is in the units of the value normaliser. Both are float32.
        """
        features = self.features(self.trunk, obs[..., : self.num_policy_obs])
        if self.critic_trunk is not None:
            return self.mean_head(features), self.value(obs)
        # One product for both heads takes less time than two narrow ones.
        weight = torch.cat([self.mean_head.weight, self.value_head.weight])
        bias = torch.cat([self.mean_head.bias, self.value_head.bias])
        outputs = nn.functional.linear(features, weight, bias)
        return outputs[..., :-1], outputs[..., -1]

    def value(self, obs: torch.Tensor) -> torch.Tensor:
        """The value alone, (...,)."""
        if self.critic_trunk is None:
            return self.value_of(self.features(self.trunk, obs))
        seen = obs[..., self.num_policy_obs :] if self.num_states else obs
        return self.value_of(self.features(self.critic_trunk, seen))

    def value_of(self, features: torch.Tensor) -> torch.Tensor:
        """From the output of the value's trunk to the value, (...,)."""
        return self.value_head(features).squeeze(-1)

    def features(self, trunk: nn.Sequential, obs: torch.Tensor) -> torch.Tensor:
        """Output of a trunk, float32 (..., its last width)."""
        if self.trunk_dtype == torch.float32:
            return trunk(obs)
        with torch.autocast(obs.device.type, dtype=self.trunk_dtype):
            features = trunk(obs)
        return features.float()


def perceptron(size_in: int, widths: List[int], activation: str) -> nn.Sequential:
    """Linear layers of these widths, each with its activation."""
    layers: List[nn.Module] = []
    for before, after in zip([size_in, *widths], widths):
        layers += [nn.Linear(before, after), ACTIVATIONS[activation]()]
    return nn.Sequential(*layers)


def check_widths(key: str, widths: List[int]) -> None:
    """Raises ConfigError: no layer, or one without a unit; `key` is the setting's name."""
    if not widths or min(widths) < 1:
        raise ConfigError(f"{key}={list(widths)} needs at least one width, each 1 or more")
