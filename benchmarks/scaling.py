"""How speed and memory grow: `python -m benchmarks.scaling task=Ant`.

Options, as key=value:
  num_envs=256,512,1024,2048,4096,8192,16384   with the task's own horizon
  horizons=8,16,32,64                          with the task's own number of environments
  threads=1,2                                  by default 1, 2, 4, ... up to the processor's cores
  iterations=5                                 measured for each, after as many to burn in
  json=PATH                                    where to write the numbers
and the settings of a training: task, seed, train.*, scheduler.*, task.*

Each line is a training of ours in a process of its own, one at a time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import command, machine, options
from benchmarks.worker import Worker
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.files import atomic_write


def thread_counts() -> list[int]:
    """1, 2, 4, ... up to the number of cores."""
    cores = os.cpu_count() or 1
    return [2**power for power in range(cores.bit_length()) if 2**power <= cores]


DEFAULTS: dict[str, Any] = {
    "num_envs": [2**power for power in range(8, 15)],
    "horizons": [8, 16, 32, 64],
    "threads": thread_counts(),
    "iterations": 5,
    "json": None,
}
READERS: dict[str, Callable[[str], Any]] = {
    "num_envs": lambda text: [options.count(name) for name in options.names(text)],
    "horizons": lambda text: [options.count(name) for name in options.names(text)],
    "threads": lambda text: [options.count(name) for name in options.names(text)],
    "iterations": options.count,
    "json": options.path,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> list[dict[str, Any]]:
    """Train at every size, print the table, write the JSON file.

    Raises:
        UserError: words that make no sense. WorkerError: a training broke down.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    task = compose(overrides).task.name
    sizes = [[f"num_envs={number}"] for number in chosen["num_envs"]]
    sizes += [[f"train.horizon_length={number}"] for number in chosen["horizons"]]
    sizes += [
        [f"task.sim.num_threads={number}", f"train.update_threads={number}"]
        for number in chosen["threads"]
    ]
    print(task)
    print(", ".join(f"{key} {value}" for key, value in machine.describe().items()))
    print("| setting | env steps/s | rollout | update | peak MB |")
    print("|---|---:|---:|---:|---:|")
    rows = []
    for size in sizes:
        rows.append(train([*overrides, *size], chosen["iterations"]))
        numbers = " | ".join(f"{number:,.0f}" for number in rows[-1].values())
        print(f"| `{' '.join(size)}` | {numbers} |", flush=True)
        rows[-1]["setting"] = " ".join(size)
    if chosen["json"] is not None:
        found = {"task": task, "machine": machine.describe(), "rows": rows}
        atomic_write(Path(chosen["json"]), json.dumps(found, indent=2).encode() + b"\n")
    return rows


def train(overrides: list[str], iterations: int) -> dict[str, Any]:
    """Rates and memory of one training with these settings."""
    config = compose(overrides)
    env_steps = config.num_envs * config.train.horizon_length * iterations
    with Worker("ours", "benchmarks.trainers.ours", overrides) as worker:
        worker.start()
        worker.train(iterations)
        found = worker.train(iterations)
    return {
        "env_steps_per_s": env_steps / found.seconds,
        "rollout_env_steps_per_s": env_steps / found.rollout_s,
        "update_env_steps_per_s": env_steps / found.update_s,
        "peak_memory_mb": found.peak_memory_bytes / 1e6,
    }


if __name__ == "__main__":
    sys.exit(main())
