"""`test=True`: what a trained policy earns without exploration noise."""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any, Dict

from omegaconf import DictConfig

from rofunc_isaac.cli.build import build_env, build_learner


def test(config: DictConfig) -> float:
    """Run the policy of `config.checkpoint` without noise; returns the mean return.

    The last line printed is a JSON object: `mean`, `std` and `count` of the episodes' returns,
    their `episode_length_mean`, and which `task` and `checkpoint` they are of; null stands for a
    mean that is not finite. What begins is told on stderr.

    Raises:
        UserError: what the configuration asks for can't be had.
    """
    env = build_env(config)
    from rofunc_isaac.cli.checkpoints import read_fitting
    from rofunc_isaac.ppo.checkpoint import load_policy
    from rofunc_isaac.ppo.evaluate import EPISODES_PER_ENV, evaluate

    learner = build_learner(config, env)
    load_policy(learner, read_fitting(config.checkpoint, config, learner))
    print(
        f"{config.task.name}: {env.num_envs * EPISODES_PER_ENV:,} episodes to play, "
        f"{EPISODES_PER_ENV} in each of {env.num_envs:,} envs on {config.sim_device}; "
        "a smaller num_envs= plays fewer",
        file=sys.stderr,
        flush=True,
    )
    start = time.perf_counter()
    with learner.numerics.threads(learner.numerics.rollout_threads):
        results = evaluate(env, learner.network, learner.obs_normalizer)
    env.maintain()
    print(f"{results['episodes']} episodes in {time.perf_counter() - start:.1f} s", flush=True)
    summary = {
        "task": config.task.name,
        "checkpoint": config.checkpoint,
        "mean": results["return_mean"],
        "std": results["return_std"],
        "count": results["episodes"],
        "episode_length_mean": results["episode_length_mean"],
    }
    print(strict_json(summary))
    return float(results["return_mean"])


def strict_json(summary: Dict[str, Any]) -> str:
    """`summary` as a line of JSON, which has no NaN and no infinity: null stands for them."""

    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps({key: plain(value) for key, value in summary.items()}, allow_nan=False)
