"""Returns and lengths of finished episodes, gathered without waiting for the device."""

from __future__ import annotations

from typing import Dict, Tuple

import torch

WINDOW = 100
"""Means are over this many of the last finished episodes."""


class EpisodeStatistics:
    """Sums rewards by env, and keeps the last `WINDOW` episodes that finished.

    Args:
        num_envs: number of environments.
        device: where rewards come from.
    """

    def __init__(self, num_envs: int, device: torch.device) -> None:
        self._return = torch.zeros(num_envs, device=device)
        self._length = torch.zeros(num_envs, device=device)
        # One row more than the window: it takes what must not be kept.
        self._finished = torch.zeros(WINDOW + 1, 2, device=device)
        self._count = torch.zeros((), dtype=torch.int64, device=device)

    def record(self, reward: torch.Tensor, done: torch.Tensor) -> None:
        """Add one step: `reward` and `done`, (num_envs,)."""
        self._return += reward
        self._length += 1
        number = done.cumsum(0) - 1 + self._count
        self._count += done.sum()
        # Of more than WINDOW episodes in one step the last ones count.
        kept = done & (number >= self._count - WINDOW)
        row = torch.where(kept, number % WINDOW, WINDOW)
        self._finished.index_copy_(0, row, torch.stack([self._return, self._length], dim=1))
        self._return.masked_fill_(done, 0.0)
        self._length.masked_fill_(done, 0.0)

    def restart(self) -> None:
        """Forget the episodes that are running: all environments begin new ones."""
        self._return.zero_()
        self._length.zero_()

    def means(self) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Number of finished episodes, mean return and mean length; NaN before the first."""
        size = self._count.clamp(max=WINDOW)
        rows = torch.arange(WINDOW, device=size.device) < size
        mean = (self._finished[:WINDOW] * rows[:, None]).sum(0) / size
        return self._count, mean[0], mean[1]

    def state_dict(self) -> Dict[str, torch.Tensor]:
        return {
            "return": self._return,
            "length": self._length,
            "finished": self._finished,
            "count": self._count,
        }

    def load_state_dict(self, state: Dict[str, torch.Tensor]) -> None:
        """Restore; running sums only where the number of envs is the same."""
        self._finished.copy_(state["finished"])
        self._count.copy_(state["count"])
        if state["return"].shape == self._return.shape:
            self._return.copy_(state["return"])
            self._length.copy_(state["length"])
