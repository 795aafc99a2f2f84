"""What a GPU gives, in one run: `python -m benchmarks.gpu_report json=gpu.json`.

Options, as key=value:
  sim_device=cuda:0       where to run; without a GPU it is MuJoCo Warp on the CPU, at small sizes
  tasks=Ant,Humanoid      whose rates are measured
  sizes=1024,...,65536    environments of the raw engine's table
  num_envs=4096           of the trainings; by default the task's own
  iterations=10           measured of each training, after as many to burn in
  return=5000             of Ant, that a training runs to; on the CPU only if it is given
  json=PATH               where to write the numbers

The engine's own rate against the number of environments; trainings from end to end and their share
of it, rsl_rl's beside ours where it is installed; whether ours runs as graphs; how often it makes
the host wait for the device in an iteration, which must be never; memory; and the time to a return.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks import command, host_syncs, machine, options, time_to_return
from benchmarks.trainers import TRAINERS
from benchmarks.worker import Segment, Worker
from rofunc_isaac.cli.build import build_env, build_learner
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.files import atomic_write

READERS: dict[str, Callable[[str], Any]] = {
    "sim_device": str,
    "tasks": options.names,
    "sizes": lambda text: [options.count(name) for name in options.names(text)],
    "num_envs": options.count,
    "iterations": options.count,
    "return": options.steps,
    "json": options.path,
}
ON_GPU: dict[str, Any] = {
    "sim_device": "cuda:0",
    "tasks": ["Ant", "Humanoid"],
    "sizes": [2**power for power in range(10, 17)],
    "num_envs": None,
    "iterations": 10,
    "return": 5000,
    "json": None,
}
ON_CPU: dict[str, Any] = {
    **ON_GPU,
    "sim_device": "cpu",
    "sizes": [16, 64],
    "num_envs": 64,
    "iterations": 1,
    "return": None,
}
SYNC_ITERATIONS = 5
"""Iterations before the one that is watched: graphs are captured by then."""
ENV_STEPS = 100_000_000
"""After so many the training to a return gives up."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> dict[str, Any]:
    """Measure everything, print it as it comes, write the JSON file.

    Raises:
        UserError: words that make no sense. WorkerError: a training broke down.
    """
    given, _ = options.parse(words, READERS)
    chosen = {**(ON_GPU if torch.cuda.is_available() else ON_CPU), **given}
    device = chosen["sim_device"]
    report: dict[str, Any] = {"device": describe(device), "machine": machine.describe()}
    print(f"# {report['device']}")
    print(", ".join(f"{key} {value}" for key, value in report["machine"].items()))
    report["raw_engine"] = {task: raw_rates(task, device, chosen) for task in chosen["tasks"]}
    report["trainings"] = {task: trainings(task, device, chosen) for task in chosen["tasks"]}
    report.update(watched_iteration(device, chosen))
    if chosen["return"] is not None:
        report["time_to_return"] = time_to(chosen["return"], device, chosen)
    if chosen["json"] is not None:
        atomic_write(Path(chosen["json"]), json.dumps(report, indent=2).encode() + b"\n")
    return report


def describe(device: str) -> str:
    """The device in words."""
    if not device.startswith("cuda"):
        return "no GPU: MuJoCo Warp on the CPU, at sizes that only show that this program works"
    properties = torch.cuda.get_device_properties(device)
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        check=False,
        capture_output=True,
        text=True,
    )
    version = driver.stdout.split("\n")[0].strip() or "unknown"
    memory = properties.total_memory / 1e9
    return f"{properties.name}, {memory:.0f} GB, driver {version}, CUDA {torch.version.cuda}"


def words_for(task: str, device: str, num_envs: int | None) -> list[str]:
    """The settings of a training of `task` on MuJoCo Warp."""
    words = [f"task={task}", "simulator=mujoco_warp", f"sim_device={device}", f"rl_device={device}"]
    return words if num_envs is None else [*words, f"num_envs={num_envs}"]


def run(name: str, module: str, words: list[str], iterations: int) -> tuple[Segment, int]:
    """A segment after as long a burn-in, and the env steps that it took."""
    config = compose(words)
    with Worker(name, module, words) as worker:
        worker.start()
        worker.train(iterations)
        segment = worker.train(iterations)
    return segment, config.num_envs * config.train.horizon_length * iterations


def raw_rates(task: str, device: str, chosen: dict[str, Any]) -> dict[int, float]:
    """Env steps/s of the physics alone, by the number of environments."""
    print(f"\n## {task}: the engine alone\n\n| environments | env steps/s |\n|---:|---:|")
    rates = {}
    for size in chosen["sizes"]:
        words = words_for(task, device, size)
        segment, steps = run("physics", "benchmarks.raw_physics", words, chosen["iterations"])
        rates[size] = steps / segment.rollout_s
        print(f"| {size:,} | {rates[size]:,.0f} |", flush=True)
    return rates


def trainings(task: str, device: str, chosen: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Rates and memory from end to end, and their share of the engine's at the same size."""
    words = words_for(task, device, chosen["num_envs"])
    segment, steps = run("physics", "benchmarks.raw_physics", words, chosen["iterations"])
    raw = steps / segment.rollout_s
    print(f"\n## {task}: trainings, {compose(words).num_envs:,} environments\n")
    print("| trainer | env steps/s | of the engine alone | rollout | update | peak MB |")
    print("|---|---:|---:|---:|---:|---:|")
    found = {}
    for name in ("ours", "rsl_rl"):
        if name == "rsl_rl" and importlib.util.find_spec("rsl_rl") is None:
            continue
        segment, steps = run(name, TRAINERS[name].module, words, chosen["iterations"])
        numbers = {
            "env_steps_per_s": steps / segment.seconds,
            "of_raw_engine": steps / segment.seconds / raw,
            "rollout_env_steps_per_s": steps / segment.rollout_s,
            "update_env_steps_per_s": steps / segment.update_s,
            "peak_memory_mb": segment.peak_memory_bytes / 1e6,
        }
        rate, share, *others = numbers.values()
        rest = " | ".join(f"{number:,.0f}" for number in others)
        print(f"| {name} | {rate:,.0f} | {share:.2f} | {rest} |", flush=True)
        found[name] = numbers
    return found


def watched_iteration(device: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """Ant: what is a graph, and what made the host wait in an iteration."""
    config = compose(words_for("Ant", device, chosen["num_envs"]))
    env = build_env(config)
    learner = build_learner(config, env)
    for _ in range(SYNC_ITERATIONS):
        learner.iterate()
    with host_syncs.counted() as syncs:
        learner.gather()
        learner.learn()
    graphs = {**learner.graphs(), "env": env.graphed.status}
    print("\n## Ant: an iteration\n")
    for part, status in graphs.items():
        print(f"- {part}: {status}")
    print(f"- host waits for the device: {sum(syncs.values())}", *syncs, sep="\n  ", flush=True)
    return {
        "graphs": graphs,
        "host_syncs_per_iteration": sum(syncs.values()),
        "host_syncs": dict(syncs),
    }


def time_to(wanted: int, device: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """Wall time and env steps until Ant's return."""
    words = words_for("Ant", device, chosen["num_envs"])
    outcome = time_to_return.train("ours", "1", words, wanted, ENV_STEPS)
    print(f"\n## Ant: to a return of {wanted:,}\n")
    print(time_to_return.table([outcome]), flush=True)
    return {
        "return": wanted,
        "seconds": outcome.seconds,
        "training_seconds": outcome.training_seconds,
        "env_steps": outcome.env_steps,
        "best_return": outcome.best_return,
    }


if __name__ == "__main__":
    sys.exit(main())
