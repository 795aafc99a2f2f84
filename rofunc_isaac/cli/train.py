"""One training run, or with `test=True` one evaluation, from a checked configuration."""

from __future__ import annotations

import json
import shlex
import time
from typing import Any, Dict, List, Optional

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from rofunc_isaac.cli.build import build_env, build_learner, plain
from rofunc_isaac.cli.run_folder import RunFolder, open_run_folder
from rofunc_isaac.tracking.json_lines import JsonLines, read_updates
from rofunc_isaac.tracking.terminal import Terminal
from rofunc_isaac.tracking.tracker import Trackers
from rofunc_isaac.tracking.weights_and_biases import WeightsAndBiases

BEST_EVERY = 10
"""Iterations between two looks at whether the policy is the best so far."""


def run(config: DictConfig) -> Optional[float]:
    """Train, or test a policy; returns the mean return at the end, for sweeps.

    Raises:
        UserError: what the configuration asks for can't be had.
    """
    return test(config) if config.test else train(config)


def train(config: DictConfig) -> Optional[float]:
    """Train until `max_iterations`; writes the run folder.

    Raises:
        UserError: see `run`.
        KeyboardInterrupt: at Ctrl-C, with words on how to go on; the trackers are closed then.
    """
    env = build_env(config)
    learner = build_learner(config, env)
    from rofunc_isaac.ppo import checkpoint

    task = config.task.name
    if config.checkpoint is not None:
        content = checkpoint.load_checkpoint(config.checkpoint, task)
        checkpoint.check_fit(config.checkpoint, content, learner)
        checkpoint.load_policy(learner, content)
    folder = open_run_folder(task, config.experiment, config.run_dir, config.resume)
    restored: Dict[str, Any] = {}
    if folder.resumed:
        restored = checkpoint.load_checkpoint(folder.last, task)
        checkpoint.check_fit(folder.last, restored, learner)
        learner.load_state_dict(restored["learner"])
        if learner.iteration >= config.max_iterations:
            print(
                f"{folder.path} has done its {learner.iteration} iterations; a larger "
                "max_iterations would go on with it"
            )
            return None
    folder.record(OmegaConf.to_yaml(config, resolve=True), command_line_overrides())
    announce(config, folder, learner)

    trackers = open_trackers(config, folder, learner, restored)
    wandb = trackers.trackers[1]
    assert isinstance(wandb, WeightsAndBiases)
    best: float = restored.get("best_return", float("-inf"))
    saved_at = learner.iteration
    metrics: Dict[str, Any] = {}

    def save(path: Any) -> None:
        extra = {
            "best_return": best,
            "wandb_run_id": wandb.run_id,
            "segment": wandb.segment,
            "config": plain(config),
        }
        checkpoint.save_checkpoint(path, learner, task, **extra)

    try:
        with trackers:
            while learner.iteration < config.max_iterations:
                metrics = learner.iterate()
                trackers.log(metrics, learner.updates)
                is_last = learner.iteration == config.max_iterations
                mean_return = metrics["train/return_mean"]
                is_best = mean_return is not None and mean_return > best
                if is_best and (is_last or learner.iteration % BEST_EVERY == 0):
                    best = mean_return
                    save(folder.best)
                if is_last or learner.iteration % config.checkpoint_every == 0:
                    save(folder.last)
                    saved_at = learner.iteration
    except KeyboardInterrupt as interrupt:
        words = how_to_go_on(config, folder, learner.iteration, saved_at)
        raise KeyboardInterrupt(words) from interrupt
    print(f"Done. Watch the policy's returns: {test_command(config, folder)}", flush=True)
    folder.release()
    return metrics.get("train/return_mean")


def test(config: DictConfig) -> float:
    """Run the checkpoint's policy without noise.

    The last line printed is a JSON object: `mean`, `std` and `count` of the episodes' returns,
    their `episode_length_mean`, and which `task` and `checkpoint` they are of.
    """
    env = build_env(config)
    from rofunc_isaac.ppo import checkpoint
    from rofunc_isaac.ppo.evaluate import evaluate

    content = checkpoint.load_checkpoint(config.checkpoint, config.task.name)
    learner = build_learner(config, env)
    checkpoint.check_fit(config.checkpoint, content, learner)
    checkpoint.load_policy(learner, content)
    start = time.perf_counter()
    with learner.numerics.threads(learner.numerics.rollout_threads):
        results = evaluate(env, learner.network, learner.obs_normalizer)
    print(f"{results['episodes']} episodes in {time.perf_counter() - start:.1f} s", flush=True)
    summary = {
        "task": config.task.name,
        "checkpoint": config.checkpoint,
        "mean": results["return_mean"],
        "std": results["return_std"],
        "count": results["episodes"],
        "episode_length_mean": results["episode_length_mean"],
    }
    print(json.dumps(summary))
    return float(results["return_mean"])


def open_trackers(
    config: DictConfig, folder: RunFolder, learner: Any, restored: Dict[str, Any]
) -> Trackers:
    """metrics.jsonl, Weights & Biases and the terminal, in this order."""
    earlier = read_updates(folder.metrics) if restored and folder.metrics.exists() else []
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
        earlier_updates=[row for row in earlier if row[0] <= learner.env_steps],
    )
    terminal = Terminal(config.task.name, config.max_iterations, learner.iteration)
    return Trackers([lines, wandb, terminal])


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
    replaced = ("run_dir", "experiment", "resume", "checkpoint")
    words = [w for w in command_line_overrides() if w.lstrip("+").split("=")[0] not in replaced]
    words += ["resume=True", f"run_dir={folder.path}"]
    return (
        f"Interrupted after iteration {iteration}; the last checkpoint is of iteration "
        f"{saved_at}. Go on with: python train.py {' '.join(map(shlex.quote, words))}"
    )


def test_command(config: DictConfig, folder: RunFolder) -> str:
    path = folder.best if folder.best.exists() else folder.last
    return f"python play.py task={config.task.name} checkpoint={path}"


def command_line_overrides() -> List[str]:
    return list(HydraConfig.get().overrides.task)
