"""One training run, from a checked configuration."""

from __future__ import annotations

import os
import re
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, cast

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from rofunc_isaac.cli import sweeps
from rofunc_isaac.cli.build import build_env, build_learner, plain, select_simulator
from rofunc_isaac.cli.commands import command
from rofunc_isaac.cli.devices import choose_device
from rofunc_isaac.cli.earlier_run import CHOOSE_THE_RUN, keep_numerics
from rofunc_isaac.cli.interrupts import Interrupted, StopRequest, signals_that_stop
from rofunc_isaac.cli.origins import override_key
from rofunc_isaac.cli.run_folder import RunFolder, open_free_folder, open_run_folder
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write
from rofunc_isaac.tracking.json_lines import JsonLines, last_env_steps, read_updates
from rofunc_isaac.tracking.terminal import Terminal
from rofunc_isaac.tracking.tracker import Trackers
from rofunc_isaac.tracking.weights_and_biases import WeightsAndBiases

if TYPE_CHECKING:
    from rofunc_isaac.ranks import Ranks


def train(config: DictConfig) -> Optional[float]:
    """Train until `max_iterations`, writing the run folder; returns the last mean return.

    Raises:
        UserError: what the configuration asks for can't be had.
        Interrupted: Ctrl-C or SIGTERM asked to stop; the checkpoint is written by then.
    """
    select_simulator(config)
    ranks = join(config)
    folder = open_shared_folder(config, ranks)
    try:
        mean_return = train_in(folder, config, ranks)
    except UserError:
        if ranks.rank == 0:
            folder.discard()
        raise
    except Interrupted:
        ranks.close()  # all of them have stopped
        raise
    finally:
        folder.release()
    ranks.close()
    return mean_return


def join(config: DictConfig) -> Ranks:
    """This process alone, or with `multi_gpu` the ones that torchrun has started.

    Each takes a GPU of its machine, where they train on GPUs, and all take rank 0's seed.

    Raises:
        UserError: see `Group`.
    """
    from rofunc_isaac.ranks import Group, Ranks

    if not config.multi_gpu:
        return Ranks()
    import torch

    for key in ("sim_device", "rl_device"):
        if config[key].startswith("cuda"):
            config[key] = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    device = torch.device(config.rl_device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    ranks = Group(device)
    config.seed = ranks.tell(config.seed)
    return ranks


def open_shared_folder(config: DictConfig, ranks: Ranks) -> RunFolder:
    """The run's folder, which rank 0 makes and holds, and alone writes."""
    folder = None
    if ranks.rank == 0:
        name = config.task.name.replace("/", "_")
        job_folder = sweeps.job_folder(HydraConfig.get())
        if job_folder is not None and config.run_dir == job_folder and not config.resume:
            folder = open_free_folder(config.run_dir)
            config.run_dir = str(folder.path)
        else:
            folder = open_run_folder(name, config.experiment, config.run_dir, config.resume)
    known = None if folder is None else (str(folder.path), folder.resumed)
    path, resumed = ranks.tell(known)
    return folder or RunFolder(Path(path), None, resumed)


def train_in(folder: RunFolder, config: DictConfig, ranks: Ranks) -> Optional[float]:
    """See `train`."""
    from rofunc_isaac.cli.checkpoints import RunCheckpoints, read_fitting
    from rofunc_isaac.ppo.checkpoint import check_fit, load_checkpoint, load_policy
    from rofunc_isaac.random_state import seed_everything

    restored: Dict[str, Any] = {}
    if folder.resumed:
        found = load_checkpoint(folder.last, config.task.name) if ranks.rank == 0 else None
        restored = ranks.tell(found)
        done = restored["learner"]["iteration"]
        if done >= config.max_iterations:
            say(
                f"{folder.path} has done its {done} iterations; a larger max_iterations would go "
                "on with it",
                ranks,
            )
            return None
        keep_numerics(config, restored)
    seed_everything(config.seed + ranks.rank)
    env = build_env(config, ranks.rank)
    learner = build_learner(config, env, ranks)
    if restored:
        check_fit(folder.last, restored, learner)
    elif config.checkpoint is not None:
        load_policy(learner, read_fitting(config.checkpoint, config, learner))

    if ranks.rank == 0:
        aside = folder.set_aside()
        if aside is not None:
            print(
                f"{folder.path} has no checkpoint to go on from: the training starts anew; what "
                f"was there is now in {aside}"
            )
        folder.record(OmegaConf.to_yaml(config, resolve=True), words_of_start(config))
        announce(config, folder, learner)
    checkpoints = RunCheckpoints(config, folder, env, learner, restored)
    # Several processes may get each signal twice: from torchrun or Slurm as well.
    with StopRequest(signals_that_stop(), patient=config.multi_gpu) as stop:
        done = restored["learner"]["iteration"] if restored else 0
        trackers, wandb = Trackers([]), None
        if ranks.rank == 0:
            trackers, wandb = open_trackers(config, folder, done, restored)
        with trackers:
            said = checkpoints.take_up()
            if said:
                say(said, ranks)
            metrics: Dict[str, Any] = {}
            while learner.iteration < config.max_iterations:
                metrics = learner.iterate()
                trackers.log(metrics, learner.updates)
                env.maintain()
                of_wandb = (None, 0) if wandb is None else (wandb.run_id, wandb.segment)
                checkpoints.save_if_due(metrics, *of_wandb)
                asked = ranks.any(stop.signum is not None)
                if asked and learner.iteration < config.max_iterations:
                    checkpoints.save_last(*of_wandb)
                    words = how_to_go_on(folder, learner.iteration)
                    raise Interrupted(words, stop.signum or signal.SIGTERM)
    say(f"Done. Watch the policy's returns: {test_command(config, folder)}", ranks)
    return metrics["train/return_mean"]


def say(text: str, ranks: Ranks) -> None:
    """Tell the user, once for all processes."""
    if ranks.rank == 0:
        print(text, flush=True)


def open_trackers(
    config: DictConfig, folder: RunFolder, done: int, restored: Dict[str, Any]
) -> Tuple[Trackers, WeightsAndBiases]:
    """metrics.jsonl, Weights & Biases and the terminal, as one; and the second by itself.

    Args:
        done: iterations that the run has behind it.
    """
    logged_until = already_logged(folder) if restored.get("wandb_run_id") else 0
    lines = JsonLines(folder.metrics, done if folder.resumed else None)
    wandb = WeightsAndBiases(
        folder.path,
        plain(config),
        activate=config.tracker.activate,
        project=config.tracker.project,
        name=config.tracker.name or sweeps.run_name(folder.path, HydraConfig.get()),
        entity=config.tracker.entity,
        group=config.tracker.group or sweeps.group(HydraConfig.get()),
        run_id=restored.get("wandb_run_id"),
        segment=restored["segment"] + 1 if restored else 0,
        earlier_updates=read_updates(folder.metrics),
        logged_until=logged_until,
    )
    terminal = Terminal(config.task.name, config.max_iterations, done)
    return Trackers([lines, wandb, terminal]), wandb


def already_logged(folder: RunFolder) -> int:
    """The most env steps that any session of the run has logged; kept for the next one too."""
    steps = last_env_steps(folder.metrics) if folder.metrics.exists() else 0
    if folder.logged_until.exists():
        steps = max(steps, int(folder.logged_until.read_text()))
    atomic_write(folder.logged_until, str(steps).encode())
    return steps


def announce(config: DictConfig, folder: RunFolder, learner: Any) -> None:
    """Say what is about to run, and where it is written."""
    numerics = learner.numerics
    device, reason = choose_device(config.simulator.name)
    if device == config.sim_device and reason:
        print(reason)
    size = learner.ranks.size
    steps = config.max_iterations * learner.rollout.num_samples * size
    print(
        f"{config.task.name}: {f'{size} processes with ' if size > 1 else ''}"
        f"{config.num_envs:,} envs on {config.sim_device}, "
        f"{steps:,} env steps in {config.max_iterations} iterations\n"
        f"{learner.updater.per_epoch} minibatches of {learner.updater.minibatch_size:,}, "
        f"{config.train.mini_epochs} epochs, {numerics}; "
        f"scheduler {config.scheduler.name}; seed {config.seed}\n"
        f"run folder {folder.path}",
        flush=True,
    )
    for line in config.task.get("not_translated", []):
        print(f"not translated from rl_games: {line}", flush=True)


def how_to_go_on(folder: RunFolder, iteration: int) -> str:
    """What to say to who interrupted the run, after `iteration`."""
    words = shlex.join(["resume=True", hydra_word("run_dir", folder.path)])
    return f"Stopped after iteration {iteration}. Go on with: {command('train.py')} {words}"


def test_command(config: DictConfig, folder: RunFolder) -> str:
    path = folder.best if folder.best.exists() else folder.last
    words = same_words(config, "max_iterations", "checkpoint_every", "seed")
    words = [*words, hydra_word("checkpoint", path)]
    # Flags last: argparse takes all words together or none.
    words.sort(key=lambda word: word.startswith("--"))
    return f"{command('play.py')} {shlex.join(words)}"


def hydra_word(key: str, value: object) -> str:
    """`key=value` as Hydra reads it: a value that its grammar would take apart is in quotes."""
    text = str(value)
    if re.fullmatch(r"[\w./~@+-]+( [\w./~@+-]+)*", text):
        return f"{key}={text}"
    escaped = text.replace("'", "\\'")
    return f"{key}='{escaped}'"


def words_of_start(config: DictConfig) -> List[str]:
    """What a run's record of words holds: `same_words`, and the policy that it began with."""
    if config.checkpoint is None:
        return same_words(config)
    policy = os.path.abspath(os.path.expanduser(config.checkpoint))
    return [hydra_word("checkpoint", policy), *same_words(config)]


def same_words(config: DictConfig, *left_out: str) -> List[str]:
    """The words of this command line, without those that choose the run and the keys `left_out`.

    They mean the same elsewhere and later: folders are absolute, and a seed that was drawn is
    told.
    """
    hydra = HydraConfig.get()
    # Unresolved: a word may itself hold ${...}.
    overrides = OmegaConf.to_container(hydra.overrides.task, resolve=False)
    words = [word for word in cast(List[str], overrides) if override_key(word) not in left_out]
    words = [word for word in words if override_key(word) not in CHOOSE_THE_RUN]
    # The seed always: -1, in a word or a file, would be drawn anew.
    words = [word for word in words if override_key(word) != "seed"]
    if "seed" not in left_out:
        words.append(f"seed={config.seed}")
    words = [word for word in words if override_key(word) != "isaacgymenvs_path"]
    if config.isaacgymenvs_path is not None:
        words.append(hydra_word("isaacgymenvs_path", config.isaacgymenvs_path))
    if not any(override_key(word) == "task" for word in words):
        words.insert(0, f"task={hydra.runtime.choices['task']}")
    words += [word for word in hydra.overrides.hydra if word.startswith("hydra.searchpath=")]
    folders = [s.path for s in hydra.runtime.config_sources if s.provider == "command-line"]
    words += [f"--config-dir={os.path.abspath(folder)}" for folder in folders]
    name = hydra.job.config_name
    return words if name == "config" else [*words, f"--config-name={name}"]
