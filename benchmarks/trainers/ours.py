"""This project's own PPO, with the metrics file that every run writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.pace import Pace
from rofunc_isaac.cli.build import build_learner
from rofunc_isaac.tracking.json_lines import JsonLines
from rofunc_isaac.vec_env import VecEnv


def run(env: VecEnv, config: Any, folder: Path, pace: Pace) -> None:
    learner = build_learner(config, env)
    lines = JsonLines(folder / "metrics.jsonl")
    samples = learner.rollout.num_samples
    numerics = learner.numerics
    pace.ready(
        f"{numerics}; torch threads {numerics.rollout_threads} in the rollout, "
        f"{numerics.update_threads} in the update"
    )
    while True:
        pace.begin()
        metrics = learner.iterate()
        lines.log(metrics, learner.updates)
        pace.end(
            samples / metrics["perf/rollout_env_steps_per_s"],
            samples / metrics["perf/update_env_steps_per_s"],
        )
