"""The trainers that can be measured, each in a file of its own.

Such a file has one function, `run(env, config, folder, pace)`: train on `env` (a `VecEnv`) with the
settings of `config` (as `rofunc_isaac.cli.compose.compose` returns it), write whatever the trainer
writes into `folder`, and keep to `pace` (`benchmarks.pace.Pace`) until it raises `Finished`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

from rofunc_isaac.errors import UserError, did_you_mean


@dataclass(frozen=True)
class Trainer:
    """Where a trainer is, and with what it is run."""

    module: str
    overrides: tuple[str, ...] = ()
    """Overrides of the configuration, as on the command line."""
    package: str | None = None
    """The package that it needs besides this project; None for our own."""

    @property
    def is_peer(self) -> bool:
        return self.package is not None


TRAINERS = {
    "ours": Trainer("benchmarks.trainers.ours"),
    "ours_float32": Trainer("benchmarks.trainers.ours", ("train.precision=float32",)),
    # Its published threshold: its KL is taken from each minibatch's previous visit.
    "rl_games": Trainer(
        "benchmarks.trainers.rl_games", ("scheduler.kl_threshold=0.008",), package="rl_games"
    ),
    # Both look at the KL from the rollout's policy, as ours does.
    "rsl_rl": Trainer("benchmarks.trainers.rsl_rl", package="rsl_rl"),
    "skrl": Trainer("benchmarks.trainers.skrl", package="skrl"),
    "sb3": Trainer("benchmarks.trainers.sb3", package="stable_baselines3"),
}


def find_trainers(names: Sequence[str]) -> dict[str, Trainer]:
    """The trainers called `names`, in that order.

    Raises:
        UserError: no such trainer, one named twice, or one whose package is not installed.
    """
    found: dict[str, Trainer] = {}
    for name in names:
        if name not in TRAINERS:
            raise UserError(
                f"trainers: there is no trainer '{name}'; there are: {', '.join(TRAINERS)}"
                f"{did_you_mean(name, TRAINERS)}"
            )
        if name in found:
            raise UserError(f"trainers: {name} is named twice")
        trainer = TRAINERS[name]
        if trainer.package is not None and importlib.util.find_spec(trainer.package) is None:
            raise UserError(
                f"trainer {name} needs the package {trainer.package}, which is not installed; "
                "install it with: pip install -e '.[bench]', or leave it out of trainers="
            )
        found[name] = trainer
    return found
