"""A learning curve of any trainer: `python -m benchmarks.curve trainer=rl_games task=Ant`.

Options, as key=value:
  trainer=rl_games   one of those that benchmarks.training measures
  env_steps=16.4e6   how long to train
  return=5000        end before that, once train/return_mean is as high; by default never
  jsonl=PATH         where to write; by default <Task>_<trainer>_seed<seed>.jsonl
and the settings of a training: task, num_envs, seed, sim_device, train.*, scheduler.*, task.*

Writes a JSON object an iteration with the keys that our own metrics.jsonl has for them: iteration,
env_steps, wall_time_s, train/return_mean (mean raw return of the last 100 finished episodes, null
before the first) and train/episode_length_mean.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks import command, options
from benchmarks.pace import Finished
from benchmarks.trainers import find_trainers
from rofunc_isaac.cli.build import build_env
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import UserError

DEFAULTS: dict[str, Any] = {
    "trainer": "rl_games",
    "env_steps": 16_400_000,
    "return": float("inf"),
    "jsonl": None,
}
READERS: dict[str, Callable[[str], Any]] = {
    "trainer": str,
    "env_steps": options.steps,
    "return": float,
    "jsonl": options.path,
}
SAY_EVERY = 10
"""Iterations between two lines of progress."""


class CurvePace:
    """A `Pace` that writes a line an iteration, until `env` has taken `env_steps` steps.

    Args:
        env: a `RecordedEnv`.
        wanted: the mean return with which it ends before that.
        file: open for text.
    """

    def __init__(self, env: Any, env_steps: int, wanted: float, file: IO[str]) -> None:
        self._env, self._env_steps, self._wanted, self._file = env, env_steps, wanted, file
        self._is_reached = False
        self._iteration = 0
        self._wall_time = self._start = 0.0

    def ready(self, numerics: str) -> None:
        print(numerics, file=sys.stderr, flush=True)

    def begin(self) -> None:
        if self._is_reached or self._env.env_steps >= self._env_steps:
            raise Finished
        self._start = time.perf_counter()

    def end(self, rollout_s: float, update_s: float) -> None:
        self._wall_time += time.perf_counter() - self._start
        self._iteration += 1
        finished, mean_return, mean_length = self._env.episodes.means()
        none_yet = finished.item() == 0
        line = {
            "iteration": self._iteration,
            "env_steps": self._env.env_steps,
            "wall_time_s": self._wall_time,
            "train/return_mean": None if none_yet else mean_return.item(),
            "train/episode_length_mean": None if none_yet else mean_length.item(),
        }
        self._file.write(json.dumps(line, allow_nan=False) + "\n")
        self._file.flush()
        self._is_reached = not none_yet and mean_return.item() >= self._wanted
        is_last = self._is_reached or self._env.env_steps >= self._env_steps
        if self._iteration % SAY_EVERY == 0 or is_last:
            print(json.dumps(line), file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, train)


def train(words: Sequence[str]) -> Path:
    """Train and write the curve; returns its path.

    Raises:
        UserError: words that make no sense, or a file that is there already.
    """
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    (trainer,) = find_trainers([chosen["trainer"]]).values()
    config = compose([*overrides, *trainer.overrides])
    default_name = f"{config.task.name}_{chosen['trainer']}_seed{config.seed}.jsonl"
    path = Path(chosen["jsonl"] or default_name)
    try:
        file = open(path, "x", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise UserError(f"jsonl={path}: {error.strerror}; choose another path") from error
    # A trainer's own threads may write their logs still when it has ended.
    scratch = tempfile.TemporaryDirectory(prefix="benchmark_curve_", ignore_cleanup_errors=True)
    with file, scratch as folder:
        # Only now may torch be imported, after the simulator.
        env = build_env(config)
        from benchmarks.recorded_env import RecordedEnv

        recorded = RecordedEnv(env)
        pace = CurvePace(recorded, chosen["env_steps"], chosen["return"], file)
        with contextlib.suppress(Finished):
            importlib.import_module(trainer.module).run(recorded, config, Path(folder), pace)
    return path


if __name__ == "__main__":
    sys.exit(main())
