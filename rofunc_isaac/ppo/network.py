"""The policy and value network: one trunk, a Gaussian head and a value head."""

from __future__ import annotations

from typing import List, Tuple

import torch
from torch import nn

from rofunc_isaac.errors import ConfigError

ACTIVATIONS = {"elu": nn.ELU, "relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


class ActorCritic(nn.Module):
    """Mean and value share a trunk; the log standard deviation does not depend on the state.

    Args:
        num_obs, num_actions: sizes of an observation and an action.
        hidden_sizes: widths of the trunk's layers.
        activation: a key of `ACTIVATIONS`.
        initial_log_std: start of `log_std`, (num_actions,).
        trunk_dtype: of the trunk's matrix products; the heads are float32 always, because KL and
            ratio are sensitive to the last bits of the mean.

    Raises:
        ConfigError: an activation that is not known, or no layer.
    """

    def __init__(
        self,
        num_obs: int,
        num_actions: int,
        hidden_sizes: List[int],
        activation: str = "elu",
        initial_log_std: float = 0.0,
        trunk_dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ConfigError(
                f"train.activation={activation} is not one of {', '.join(ACTIVATIONS)}"
            )
        if not hidden_sizes or min(hidden_sizes) < 1:
            raise ConfigError(
                f"train.hidden_sizes={list(hidden_sizes)} needs at least one width, each 1 or more"
            )
        self.trunk_dtype = trunk_dtype
        layers: List[nn.Module] = []
        for size_in, size_out in zip([num_obs, *hidden_sizes], hidden_sizes):
            layers += [nn.Linear(size_in, size_out), ACTIVATIONS[activation]()]
        self.trunk = nn.Sequential(*layers)
        self.mean_head = nn.Linear(hidden_sizes[-1], num_actions)
        self.value_head = nn.Linear(hidden_sizes[-1], 1)
        self.log_std = nn.Parameter(torch.full((num_actions,), float(initial_log_std)))

    def forward(self, obs: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """Normalised observations (..., num_obs) to mean (..., num_actions) and value (...,).

        The value is in the units of the value normaliser. Both are float32.
        """
        features = self.features(obs)
        return self.mean_head(features), self.value_head(features).squeeze(-1)

    def value(self, obs: torch.Tensor) -> torch.Tensor:
        """The value alone, (...,)."""
        return self.value_head(self.features(obs)).squeeze(-1)

    def features(self, obs: torch.Tensor) -> torch.Tensor:
        """Output of the trunk, float32 (..., hidden_sizes[-1])."""
        if self.trunk_dtype == torch.float32:
            return self.trunk(obs)
        with torch.autocast(obs.device.type, dtype=self.trunk_dtype):
            features = self.trunk(obs)
        return features.float()
