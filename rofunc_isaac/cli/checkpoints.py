"""A run's checkpoints: what it starts from, and what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional

from omegaconf import DictConfig

from rofunc_isaac import random_state
from rofunc_isaac.cli.build import plain
from rofunc_isaac.cli.earlier_run import changes, spoil_environments
from rofunc_isaac.cli.run_folder import RunFolder
from rofunc_isaac.ppo import checkpoint
from rofunc_isaac.ppo.learner import Learner, Metrics

BEST_EVERY = 10
"""Iterations between two looks at whether the policy is the best so far."""


class RunCheckpoints:
    """Writes `checkpoints/last.pt` and `best.pt` of a run folder, and takes up last.pt.

    Args:
        restored: content of the last.pt that the run goes on from; empty for a new run.

    Attributes:
        saved_at: iteration of last.pt; 0 before there is one.
    """

    def __init__(
        self,
        config: DictConfig,
        folder: RunFolder,
        env: Any,
        learner: Learner,
        restored: Dict[str, Any],
    ) -> None:
        self.config, self.folder, self.env, self.learner = config, folder, env, learner
        self.restored = restored
        self.best: float = restored.get("best_return", float("-inf"))
        self.saved_at: int = restored["learner"]["iteration"] if restored else 0

    def take_up(self) -> str:
        """Let learner, environments and random generators go on from the checkpoint.

        The last thing before the first iteration: whatever draws random numbers comes earlier.

        Returns:
            What there is to tell: settings that differ, and what can't be exact then; or nothing.
        """
        content = self.restored
        if not content:
            return ""
        own = self.own_part(content)
        self.learner.load_state_dict({**content["learner"], **own["learner"]})
        changed = changes(content["config"], plain(self.config))
        words = [f"{key}: {old} before, {new} now" for key, (old, new) in changed.items()]
        if "train.learning_rate" in changed:
            words.append("the learning rate stays the one that the run had come to")
        spoiling = spoil_environments(changed)
        processes = 1 + len(content.get("others", []))
        if processes != self.learner.ranks.size:
            now = self.learner.ranks.size
            words.append(f"{processes} processes before, {now} now: new episodes begin")
        elif own["env"] is None:
            words.append("the checkpoint has no environments: new episodes begin")
        elif spoiling:
            words.append(f"new episodes begin, because of {', '.join(spoiling)}")
        else:
            self.learner.obs = self.env.load_state_dict(own["env"])
        if own["random"] is not None:
            random_state.restore_process(own["random"])
        return "\n".join([*words, *self.other_machine()])

    def own_part(self, content: Dict[str, Any]) -> Dict[str, Any]:
        """Of what each process has for itself, this one's; as `others` in a checkpoint."""
        rank, others = self.learner.ranks.rank, content.get("others", [])
        if rank > 0 and len(others) == self.learner.ranks.size - 1:
            return others[rank - 1]
        first = {"learner": {}, "env": content["env"], "random": content["random"]}
        if rank > 0:  # fewer processes before: this one draws random numbers of its own
            fresh = {"generator": self.learner.generator.get_state()}
            return {**first, "learner": fresh, "random": None}
        return first

    def other_machine(self) -> List[str]:
        """Words on what differs from the machine of the checkpoint, down to the last bits."""
        recorded, own = self.restored["learner"]["numerics"], self.learner.numerics.as_dict()
        return [
            f"{name} {recorded[name]} before, {own[name]} now: numbers may differ in the last bits"
            for name in own
            if recorded.get(name, own[name]) != own[name]
        ]

    def save_if_due(self, metrics: Metrics, wandb_run_id: Optional[str], segment: int) -> None:
        """Write what is due after an iteration with these metrics.

        Args:
            wandb_run_id, segment: what a resume needs to go on in the same W&B run.
        """
        iteration = self.learner.iteration
        is_last = iteration == self.config.max_iterations
        mean_return = metrics["train/return_mean"]
        if mean_return is not None and mean_return > self.best:
            # What a resume goes on from does not depend on where the run was stopped before.
            if iteration % BEST_EVERY == 0:
                self.best = mean_return
            if iteration % BEST_EVERY == 0 or is_last:
                self._save(self.folder.best, None, wandb_run_id, segment)
        if is_last or iteration % self.config.checkpoint_every == 0:
            self.save_last(wandb_run_id, segment)

    def save_last(self, wandb_run_id: Optional[str], segment: int) -> None:
        """Write last.pt, from which the run can go on."""
        self._save(self.folder.last, self.env.state_dict(), wandb_run_id, segment)
        self.saved_at = self.learner.iteration

    def _save(
        self,
        path: Path,
        env: Optional[Dict[str, Any]],
        wandb_run_id: Optional[str],
        segment: int,
    ) -> None:
        learner_state = self.learner.state_dict()
        own = {name: learner_state[name] for name in ("generator", "episodes")}
        part = {"learner": own, "env": env, "random": random_state.process_state()}
        parts = self.learner.ranks.gather(part)
        if self.learner.ranks.rank > 0:
            return
        checkpoint.save_checkpoint(
            path,
            self.learner,
            self.config.task.name,
            env,
            others=parts[1:],
            best_return=self.best,
            wandb_run_id=wandb_run_id,
            segment=segment,
            config=plain(self.config),
        )


def read_fitting(path: Any, config: DictConfig, learner: Learner) -> Dict[str, Any]:
    """The content of a checkpoint that fits the configured task and the learner's network.

    Raises:
        CheckpointError: it does not, or can't be read.
    """
    content = checkpoint.load_checkpoint(Path(path).expanduser(), config.task.name)
    checkpoint.check_fit(path, content, learner)
    return content
