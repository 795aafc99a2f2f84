"""What the processes of test_ranks.py do; torchrun starts it."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import torch

from rofunc_isaac.ppo.learner import Learner
from rofunc_isaac.ranks import Group, Ranks
from rofunc_isaac.schedulers.config import SchedulerChoice
from rofunc_isaac.vec_env import StepResult
from tests.ppo.toy_env import CPU, ReachEnv, small_config

ENVS = 8


class Part(ReachEnv):
    """Some of the environments of a larger `ReachEnv`, the same as there."""

    def __init__(self, of: int, first: int, num_envs: int, seed: int) -> None:
        super().__init__(num_envs, seed)
        self.whole, self.rows = ReachEnv(of, seed), slice(first, first + num_envs)

    def reset(self) -> torch.Tensor:
        return self.obs.copy_(self.whole.reset()[self.rows])

    def step(self, actions: torch.Tensor) -> StepResult:
        everyones = torch.zeros(self.whole.num_envs, self.num_actions)
        everyones[self.rows] = actions
        return StepResult(*(part[self.rows] for part in self.whole.step(everyones)))


class Recorded(ReachEnv):
    """Keeps what was seen of it."""

    def __init__(self, num_envs: int, seed: int) -> None:
        super().__init__(num_envs, seed)
        self.seen: list[torch.Tensor] = []

    def reset(self) -> torch.Tensor:
        self.seen.append(super().reset().clone())
        return self.obs

    def step(self, actions: torch.Tensor) -> StepResult:
        result = super().step(actions)
        self.seen.append(result.obs.clone())
        return result


def halves(ranks: Ranks) -> Learner:
    own = ENVS // ranks.size
    env = Part(ENVS, ranks.rank * own, own, seed=5)
    config = small_config(num_minibatches=1, mini_epochs=2, learning_rate=1e-3)
    learner = Learner(env, config, SchedulerChoice(), 3, ranks)
    # The noise of all environments, of which this process has its own.
    draw, generator = torch.Tensor.normal_, torch.Generator().manual_seed(11)

    def noise_of_all(tensor: torch.Tensor, **options: object) -> torch.Tensor:
        everyones = draw(torch.empty(ENVS, *tensor.shape[1:]), generator=generator)
        return tensor.copy_(everyones[env.rows])

    torch.Tensor.normal_ = noise_of_all  # type: ignore[method-assign,assignment]
    return learner


def main(what: str) -> None:
    ranks: Ranks = Group(CPU)
    if what == "halves":
        learner, iterations = halves(ranks), 10
    else:
        env = Recorded(ENVS, seed=ranks.rank)
        config = small_config(num_minibatches=2, mini_epochs=2, learning_rate=1e-3)
        learner, iterations = Learner(env, config, SchedulerChoice(), 3, ranks), 5
    rates: list[float] = []
    for iteration in range(iterations):
        if what == "die" and iteration == 2 and ranks.rank == 1:
            Path("died").write_text(str(time.time()))
            os._exit(7)
        learner.iterate()
        rates += learner.updater.log[:, -2].tolist()
    normalizer = learner.obs_normalizer
    seen = getattr(learner.env, "seen", [])[:-1]  # the last is the next rollout's first
    found = {
        "rates": rates,
        "parameters": torch.cat([p.flatten() for p in learner.network.parameters()]).tolist(),
        "normalizers": {
            "mean": normalizer.mean.tolist(),
            "var": normalizer.var.tolist(),
            "count": float(normalizer.count),
            "value": float(learner.value_normalizer.mean),
        },
        "actions": learner.rollout.actions.flatten()[:20].tolist(),
        "seen": [row for obs in seen for row in obs.tolist()],
        "env_steps": learner.env_steps,
        "own_env_steps": iterations * learner.rollout.num_samples,
    }
    Path(f"rank{ranks.rank}.json").write_text(json.dumps(found))
    ranks.close()


if __name__ == "__main__":
    main(sys.argv[1])
