"""From segments to numbers, and from numbers to a table and JSON."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.worker import Segment

MEGABYTE = 10**6


@dataclass
class Spread:
    """Of numbers from several repeats."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        return cls(statistics.median(numbers), min(numbers), max(numbers))


@dataclass
class TrainerResult:
    """One trainer's numbers: medians over the repeats."""

    env_steps_per_s: float
    """End to end: rollout, update, and whatever else the trainer does in an iteration."""
    rollout_env_steps_per_s: float
    update_env_steps_per_s: float
    peak_memory_mb: float
    of_raw_physics: Spread
    """Its rate by that of physics alone in the same repeat."""
    to_best_peer: Spread | None
    """Its rate by the best peer's in the same repeat; None where no peer ran."""
    numerics: str
    env_steps_per_s_by_repeat: list[float] = field(default_factory=list)


@dataclass
class Result:
    """What one run of `benchmarks.training` found."""

    raw_physics_env_steps_per_s: float
    best_peer: str | None
    trainers: dict[str, TrainerResult]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarize(
    segments: dict[str, list[Segment]],
    raw_physics: list[Segment],
    env_steps_per_iteration: int,
    peers: Collection[str],
    numerics: dict[str, str],
) -> Result:
    """Rates and ratios.

    Args:
        segments: of each trainer, one a repeat.
        raw_physics: likewise, of physics alone, whose rollouts count.
        env_steps_per_iteration: num_envs * horizon_length.
        peers: which of the trainers are other people's.
        numerics: of each trainer, in words.
    """

    def rates(which: Sequence[Segment], part: str) -> list[float]:
        return [env_steps_per_iteration * s.iterations / getattr(s, part) for s in which]

    raw = rates(raw_physics, "rollout_s")
    end_to_end = {name: rates(found, "seconds") for name, found in segments.items()}
    best_peer = max(
        (name for name in segments if name in peers),
        key=lambda name: statistics.median(end_to_end[name]),
        default=None,
    )
    trainers = {}
    for name, found in segments.items():
        own = end_to_end[name]
        to_best_peer = None
        if best_peer is not None:
            to_best_peer = Spread.of([a / b for a, b in zip(own, end_to_end[best_peer])])
        trainers[name] = TrainerResult(
            env_steps_per_s=statistics.median(own),
            rollout_env_steps_per_s=statistics.median(rates(found, "rollout_s")),
            update_env_steps_per_s=statistics.median(rates(found, "update_s")),
            peak_memory_mb=max(segment.peak_memory_bytes for segment in found) / MEGABYTE,
            of_raw_physics=Spread.of([a / b for a, b in zip(own, raw)]),
            to_best_peer=to_best_peer,
            numerics=numerics[name],
            env_steps_per_s_by_repeat=own,
        )
    return Result(statistics.median(raw), best_peer, trainers)


def table(result: Result) -> str:
    """A Markdown table, a trainer a line, physics alone last."""
    peer = f"by {result.best_peer}" if result.best_peer else "by the best peer"
    rows = [
        ["trainer", "env steps/s", "rollout", "update", "peak MB", peer, "of raw physics"],
        ["---", "---:", "---:", "---:", "---:", "---:", "---:"],
    ]
    for name, found in result.trainers.items():
        rates = (
            found.env_steps_per_s,
            found.rollout_env_steps_per_s,
            found.update_env_steps_per_s,
            found.peak_memory_mb,
        )
        ratios = (found.to_best_peer, found.of_raw_physics)
        rows.append([name, *(f"{rate:,.0f}" for rate in rates), *map(_spread, ratios)])
    rows.append(["raw physics", f"{result.raw_physics_env_steps_per_s:,.0f}", *["-"] * 5])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "-"
    return f"{spread.median:.2f} ({spread.min:.2f} to {spread.max:.2f})"
