"""Where IsaacGymEnvs is, and which tasks and trainings it has. Nothing of it is imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import List, Optional

from rofunc_isaac.errors import ConfigError, did_you_mean

PACKAGE = "isaacgymenvs"


class Checkout:
    """A folder that holds the package `isaacgymenvs`: a checkout, or where pip put it.

    Args:
        root: the folder; None looks for an installed package.

    Raises:
        ConfigError: it is not there.
    """

    def __init__(self, root: Optional[str] = None) -> None:
        self.root = _installed() if root is None else Path(root).expanduser().resolve()
        self.cfg = self.root / PACKAGE / "cfg"
        if not (self.cfg / "config.yaml").is_file():
            raise ConfigError(
                f"isaacgymenvs_path={root or self.root} holds no {PACKAGE}/cfg/config.yaml; name "
                "the folder of the checkout, the one with setup.py"
            )

    def tasks(self) -> List[str]:
        """Names of the tasks that have a training of their name."""
        names = (path.stem for path in (self.cfg / "task").glob("*.yaml"))
        return sorted(name for name in names if f"{name}PPO" in self.trainings())

    def trainings(self) -> List[str]:
        """Names of the files with settings of rl_games."""
        return sorted(path.stem for path in (self.cfg / "train").glob("*.yaml"))

    def check_task(self, name: str) -> None:
        """Raises ConfigError: there is no such task; the text lists those that there are."""
        if not (self.cfg / "task" / f"{name}.yaml").is_file():
            known = self.tasks()
            raise ConfigError(
                f"task={PACKAGE}/{name}: {self.root} has no such task; there are: "
                f"{', '.join(known)}{did_you_mean(name, known)}"
            )

    def check_training(self, name: str) -> None:
        """Raises ConfigError: there are no such settings; the text lists those that there are."""
        known = self.trainings()
        if name not in known:
            raise ConfigError(
                f"{self.root} has no {PACKAGE}/cfg/train/{name}.yaml; choose one of its trainings "
                f"as train={PACKAGE}/NAME, or train=default for ours. There are: "
                f"{', '.join(known)}{did_you_mean(name, known)}"
            )


def _installed() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError(
            "IsaacGymEnvs is not installed here: name a checkout as isaacgymenvs_path=PATH, or "
            "install one with `pip install --no-deps PATH`"
        )
    return Path(spec.origin).resolve().parents[1]
