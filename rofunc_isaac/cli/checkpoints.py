"""A run's checkpoints: what it starts from, and what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Optional

from omegaconf import DictConfig

from rofunc_isaac.cli.build import plain
from rofunc_isaac.cli.run_folder import RunFolder
from rofunc_isaac.ppo import checkpoint
from rofunc_isaac.ppo.learner import Learner, Metrics

BEST_EVERY = 10
"""Iterations between two looks at whether the policy is the best so far."""


class RunCheckpoints:
    """Reads and writes `checkpoints/last.pt` and `best.pt` of a run folder.

    Attributes:
        restored: content of the last.pt that the run goes on from; empty for a new run.
        saved_at: iteration of last.pt; 0 before there is one.
    """

    def __init__(self, config: DictConfig, folder: RunFolder, learner: Learner) -> None:
        self.config, self.folder, self.learner = config, folder, learner
        self.restored: Dict[str, Any] = {}
        if folder.resumed:
            self.restored = read_fitting(folder.last, config, learner)
            learner.load_state_dict(self.restored["learner"])
        self.best: float = self.restored.get("best_return", float("-inf"))
        self.saved_at = learner.iteration

    def save_if_due(self, metrics: Metrics, wandb_run_id: Optional[str], segment: int) -> None:
        """Write what is due after an iteration with these metrics.

        Args:
            wandb_run_id, segment: what a resume needs to go on in the same W&B run.
        """
        extra = {
            "wandb_run_id": wandb_run_id,
            "segment": segment,
            "config": plain(self.config),
        }
        iteration = self.learner.iteration
        is_last = iteration == self.config.max_iterations
        mean_return = metrics["train/return_mean"]
        is_best = mean_return is not None and mean_return > self.best
        if is_best and (is_last or iteration % BEST_EVERY == 0):
            assert mean_return is not None
            self.best = mean_return
            self._save(self.folder.best, extra)
        if is_last or iteration % self.config.checkpoint_every == 0:
            self._save(self.folder.last, extra)
            self.saved_at = iteration

    def _save(self, path: Path, extra: Dict[str, Any]) -> None:
        task = self.config.task.name
        checkpoint.save_checkpoint(path, self.learner, task, best_return=self.best, **extra)


def read_fitting(path: Any, config: DictConfig, learner: Learner) -> Dict[str, Any]:
    """The content of a checkpoint that fits the configured task and the learner's network.

    Raises:
        CheckpointError: it does not, or can't be read.
    """
    content = checkpoint.load_checkpoint(path, config.task.name)
    checkpoint.check_fit(path, content, learner)
    return content
