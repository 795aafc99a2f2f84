"""One training run, from a checked configuration."""

from __future__ import annotations

import shlex
from typing import Any, Dict, List, Optional, Tuple, cast

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from rofunc_isaac.cli.build import build_env, build_learner, plain
from rofunc_isaac.cli.origins import override_key
from rofunc_isaac.cli.run_folder import RunFolder, open_run_folder
from rofunc_isaac.tracking.json_lines import JsonLines, read_updates
from rofunc_isaac.tracking.terminal import Terminal
from rofunc_isaac.tracking.tracker import Trackers
from rofunc_isaac.tracking.weights_and_biases import WeightsAndBiases


def train(config: DictConfig) -> Optional[float]:
    """Train until `max_iterations`, writing the run folder; returns the last mean return.

    Raises:
        UserError: what the configuration asks for can't be had.
        KeyboardInterrupt: at Ctrl-C, with words on how to go on; the trackers are closed then.
    """
    env = build_env(config)
    learner = build_learner(config, env)
    from rofunc_isaac.cli.checkpoints import RunCheckpoints, read_fitting
    from rofunc_isaac.ppo.checkpoint import load_policy

    if config.checkpoint is not None:
        load_policy(learner, read_fitting(config.checkpoint, config, learner))
    folder = open_run_folder(config.task.name, config.experiment, config.run_dir, config.resume)
    checkpoints = RunCheckpoints(config, folder, learner)
    if learner.iteration >= config.max_iterations:
        print(
            f"{folder.path} has done its {learner.iteration} iterations; a larger "
            "max_iterations would go on with it"
        )
        return None
    folder.record(OmegaConf.to_yaml(config, resolve=True), command_line_overrides())
    announce(config, folder, learner)
    trackers, wandb = open_trackers(config, folder, learner, checkpoints.restored)

    metrics: Dict[str, Any] = {}
    try:
        with trackers:
            while learner.iteration < config.max_iterations:
                metrics = learner.iterate()
                trackers.log(metrics, learner.updates)
                checkpoints.save_if_due(metrics, wandb.run_id, wandb.segment)
    except KeyboardInterrupt as interrupt:
        words = how_to_go_on(config, folder, learner.iteration, checkpoints.saved_at)
        raise KeyboardInterrupt(words) from interrupt
    print(f"Done. Watch the policy's returns: {test_command(folder)}", flush=True)
    folder.release()
    return metrics["train/return_mean"]


def open_trackers(
    config: DictConfig, folder: RunFolder, learner: Any, restored: Dict[str, Any]
) -> Tuple[Trackers, WeightsAndBiases]:
    """metrics.jsonl, Weights & Biases and the terminal, as one; and the second by itself."""
    # With resume=auto, metrics may be left of a run that ended before its first checkpoint.
    lines = JsonLines(folder.metrics, learner.iteration if config.resume else None)
    wandb = WeightsAndBiases(
        folder.path,
        plain(config),
        activate=config.tracker.activate,
        project=config.tracker.project,
        name=config.tracker.name or folder.path.name,
        entity=config.tracker.entity,
        group=config.tracker.group,
        run_id=restored.get("wandb_run_id"),
        segment=restored["segment"] + 1 if restored else 0,
        earlier_updates=read_updates(folder.metrics),
    )
    terminal = Terminal(config.task.name, config.max_iterations, learner.iteration)
    return Trackers([lines, wandb, terminal]), wandb


def announce(config: DictConfig, folder: RunFolder, learner: Any) -> None:
    """Say what is about to run, and where it is written."""
    numerics = learner.numerics
    steps = config.max_iterations * learner.rollout.num_samples
    print(
        f"{config.task.name}: {config.num_envs:,} envs on {config.sim_device}, "
        f"{steps:,} env steps in {config.max_iterations} iterations\n"
        f"{learner.updater.per_epoch} minibatches of {learner.updater.minibatch_size:,}, "
        f"{config.train.mini_epochs} epochs, {numerics.precision}; "
        f"scheduler {config.scheduler.name}; seed {config.seed}\n"
        f"run folder {folder.path}",
        flush=True,
    )


def how_to_go_on(config: DictConfig, folder: RunFolder, iteration: int, saved_at: int) -> str:
    """What to say after Ctrl-C at `iteration`, when last.pt is of iteration `saved_at`."""
    if saved_at == 0:
        return (
            f"Interrupted after iteration {iteration}, before the first checkpoint "
            f"(checkpoint_every={config.checkpoint_every}): there is nothing to go on from."
        )
    words = [*same_words(), "resume=True", f"run_dir={folder.path}"]
    return (
        f"Interrupted after iteration {iteration}; the last checkpoint is of iteration "
        f"{saved_at}. Go on with: python train.py {' '.join(map(shlex.quote, words))}"
    )


def test_command(folder: RunFolder) -> str:
    path = folder.best if folder.best.exists() else folder.last
    words = [*same_words("max_iterations", "checkpoint_every"), f"checkpoint={path}"]
    return f"python play.py {' '.join(map(shlex.quote, words))}"


def same_words(*left_out: str) -> List[str]:
    """The words of this command line, without those that choose the run and the keys `left_out`."""
    hydra = HydraConfig.get()
    left_out += ("run_dir", "experiment", "resume", "checkpoint", "test")
    words = [word for word in command_line_overrides() if override_key(word) not in left_out]
    if not any(override_key(word) == "task" for word in words):
        words.insert(0, f"task={hydra.runtime.choices['task']}")
    words += [word for word in hydra.overrides.hydra if word.startswith("hydra.searchpath=")]
    folders = [s.path for s in hydra.runtime.config_sources if s.provider == "command-line"]
    return words + [f"--config-dir={folder}" for folder in folders]


def command_line_overrides() -> List[str]:
    # Unresolved: a word may itself hold ${...}.
    words = OmegaConf.to_container(HydraConfig.get().overrides.task, resolve=False)
    return cast(List[str], words)
