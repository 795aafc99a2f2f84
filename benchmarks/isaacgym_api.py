"""What Isaac Gym's interface costs over raw physics: `python -m benchmarks.isaacgym_api`.

Options, as key=value:
  program=ours     an Ant that calls what IsaacGymEnvs' Ant calls; or isaacgymenvs: its Ant itself,
                   from the checkout that ISAACGYMENVS_PATH names
  num_envs=2048    environments
  threads=N        physics threads, by default one a core
  torch_threads=1  torch's threads
  frames=20        frames of a repeat
  repeats=10       repeats
  json=PATH        where to write the numbers

After each frame of the program the same worlds, at the same state under the same controls, are
stepped by mjbatch alone. Of the program only what its calls of the interface take is counted; its
own code is given apart. Ratios are taken within a repeat.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mjbatch
import numpy as np
import torch

from benchmarks import command, machine, options
from benchmarks.ant_programs import PROGRAMS, Program
from benchmarks.results import Spread
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write
from rofunc_isaac.isaacgym import gymapi

WARM_UP_FRAMES = 100
DEFAULTS: dict[str, Any] = {
    "program": "ours",
    "num_envs": 2048,
    "threads": os.cpu_count() or 1,
    "torch_threads": 1,
    "frames": 20,
    "repeats": 10,
    "json": None,
}


def program_name(text: str) -> str:
    if text not in PROGRAMS:
        raise ValueError(f"must be {' or '.join(PROGRAMS)}")
    return text


READERS: dict[str, Callable[[str], Any]] = {
    "program": program_name,
    **{key: options.count for key, value in DEFAULTS.items() if isinstance(value, int)},
    "json": options.path,
}


class Clock:
    """Seconds by name, by the wall's clock and by the processor's (of all threads together)."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = defaultdict(float)
        self.processor: dict[str, float] = defaultdict(float)

    def time(self, name: str, call: Callable[[], Any]) -> Any:
        wall, processor = time.perf_counter(), time.process_time()
        result = call()
        self.wall[name] += time.perf_counter() - wall
        self.processor[name] += time.process_time() - processor
        return result


class TimedGym:
    """Isaac Gym's interface, with every call timed."""

    def __init__(self, gym: Any) -> None:
        self._gym = gym
        self.clock = Clock()
        self._began: dict[str, tuple[float, float]] = {}
        self._ended: dict[str, tuple[float, float]] = {}

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._gym, name)

        def timed(*args: Any, **words: Any) -> Any:
            self._began.setdefault(name, (time.perf_counter(), time.process_time()))
            result = self.clock.time(name, lambda: method(*args, **words))
            self._ended[name] = (time.perf_counter(), time.process_time())
            return result

        return timed

    def creation(self) -> tuple[float, float]:
        """From `create_sim` to the end of `prepare_sim`: seconds, and those of the processor."""
        began, ended = self._began["create_sim"], self._ended["prepare_sim"]
        return ended[0] - began[0], ended[1] - began[1]


class RawWorlds:
    """The worlds of a simulation once more, stepped by mjbatch with nothing around it."""

    INPUTS = ("qpos", "qvel", "qacc_warmstart", "ctrl")

    def __init__(self, sim: Any, threads: int) -> None:
        self._worlds, self._substeps = sim.batch, sim.params.substeps
        self._batch = mjbatch.Batch(sim.batch.model, sim.num_envs, threads, False)
        self._fields = {name: self._batch.bind(name, np.float32) for name in self.INPUTS}

    def adopt(self, *names: str) -> None:
        """Take over these fields from the simulation."""
        for name in names:
            self._fields[name][:] = self._worlds.view(name).numpy()

    def step(self) -> None:
        """One frame."""
        self._batch.step(nstep=self._substeps)


@dataclass
class Result:
    """Milliseconds a frame, medians over the repeats, and ratios."""

    creation_s: float
    """From `create_sim` to the end of `prepare_sim`, the program's own code included."""
    creation_processor_s: float
    interface_ms: float
    raw_ms: float
    own_ms: float
    """The program's own code: actions, observations, rewards, resets."""
    to_raw: Spread
    """The interface's seconds by those of raw stepping."""
    to_raw_processor: Spread
    """The same in processor time."""
    calls_ms: dict[str, float]


def measure(program: Program, gym: TimedGym, threads: int, frames: int, repeats: int) -> Result:
    """Run `program`, whose calls `gym` times, and its worlds alone."""
    creation = gym.creation()
    raw = RawWorlds(program.sim, threads)
    for _ in range(WARM_UP_FRAMES):
        program.step()
    clocks = []
    for _ in range(repeats):
        gym.clock, clock = Clock(), Clock()
        for _ in range(frames):
            raw.adopt("qpos", "qvel", "qacc_warmstart")
            clock.time("program", program.step)
            raw.adopt("ctrl")
            clock.time("raw", raw.step)
        clocks.append((clock, gym.clock))

    def ms(seconds: Sequence[float]) -> float:
        return Spread.of(seconds).median / frames * 1e3

    calls = {
        name: ms([each.wall[name] for _, each in clocks])
        for name in sorted(clocks[0][1].wall, key=clocks[0][1].wall.__getitem__, reverse=True)
    }
    interface = [sum(each.wall.values()) for _, each in clocks]
    processor = [sum(each.processor.values()) for _, each in clocks]
    alone = [clock.wall["raw"] for clock, _ in clocks]
    own = [clock.wall["program"] - seconds for (clock, _), seconds in zip(clocks, interface)]
    return Result(
        *creation,
        interface_ms=ms(interface),
        raw_ms=ms(alone),
        own_ms=ms(own),
        to_raw=Spread.of([a / b for a, b in zip(interface, alone)]),
        to_raw_processor=Spread.of(
            [a / clock.processor["raw"] for a, (clock, _) in zip(processor, clocks)]
        ),
        calls_ms=calls,
    )


def table(result: Result) -> str:
    """Markdown, a call a line."""
    lines = ["| | ms a frame |", "|---|---:|"]
    lines += [f"| `{name}` | {ms:.3f} |" for name, ms in result.calls_ms.items()]
    lines += [
        f"| all calls | {result.interface_ms:.2f} |",
        f"| raw stepping | {result.raw_ms:.2f} |",
        f"| the program's own code | {result.own_ms:.2f} |",
    ]
    for what, ratio in (("", result.to_raw), (" in processor time", result.to_raw_processor)):
        spread = f"{ratio.median:.3f} ({ratio.min:.3f} to {ratio.max:.3f})"
        lines.append(f"| calls by raw stepping{what} | {spread} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, run)


def run(words: Sequence[str]) -> Result:
    """Measure, print the table, write the JSON file. Raises UserError."""
    chosen, overrides = options.parse(words, READERS, DEFAULTS)
    if overrides:
        raise UserError(f"{overrides[0]} is no option here; there are: {', '.join(READERS)}")
    torch.set_num_threads(chosen["torch_threads"])
    gym = TimedGym(gymapi.acquire_gym())
    program = PROGRAMS[chosen["program"]](gym, chosen["num_envs"], chosen["threads"])
    result = measure(program, gym, chosen["threads"], chosen["frames"], chosen["repeats"])
    about = {**chosen, "machine": machine.describe()}
    print(f"{chosen['program']}: Ant, {chosen['num_envs']:,} envs, {chosen['threads']} threads")
    print(
        f"created in {result.creation_s:.2f} s ({result.creation_processor_s:.2f} s of processor)"
    )
    print(table(result), flush=True)
    if chosen["json"] is not None:
        text = json.dumps({**about, **asdict(result)}, indent=2)
        atomic_write(Path(chosen["json"]), text.encode() + b"\n")
    return result


if __name__ == "__main__":
    sys.exit(main())
