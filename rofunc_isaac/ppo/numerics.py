"""What decides the last bits of a run: precision, compiler and threads, settled at its start."""

from __future__ import annotations

import contextlib
import os
from typing import Dict, Iterator, Union

import torch

from rofunc_isaac import compiler
from rofunc_isaac.errors import ConfigError
from rofunc_isaac.ppo.config import PPOConfig

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}

LARGE_BATCH = 16_384
"""Samples an update, from which on `train.compile=auto` compiles. Fewer leave most of the time
outside of what is compiled."""

LONG_RUN = 60_000_000
"""Visits of samples (env steps times epochs) in a run, likewise. Compiling takes some half a minute
the first time on a machine, and some seconds later; it saves about a tenth of a training's time."""


class Numerics:
    """The numerics of a run on this machine; `as_dict` is recorded with it.

    Raises:
        ConfigError: a precision that is not known, or no compiler where one is asked for.
    """

    def __init__(self, config: PPOConfig, device: torch.device, num_envs: int) -> None:
        self.precision = config.precision
        if config.precision == "auto":
            self.precision = "bfloat16" if multiplies_bfloat16(device) else "float32"
        if self.precision not in PRECISIONS:
            raise ConfigError(
                f"train.precision={config.precision} is not one of auto, {', '.join(PRECISIONS)}"
            )
        self.compile = bool(config.compile)
        if config.compile == "auto":
            on_cpu = device.type == "cpu"
            self.compile = on_cpu and compiling_pays(config, num_envs) and compiler.can_compile()
        elif self.compile and not compiler.can_compile():
            raise ConfigError(
                "train.compile=True needs a C++ compiler (g++, or what CXX names) and Python's "
                "header files, on Linux; install them, or leave train.compile=auto"
            )
        self.rollout_threads = config.rollout_threads or rollout_threads()
        self.update_threads = config.update_threads or torch.get_num_threads()
        self._sets_threads = device.type == "cpu"

    @property
    def trunk_dtype(self) -> torch.dtype:
        return PRECISIONS[self.precision]

    def __str__(self) -> str:
        return f"{self.precision}, compiled" if self.compile else self.precision

    def as_dict(self) -> Dict[str, Union[str, int, bool]]:
        """What a resume needs for the same numbers; the names in `PPOConfig` come first."""
        return {
            "precision": self.precision,
            "compile": self.compile,
            "rollout_threads": self.rollout_threads,
            "update_threads": self.update_threads,
            "torch": str(torch.__version__),
            "processor": torch.backends.cpu.get_cpu_capability(),
        }

    @contextlib.contextmanager
    def threads(self, number: int) -> Iterator[None]:
        """Let torch use `number` threads within the block, where it computes on the CPU."""
        if not self._sets_threads:
            yield
            return
        before = torch.get_num_threads()
        torch.set_num_threads(number)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether `device` has instructions for products of bfloat16, and not merely emulates them."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    # torch asks the processor under names that it calls private; where a version lacks them, or
    # on processors that they don't speak of, float32 is the safe answer.
    checks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, bool)() for name in checks)


def compiling_pays(config: PPOConfig, num_envs: int) -> bool:
    """Whether a run of these settings is large and long enough that compiling makes it shorter."""
    batch = config.horizon_length * num_envs
    visits = batch * config.mini_epochs * config.max_iterations
    return batch >= LARGE_BATCH and visits >= LONG_RUN


def rollout_threads() -> int:
    """As many as torch has, where idle ones sleep; else one: they would take the physics' cores.

    Whether they do is the process's environment's choice, see `rofunc_isaac.idle_threads`.
    """
    sleep = os.environ.get("OMP_WAIT_POLICY", "").upper() == "PASSIVE"
    return torch.get_num_threads() if sleep or "GOMP_SPINCOUNT" in os.environ else 1
