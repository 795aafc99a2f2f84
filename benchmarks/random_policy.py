"""What a policy earns that has learnt nothing: `python -m benchmarks.random_policy task=Ant`.

Every action is drawn anew, uniformly from [-1, 1]. Options, as key=value:
  episodes=2         episodes of each environment that count, its first ones
and the settings of a training: task, isaacgymenvs_path, num_envs, seed, sim_device, task.*

The last line printed is a JSON object: `task`, `mean`, `std` and `count` of the episodes' returns,
and `episode_length_mean`, as `play.py` prints them of a trained policy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks import command, options
from rofunc_isaac.cli.build import build_env
from rofunc_isaac.cli.compose import compose


def main(argv: Sequence[str] | None = None) -> int:
    """Measure with these words (by default the process's); returns the exit status."""
    return command.run(argv, __doc__, lambda words: print(json.dumps(measure(words))))


def measure(words: Sequence[str]) -> dict[str, Any]:
    """The returns of random actions in the environments that these words name.

    Raises:
        UserError: words that make no sense.
    """
    given, overrides = options.parse(words, {"episodes": options.count})
    config = compose(overrides)
    env = build_env(config)
    # Only now may torch be imported, after the simulator.
    import torch

    from rofunc_isaac.ppo.evaluate import evaluate
    from rofunc_isaac.ppo.normalizer import Normalizer

    class RandomPolicy:
        """Answers as a network does: an action in place of the mean, and no value."""

        def __init__(self) -> None:
            self.generator = torch.Generator(env.device).manual_seed(config.seed)
            self.actions = torch.zeros(env.num_envs, env.num_actions, device=env.device)

        def __call__(self, obs: torch.Tensor) -> tuple[torch.Tensor, None]:
            return self.actions.uniform_(-1.0, 1.0, generator=self.generator), None

    normalizer = Normalizer((env.num_obs,), enabled=False)
    results = evaluate(env, RandomPolicy(), normalizer, given.get("episodes", 2))
    return {
        "task": config.task.name,
        "mean": results["return_mean"],
        "std": results["return_std"],
        "count": results["episodes"],
        "episode_length_mean": results["episode_length_mean"],
    }


if __name__ == "__main__":
    sys.exit(main())
