"""Training speed beside others': `python -m benchmarks.training task=Ant`.

Options, as key=value:
  trainers=ours,ours_float32,rl_games   which to measure
  iterations=10    iterations in a row of one trainer, before the next one's turn
  repeats=6        turns of each trainer
  burn_in=5        iterations of each before the first turn, not measured
  peers=helped     or plain: without what ours does for the environments, see below
  json=PATH        where to write the numbers
and the settings of a training: task, num_envs, seed, sim_device, train.*, scheduler.*, task.*

Every trainer has a process of its own, trains the same task with the same network and settings, and
waits while another one has its turn. Others' environments are compiled where ours are, and idle
threads of torch sleep as soon; with peers=plain, they are as `rofunc_isaac.make` gives them, and
torch's threads wait as torch lets them. Ratios are taken within a repeat. The order of the turns is
turned around from repeat to repeat.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import command, machine, options
from benchmarks.results import Result, summarize, table
from benchmarks.trainers import TRAINERS, find_trainers
from benchmarks.worker import Segment, Worker
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write

RAW_PHYSICS = "raw physics"
DEFAULTS: dict[str, Any] = {
    "trainers": list(TRAINERS),
    "iterations": 10,
    "repeats": 6,
    "burn_in": 5,
    "peers": "helped",
    "json": None,
}
READERS: dict[str, Callable[[str], Any]] = {
    "trainers": options.names,
    "iterations": options.count,
    "repeats": options.count,
    "burn_in": options.count,
    "peers": options.one_of("helped", "plain"),
    "json": options.path,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, measure)


def measure(words: Sequence[str]) -> Result:
    """Train in turns, print the table, write the JSON file.

    Raises:
        UserError: words that make no sense. WorkerError: a trainer broke down.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    trainers = find_trainers(chosen["trainers"])
    path = None if chosen["json"] is None else Path(chosen["json"])
    if path is not None and not path.resolve().parent.is_dir():
        raise UserError(f"json={path}: there is no folder {path.resolve().parent}")
    config = compose(overrides)
    env_steps_per_iteration = config.num_envs * config.train.horizon_length

    segments: dict[str, list[Segment]] = {name: [] for name in (*trainers, RAW_PHYSICS)}
    with contextlib.ExitStack() as stack:
        workers = {}
        for name in segments:
            trainer = trainers.get(name)
            module = "benchmarks.raw_physics" if trainer is None else trainer.module
            extra = () if trainer is None else trainer.overrides
            plain = chosen["peers"] == "plain" and trainer is not None and trainer.is_peer
            worker = Worker(name, module, [*overrides, *extra], as_ours=not plain)
            stack.enter_context(worker)
            worker.start()
            worker.train(chosen["burn_in"])
            say(f"{name} is ready: {worker.numerics}")
            workers[name] = worker
        for repeat in range(chosen["repeats"]):
            order = list(workers) if repeat % 2 == 0 else list(workers)[::-1]
            for name in order:
                segment = workers[name].train(chosen["iterations"])
                segments[name].append(segment)
                seconds = segment.rollout_s if name == RAW_PHYSICS else segment.seconds
                rate = env_steps_per_iteration * segment.iterations / seconds
                say(f"repeat {repeat + 1}/{chosen['repeats']}  {name}: {rate:,.0f} env steps/s")

    raw_physics = segments.pop(RAW_PHYSICS)
    result = summarize(
        segments,
        raw_physics,
        env_steps_per_iteration,
        peers=[name for name, trainer in trainers.items() if trainer.is_peer],
        numerics={name: workers[name].numerics for name in trainers},
    )
    run = {
        "task": config.task.name,
        "num_envs": config.num_envs,
        "horizon_length": config.train.horizon_length,
        "overrides": overrides,
        **{key: chosen[key] for key in ("iterations", "repeats", "burn_in", "peers")},
        "machine": machine.describe(),
    }
    print(f"{run['task']}, {run['num_envs']:,} envs, horizon {run['horizon_length']}")
    print(", ".join(f"{key} {value}" for key, value in run["machine"].items()))
    print(table(result), flush=True)
    if path is not None:
        text = json.dumps({**run, **result.as_dict()}, indent=2)
        atomic_write(path, text.encode() + b"\n")
    return result


def say(text: str) -> None:
    """Progress, apart from the table."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
