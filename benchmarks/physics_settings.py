"""What the physics' settings cost, and what they change: `python -m benchmarks.physics_settings`.

Options, as key=value:
  repeats=6        turns of each setting
  iterations=4     horizons in a turn
  json=PATH        where to write the numbers
and the settings of a training: task, num_envs, seed, task.*

Speed is that of the physics alone, under random actions, in turns. The change is that of the
worlds' positions after one frame, from one and the same state under the same actions, beside a
solver that goes on for as long as it gains anything: root mean square over all worlds and
coordinates, in m and rad (quaternions as they are).
"""

from __future__ import annotations

import contextlib
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks import command, machine, options
from benchmarks.raw_physics import SETTLE_STEPS
from benchmarks.worker import Worker
from rofunc_isaac.cli.build import build_env
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.files import atomic_write

EXACT = ("task.sim.solver.iterations=1000", "task.sim.solver.tolerance=0")
SETTINGS: tuple[tuple[str, ...], ...] = (
    (),
    ("task.sim.solver.warm_start=true",),
    ("task.sim.solver.tolerance=1e-6",),
    ("task.sim.solver.iterations=4", "task.sim.solver.tolerance=1e-6"),
    ("task.sim.solver.iterations=2",),
    ("task.sim.substeps=1",),
    ("task.sim.substeps=4",),
)
"""What is measured beside the task's own settings, the first."""
DEFAULTS: dict[str, Any] = {"repeats": 6, "iterations": 4, "json": None}
READERS: dict[str, Callable[[str], Any]] = {
    "repeats": options.count,
    "iterations": options.count,
    "json": options.path,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> list[dict[str, Any]]:
    """Measure every setting, print the table, write the JSON file.

    Raises:
        UserError: words that make no sense. WorkerError: a setting broke down.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    config = compose(overrides)
    frames = config.train.horizon_length * config.task.env.control_frequency_inv
    env_frames = config.num_envs * frames * chosen["iterations"]
    rates: list[list[float]] = [[] for _ in SETTINGS]
    with contextlib.ExitStack() as stack:
        workers = []
        for setting in SETTINGS:
            worker = Worker("physics", "benchmarks.raw_physics", [*overrides, *setting])
            workers.append(stack.enter_context(worker))
            worker.start()
        for repeat in range(chosen["repeats"]):
            order = range(len(workers)) if repeat % 2 == 0 else reversed(range(len(workers)))
            for index in order:
                seconds = workers[index].train(chosen["iterations"]).rollout_s
                rates[index].append(env_frames / seconds)
    changes = position_changes(overrides)
    rows = [
        {
            "setting": " ".join(setting) or "as it ships",
            "env_frames_per_s": statistics.median(own),
            "speed": statistics.median(a / b for a, b in zip(own, rates[0], strict=True)),
            "position_change": change,
        }
        for setting, own, change in zip(SETTINGS, rates, changes, strict=True)
    ]
    print(f"{config.task.name}, {config.num_envs:,} envs")
    print(", ".join(f"{key} {value}" for key, value in machine.describe().items()))
    print("| setting | env frames/s | speed | change of positions in a frame |")
    print("|---|---:|---:|---:|")
    for row in rows:
        numbers = f"{row['env_frames_per_s']:,.0f} | {row['speed']:.2f}"
        print(f"| `{row['setting']}` | {numbers} | {row['position_change']:.1e} |", flush=True)
    if chosen["json"] is not None:
        found = {"task": config.task.name, "machine": machine.describe(), "rows": rows}
        atomic_write(Path(chosen["json"]), json.dumps(found, indent=2).encode() + b"\n")
    return rows


def position_changes(overrides: Sequence[str]) -> list[float]:
    """Of each setting, beside the exact solution of the task's own: see the top of this file."""
    exact = build_env(compose([*overrides, *EXACT]))
    generator = torch.Generator().manual_seed(0)

    def actions() -> torch.Tensor:
        return 2.0 * torch.rand(exact.num_envs, exact.num_actions, generator=generator) - 1.0

    exact.reset()
    for _ in range(SETTLE_STEPS):
        exact.step(actions())
    start, last = exact.sim.snapshot(), actions()

    def positions_after(env: Any) -> torch.Tensor:
        env.sim.restore(start)
        env.pre_physics_step(last)
        env.gym.simulate(env.sim)
        return env.sim.batch.view("qpos").clone()

    expected = positions_after(exact)
    changes = []
    for setting in SETTINGS:
        found = positions_after(build_env(compose([*overrides, *setting])))
        changes.append(float((found - expected).square().mean().sqrt()))
    return changes


if __name__ == "__main__":
    sys.exit(main())
