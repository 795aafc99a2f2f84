"""Physics alone, of the same environments: the limit that no trainer can pass."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from benchmarks.pace import Pace

SETTLE_STEPS = 100
"""Steps of random actions before the first measurement, so that episodes have come apart."""


def run(env: Any, config: Any, folder: Path, pace: Pace) -> None:
    """One "iteration" is `horizon_length` frames with new random actions, timed as its rollout.

    Only `simulate` is timed. Between two iterations the whole environment takes as many steps
    untimed, so that robots that fell start anew, as they do while a policy learns.

    Args:
        env: a `VecTask`.
    """
    torch.set_num_threads(1)  # idle torch threads would take cores from the physics
    actions = torch.empty(env.num_envs, env.num_actions, device=env.sim_device)
    horizon = config.train.horizon_length
    frames = horizon * config.task.env.control_frequency_inv

    def step(steps: int) -> None:
        for _ in range(steps):
            env.step(actions.uniform_(-1.0, 1.0))

    env.reset()
    step(SETTLE_STEPS)
    pace.ready("physics alone")
    while True:
        pace.begin()
        seconds = 0.0
        for _ in range(frames):
            env.pre_physics_step(actions.uniform_(-1.0, 1.0))
            synchronize(env.sim_device)
            start = time.perf_counter()
            env.gym.simulate(env.sim)
            synchronize(env.sim_device)
            seconds += time.perf_counter() - start
        step(horizon)
        pace.end(seconds, 0.0)


def synchronize(device: torch.device) -> None:
    """Wait for the device, where it works by itself."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
