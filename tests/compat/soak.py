"""Steps a task of somebody else's checkout with random actions, and tells what was seen.

    python -m tests.compat.soak isaacgymenvs Ant envs=256 steps=500 simulator=mujoco_warp
    python -m tests.compat.soak legged_gym anymal_c_flat

The checkout is the one that ISAACGYMENVS_PATH or LEGGED_GYM_PATH names; words that are not options
of this program reach IsaacGymEnvs' configuration (`task.task.randomize=True`), or are legged_gym's
arguments. The last line printed is the report, as JSON; the exit status says whether it is sound.
"""

from __future__ import annotations

import dataclasses
import json
import resource
import sys
import time

import torch

from benchmarks import checkouts
from rofunc_isaac import simulator

WARM_UP = 0.2
"""The part of the steps after which memory must not grow."""
MAX_GROWTH_MB = 20.0
MAX_UNSTABLE = 1e-5
"""Of all environments' steps, those whose world may break down and be put back."""


@dataclasses.dataclass
class Report:
    """What was seen of one task."""

    task: str
    simulator: str
    envs: int
    steps: int
    build_s: float
    step_s: float
    """Processor time of all steps together."""
    peak_mb: float
    grown_mb: float = 0.0
    """By how much the peak of memory rose after the warm-up."""
    not_finite: int = 0
    """Environments times steps with an observation or reward that is not a finite number."""
    still: int = 0
    """Environments times steps whose observation is that of the step before."""
    distinct: int = 0
    """Different observations after the last step."""
    resets: int = 0
    most_resets: int = 0
    """In one step."""
    miscounted: int = 0
    """Environments times steps whose counter of the episode's steps neither rose by one nor began
    anew."""
    unstable: int = 0
    """How often a world was put back, and how many different worlds were."""
    unstable_envs: int = 0
    properties: dict[str, int] = dataclasses.field(default_factory=dict)
    """How many different values the environments have, by property."""

    def faults(self) -> list[str]:
        """What is wrong, in words."""
        wrong = {
            "numbers that are not finite": self.not_finite > 0,
            "observations that stand still": self.still > 0,
            "environments that look alike": self.distinct < self.envs,
            "no environment was reset": self.resets == 0,
            "all environments were reset at once": self.most_resets == self.envs,
            "episodes are miscounted": self.miscounted > 0,
            "memory grows": self.grown_mb > MAX_GROWTH_MB,
            "physics breaks down": self.unstable > MAX_UNSTABLE * self.envs * self.steps,
        }
        return [what for what, is_so in wrong.items() if is_so]


def soak(env: checkouts.Task, steps: int, report: Report) -> None:
    """Take `steps` steps with actions uniform in [-1, 1], and fill in `report`.

    Episodes are begun so late that every second one meets its limit, each at a step of its own.
    """
    generator = torch.Generator().manual_seed(0)
    actions = torch.empty(report.envs, env.num_actions)
    for _ in range(2):  # many tasks begin with a reset of everything, some after a step
        obs, _, _ = env.step(actions.zero_())
    first = max(0, env.max_progress - 2 * steps)
    begins = torch.randint(first, env.max_progress - 1, (report.envs,), generator=generator)
    env.progress.copy_(begins)
    begun = time.process_time()
    for step in range(steps):
        previous, counted = obs.clone(), env.progress.clone()
        obs, reward, done = env.step(actions.uniform_(-1.0, 1.0, generator=generator))
        finite = obs.isfinite().all(dim=1) & reward.isfinite()
        report.not_finite += int((~finite).sum())
        report.still += int((obs == previous).all(dim=1).sum())
        report.resets += int(done.sum())
        report.most_resets = max(report.most_resets, int(done.sum()))
        report.miscounted += int(((env.progress != counted + 1) & (env.progress > 1)).sum())
        if step == int(steps * WARM_UP):
            warm_mb = peak_mb()
    report.step_s = time.process_time() - begun
    report.peak_mb = peak_mb()
    report.grown_mb = report.peak_mb - warm_mb
    report.distinct = len(torch.unique(obs, dim=0))
    counts = env.sim.batch.unstable_resets
    report.unstable, report.unstable_envs = int(counts.sum()), int((counts > 0).sum())
    report.properties = env.different_properties()


def peak_mb() -> float:
    """The most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def main(words: list[str]) -> Report:
    kind, name, *rest = words
    options = {"envs": "256", "steps": "500", "simulator": "auto", "threads": "1"}
    overrides = []
    for word in rest:
        key, _, value = word.partition("=")
        if key in options:
            options[key] = value
        else:
            overrides.append(word)
    simulator.select(options["simulator"])
    import rofunc_isaac.isaacgym.install  # noqa: F401

    threads, envs, steps = (int(options[key]) for key in ("threads", "envs", "steps"))
    torch.set_num_threads(threads)
    begun = time.process_time()
    task = checkouts.make(kind, name, envs, threads, overrides)
    build_s = time.process_time() - begun
    report = Report(name, options["simulator"], envs, steps, build_s, 0.0, peak_mb())
    soak(task, steps, report)
    return report


if __name__ == "__main__":
    seen = main(sys.argv[1:])
    print(json.dumps(dataclasses.asdict(seen)), flush=True)
    sys.exit("; ".join(seen.faults()) or None)
