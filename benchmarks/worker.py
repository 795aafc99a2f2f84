"""One trainer in a process of its own, that trains a few iterations whenever it is asked to.

A process each keeps what a trainer sets for the whole process (torch's threads, matrix precision,
compiler settings) away from the others, and gives its own peak of memory. While one trains, the
others wait without taking time.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest import mock

from benchmarks.pace import Finished
from rofunc_isaac import idle_threads
from rofunc_isaac.errors import UserError

LOG_TAIL = 3000
"""Characters of a failed trainer's output that are shown."""


@dataclass
class Segment:
    """Some iterations in a row of one trainer."""

    iterations: int
    seconds: float
    """From the first iteration's begin to where the next one would begin: all that it does."""
    rollout_s: float
    update_s: float
    peak_memory_bytes: int
    """Of the process since its start, on the host; on a GPU, what torch held there."""


class WorkerError(RuntimeError):
    """A trainer's process ended with an error; the text holds its traceback and output."""


class Worker:
    """The parent's side of a trainer's process; a context manager that ends it.

    Args:
        name: of the trainer, for messages.
        module: where its `run` is; see `benchmarks.trainers`.
        overrides: the configuration, as words of the command line.
        as_ours: compile the environments where ours are, and let idle threads sleep as ours do.
    """

    def __init__(
        self, name: str, module: str, overrides: Sequence[str], as_ours: bool = True
    ) -> None:
        self.name = name
        self._folder = tempfile.TemporaryDirectory(prefix=f"benchmark_{name}_")
        folder = Path(self._folder.name)
        self._log = folder / "output.txt"
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=work,
            args=(theirs, module, list(overrides), folder, self._log, as_ours),
            name=name,
        )
        with mock.patch.dict(os.environ, idle_threads.settings() if as_ours else {}):
            self._process.start()
        theirs.close()
        self.numerics = ""

    def start(self) -> None:
        """Wait until the trainer is about to begin its first iteration.

        Raises:
            WorkerError: it never gets there.
        """
        self.numerics = self._receive()

    def train(self, iterations: int) -> Segment:
        """Let it train so many iterations. Raises WorkerError."""
        self._connection.send(iterations)
        return self._receive()

    def _receive(self) -> Any:
        try:
            kind, content = self._connection.recv()
        except EOFError:
            self._process.join()
            kind, content = "failed", f"the process ended with status {self._process.exitcode}"
        if kind == "user_error":
            raise UserError(content)
        if kind == "failed":
            output = self._log.read_text(errors="replace")[-LOG_TAIL:]
            raise WorkerError(f"{self.name} failed: {content}\nIts output:\n{output}")
        return content

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()  # a trainer that waits for its next segment ends by that
        self._process.join(10)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()
        self._folder.cleanup()


class SegmentPace:
    """The trainer's side: a `Pace` that goes by segments asked for over `connection`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._asked = self._left = 0
        self._start = self._rollout_s = self._update_s = 0.0

    def ready(self, numerics: str) -> None:
        self._connection.send(("ready", numerics))

    def begin(self) -> None:
        if self._left == 0:
            if self._asked > 0:
                self._report()
            try:
                self._asked = self._left = self._connection.recv()
            except EOFError:
                raise Finished from None
            self._rollout_s = self._update_s = 0.0
            self._start = time.perf_counter()
        self._left -= 1

    def end(self, rollout_s: float, update_s: float) -> None:
        self._rollout_s += rollout_s
        self._update_s += update_s

    def _report(self) -> None:
        seconds = time.perf_counter() - self._start
        segment = Segment(
            self._asked, seconds, self._rollout_s, self._update_s, peak_memory_bytes()
        )
        self._connection.send(("segment", segment))


def work(
    connection: Connection,
    module: str,
    overrides: list[str],
    folder: Path,
    log: Path,
    as_ours: bool,
) -> None:
    """What the process does: build the environments, then let the trainer run."""
    with open(log, "wb") as output:
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
    try:
        # Nothing here may import torch before the simulator is chosen.
        from rofunc_isaac.cli.build import build_env
        from rofunc_isaac.cli.compose import compose

        config = compose(overrides)
        env = build_env(config)
        if as_ours:
            compile_env(env, config)
        importlib.import_module(module).run(env, config, folder, SegmentPace(connection))
    except Finished:
        pass
    except UserError as error:
        connection.send(("user_error", str(error)))
    except Exception:
        connection.send(("failed", traceback.format_exc()))


def compile_env(env: Any, config: Any) -> None:
    """Let the environments be compiled for every trainer alike, where they are for ours."""
    from omegaconf import OmegaConf

    from rofunc_isaac.envs.vec_task import VecTask
    from rofunc_isaac.ppo.config import PPOConfig
    from rofunc_isaac.ppo.numerics import Numerics

    settings = OmegaConf.to_object(config.train)
    assert isinstance(settings, PPOConfig)
    numerics = Numerics(settings, env.device, env.num_envs)
    if numerics.compile and isinstance(env, VecTask):
        env.compile()


def peak_memory_bytes() -> int:
    """The most memory that this process has held; with CUDA, that torch has held on the GPU."""
    import torch

    if torch.cuda.is_available() and torch.cuda.is_initialized():
        return torch.cuda.max_memory_allocated()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
