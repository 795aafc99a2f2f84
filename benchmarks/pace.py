"""How a trainer is told when to go on, whoever owns its loop."""

from __future__ import annotations

from typing import Protocol


class Finished(Exception):  # noqa: N818  not an error: it ends a loop that has no end of its own
    """Enough iterations: raised through the trainer's loop by `Pace.begin`."""


class Pace(Protocol):
    """What a trainer calls around each of its iterations (one rollout and its update)."""

    def ready(self, numerics: str) -> None:
        """Once, before the first iteration. `numerics` says what is computed how, in short."""
        ...

    def begin(self) -> None:
        """Before an iteration. May block, with the clock stopped.

        Raises:
            Finished: there is no further iteration; let it pass through.
        """
        ...

    def end(self, rollout_s: float, update_s: float) -> None:
        """After an iteration: the seconds of its rollout and of its update."""
        ...
