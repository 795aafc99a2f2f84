"""What it costs to train in several processes: `python -m benchmarks.processes task=Ant`.

Options, as key=value:
  processes=2,3    how many to join
  iterations=20    of a training, the first quarter of them not measured
  repeats=3        of each pair
  json=PATH        where to write the numbers
and the settings of a training: task, num_envs (of each process), train.*, scheduler.*, task.*

N processes train one policy together under torchrun, then N train each its own at the same time.
Both do the same work on the same cores: what the first are slower is what joining costs, with the
waiting for the slowest. Each process has one thread for the physics and one for torch.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import command, machine, options
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.files import atomic_write

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = ("task.sim.num_threads=1", "train.update_threads=1", "train.rollout_threads=1")

DEFAULTS: dict[str, Any] = {"processes": [2, 3], "iterations": 20, "repeats": 3, "json": None}
READERS: dict[str, Callable[[str], Any]] = {
    "processes": lambda text: [options.count(name) for name in options.names(text)],
    "iterations": options.count,
    "repeats": options.count,
    "json": options.path,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> list[dict[str, Any]]:
    """Train joined and apart in turns, print the table, write the JSON file.

    Raises:
        UserError: words that make no sense.
        subprocess.CalledProcessError: a training broke down.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    task = compose(overrides).task.name
    overrides = [*overrides, *ONE_THREAD, f"max_iterations={chosen['iterations']}"]
    print(task)
    print(", ".join(f"{key} {value}" for key, value in machine.describe().items()))
    print("| processes | joined, env steps/s | apart | joined by apart |")
    print("|---|---:|---:|---:|")
    rows = []
    for number in chosen["processes"]:
        pairs = [
            (train_joined(number, overrides), train_apart(number, overrides))
            for _ in range(chosen["repeats"])
        ]
        ratios = [joined / apart for joined, apart in pairs]
        joined, apart = (statistics.median(rates) for rates in zip(*pairs))
        row = {"processes": number, "joined": joined, "apart": apart, "ratios": ratios}
        rows.append(row)
        middle, spread = statistics.median(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"| {number} | {joined:,.0f} | {apart:,.0f} | {middle:.2f} ({spread}) |", flush=True)
    if chosen["json"] is not None:
        found = {"task": task, "machine": machine.describe(), "rows": rows}
        atomic_write(Path(chosen["json"]), json.dumps(found, indent=2).encode() + b"\n")
    return rows


def train_joined(number: int, words: Sequence[str]) -> float:
    """Env steps/s of all `number` processes, which train one policy."""
    torchrun = ("torch.distributed.run", "--standalone", f"--nproc-per-node={number}")
    with tempfile.TemporaryDirectory(prefix="processes_") as folder:
        run = Path(folder) / "run"
        start(["-m", *torchrun, "train.py", "multi_gpu=True", *words], run, wait=True)
        return rate(run)


def train_apart(number: int, words: Sequence[str]) -> float:
    """Env steps/s of `number` processes together, each of which trains a policy of its own."""
    with tempfile.TemporaryDirectory(prefix="processes_") as folder:
        runs = [Path(folder) / f"run{index}" for index in range(number)]
        started = [start(["train.py", *words], run, wait=False) for run in runs]
        for process in started:
            output, _ = process.communicate()
            if process.returncode != 0:
                raise subprocess.CalledProcessError(process.returncode, process.args, stderr=output)
        return sum(rate(run) for run in runs)


def start(words: Sequence[str], run: Path, wait: bool) -> subprocess.Popen[str]:
    """Python with these words, training into `run`.

    Raises:
        subprocess.CalledProcessError: it failed, where it is waited for.
    """
    arguments = [sys.executable, *words, f"run_dir={run}", "wandb_activate=False"]
    process = subprocess.Popen(
        arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if wait:
        output, _ = process.communicate()
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, arguments, stderr=output)
    return process


def rate(run: Path) -> float:
    """Env steps/s over the last three quarters of a run's iterations."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    first, last = lines[len(lines) // 4], lines[-1]
    seconds = last["wall_time_s"] - first["wall_time_s"]
    return (last["env_steps"] - first["env_steps"]) / seconds


if __name__ == "__main__":
    sys.exit(main())
