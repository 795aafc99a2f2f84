"""How long until a policy is good: `python -m benchmarks.time_to_return task=Ant return=5000`.

Options, as key=value:
  return=5000            mean return of the last 100 episodes, with exploration noise
  trainers=ours,rl_games,rsl_rl,skrl,sb3
  seeds=1                seeds, between commas: a training of each trainer for each
  env_steps=30e6         give up after so many
  json=PATH              where to write the numbers
and the settings of a training, for all trainers: num_envs, sim_device, task.*

Each trainer has its own settings: ours the task's defaults, the others what is published for them
(`PUBLISHED`). One training runs at a time, in a process of its own; the time counts from the start
of that process, so that it holds imports, the making of environments, and compilers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import command, machine, options
from benchmarks.trainers import find_trainers
from rofunc_isaac import idle_threads
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write

PUBLISHED: dict[str, dict[str, tuple[str, ...]]] = {
    # IsaacGymEnvs' settings for rl_games and skrl; Isaac Lab's for rsl_rl, with our scale of the
    # rewards, because rsl_rl does not normalise values. Nothing is published of SB3 for so many
    # environments: it takes IsaacGymEnvs' as well.
    "Ant": {
        "ours": (),
        "rl_games": ("train.initial_log_std=0",),
        "skrl": ("train.initial_log_std=0", "scheduler.kl_threshold=0.008"),
        "rsl_rl": (
            "train.initial_log_std=0",
            "scheduler.kl_threshold=0.01",
            "train.horizon_length=32",
            "train.num_minibatches=4",
            "train.mini_epochs=5",
            "train.learning_rate=5e-4",
            "train.hidden_sizes=[400,200,100]",
            "train.max_grad_norm=1.0",
        ),
        "sb3": ("train.initial_log_std=0",),
    },
    # IsaacGymEnvs' settings, which are ours too.
    "Cartpole": {"skrl": ("scheduler.kl_threshold=0.008",)},
}
DEFAULTS: dict[str, Any] = {
    "return": 5000,
    "trainers": ["ours", "rl_games", "rsl_rl", "skrl", "sb3"],
    "seeds": ["1"],
    "env_steps": 30_000_000,
    "json": None,
}
READERS: dict[str, Callable[[str], Any]] = {
    "return": options.steps,
    "trainers": options.names,
    "seeds": options.names,
    "env_steps": options.steps,
    "json": options.path,
}


@dataclass
class Outcome:
    """Of one training; the first three are None where it did not get there."""

    trainer: str
    seed: str
    seconds: float | None
    """From the start of its process."""
    training_seconds: float | None
    """Of its iterations alone."""
    env_steps: int | None
    best_return: float


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> list[Outcome]:
    """Train them all, print the table, write the JSON file.

    Raises:
        UserError: words that make no sense. subprocess.CalledProcessError: a trainer broke down.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    if any(word.startswith("seed=") for word in overrides):
        raise UserError("seed: give it as seeds=1, or several as seeds=1,2,3")
    find_trainers(chosen["trainers"])
    task = compose(overrides).task.name
    if task not in PUBLISHED:
        raise UserError(
            f"task={task}: settings of other trainers are known for {', '.join(PUBLISHED)} alone; "
            "add the task to PUBLISHED in benchmarks/time_to_return.py"
        )
    outcomes = []
    for seed in chosen["seeds"]:
        for trainer in chosen["trainers"]:
            own = [*overrides, *PUBLISHED[task].get(trainer, ()), f"seed={seed}"]
            outcomes.append(train(trainer, seed, own, chosen["return"], chosen["env_steps"]))
            print(table(outcomes[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(f"{task}, until a mean return of {chosen['return']:,}")
    print(", ".join(f"{key} {value}" for key, value in machine.describe().items()))
    print(table(outcomes), flush=True)
    if chosen["json"] is not None:
        found = {
            "task": task,
            "return": chosen["return"],
            "machine": machine.describe(),
            "trainings": [asdict(outcome) for outcome in outcomes],
        }
        atomic_write(Path(chosen["json"]), json.dumps(found, indent=2).encode() + b"\n")
    return outcomes


def train(trainer: str, seed: str, overrides: list[str], wanted: int, env_steps: int) -> Outcome:
    """One training, in a process of its own, until the return `wanted` or `env_steps`."""
    with tempfile.TemporaryDirectory(prefix="time_to_return_") as folder:
        path = Path(folder) / "curve.jsonl"
        words = [f"trainer={trainer}", f"env_steps={env_steps}", f"return={wanted}"]
        command = [sys.executable, "-m", "benchmarks.curve", *words, f"jsonl={path}", *overrides]
        start = time.perf_counter()
        environment = {**os.environ, **idle_threads.settings()}
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        seconds = time.perf_counter() - start
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    returns = [line["train/return_mean"] for line in lines if line["train/return_mean"] is not None]
    best = max(returns, default=float("nan"))
    if not best >= wanted:
        return Outcome(trainer, seed, None, None, None, best)
    last = lines[-1]
    return Outcome(trainer, seed, seconds, last["wall_time_s"], last["env_steps"], best)


def table(outcomes: Sequence[Outcome]) -> str:
    """A Markdown table, a training a line."""
    lines = [
        "| trainer | seed | seconds | of them training | env steps | best return |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for found in outcomes:
        numbers = (found.seconds, found.training_seconds, found.env_steps, found.best_return)
        cells = ["not reached" if number is None else f"{number:,.0f}" for number in numbers]
        lines.append(f"| {found.trainer} | {found.seed} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
