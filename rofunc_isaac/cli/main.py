"""The command line: check the whole configuration, then let Hydra run the job."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from typing import Any, Optional, Sequence

import hydra
from hydra._internal.utils import get_args_parser
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from rofunc_isaac import idle_threads
from rofunc_isaac.cli import sweeps, workers
from rofunc_isaac.cli.checks import check_policy
from rofunc_isaac.cli.compose import CONFIG_MODULE, compose, finish
from rofunc_isaac.cli.earlier_run import with_recorded_words
from rofunc_isaac.errors import ConfigError, UserError
from rofunc_isaac.isaacgymenvs.offer import offer

EXIT_USER_ERROR = 2


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Run `train.py` with these arguments (by default those of the process).

    A mistake of the user's ends as `error: ...` on stderr and exit status 2, before torch or a
    simulator is imported.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    flags = get_args_parser().parse_intermixed_args(arguments)
    # Flags last: Hydra takes all words together or none.
    arguments = [*flags.overrides, *(word for word in arguments if word not in flags.overrides)]
    try:
        if not flags.multirun:
            arguments = with_recorded_words(arguments, flags.overrides)
            flags = get_args_parser().parse_args(arguments)
        _check(flags)
    except UserError as error:
        _exit_with(error)
    sys.argv = [sys.argv[0], *arguments]
    if flags.multirun and HydraConfig.initialized() and sweeps.has_workers(HydraConfig.get()):
        with workers.Workers():
            _run_job()
    else:
        _run_job()


@hydra.main(version_base="1.3", config_path=CONFIG_MODULE, config_name="config")
def _run_job(config: DictConfig) -> Any:
    """One job: the run itself, or one of a sweep, whose sweeper sees what it returns."""
    if sweeps.has_workers(HydraConfig.get()):
        with workers.job():
            return _run(config, HydraConfig.get())
    return _run(config, HydraConfig.get())


def _run(config: DictConfig, hydra_config: Any) -> Any:
    try:
        check_policy(finish(config, hydra_config))
        idle_threads.let_sleep()
        # Only now may torch and a simulator be imported.
        from rofunc_isaac.cli.evaluate import test
        from rofunc_isaac.cli.train import train

        result = test(config) if config.test else train(config)
        result = sweeps.objective(result, hydra_config)
        if sweeps.is_job(hydra_config) and config.run_dir is not None:
            sweeps.error_file(config.run_dir).unlink(missing_ok=True)  # of an earlier try
        return result
    except UserError as error:
        if sweeps.is_job(hydra_config):
            raise sweeps.fail(error, config.run_dir, hydra_config) from error
        _exit_with(error)
    except KeyboardInterrupt as interrupt:
        if sweeps.has_workers(hydra_config):
            raise
        print(*interrupt.args or ["Interrupted."], file=sys.stderr)
        # What shells give for a program that a signal ended.
        sys.exit(128 + getattr(interrupt, "signum", signal.SIGINT))
    except Exception as error:
        if sweeps.is_job(hydra_config):
            raise sweeps.fail(error, config.run_dir, hydra_config) from error
        raise


def _check(flags: Namespace) -> None:
    """Compose once ahead of Hydra, whose own messages for mistakes are long."""
    only_shows_something = flags.hydra_help or flags.shell_completion or flags.info is not None
    if only_shows_something or flags.config_path or flags.experimental_rerun:
        return
    where = (flags.config_dir, flags.config_name or "config")
    offer(flags.overrides)  # of a sweep, the tasks of every job
    if not flags.multirun:
        config = compose(flags.overrides, *where)
        if not (flags.help or flags.cfg):
            check_policy(config)
        for word in flags.overrides:
            if word.startswith(("hydra/sweeper=", "hydra/launcher=")):
                raise ConfigError(f"{word} is for a sweep: add -m")
        return
    compose(sweeps.without_sweeps(flags.overrides), *where, job=0)
    jobs = sweeps.words_to_check(flags.overrides, HydraConfig.get())
    configs = [compose(words, *where, job=number) for number, words in enumerate(jobs)]
    for config in configs:
        check_policy(config)
    sweeps.check_folders(flags.overrides, configs)


def _exit_with(error: UserError) -> None:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(EXIT_USER_ERROR)


if __name__ == "__main__":
    main()
