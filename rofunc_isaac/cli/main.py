"""The command line: check the whole configuration, then let Hydra run the job."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from typing import Any, List, Optional, Sequence

import hydra
from hydra._internal.utils import get_args_parser
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig

from rofunc_isaac import idle_threads
from rofunc_isaac.cli.compose import CONFIG_MODULE, compose, finish
from rofunc_isaac.cli.earlier_run import with_recorded_words
from rofunc_isaac.errors import UserError
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
    _run_job()


@hydra.main(version_base="1.3", config_path=CONFIG_MODULE, config_name="config")
def _run_job(config: DictConfig) -> Any:
    """One job: the run itself, or one of a sweep, whose sweeper sees what it returns."""
    try:
        finish(config, HydraConfig.get())
        idle_threads.let_sleep()
        # Only now may torch and a simulator be imported.
        from rofunc_isaac.cli.evaluate import test
        from rofunc_isaac.cli.train import train

        return test(config) if config.test else train(config)
    except UserError as error:
        _exit_with(error)
    except KeyboardInterrupt as interrupt:
        print(*interrupt.args or ["Interrupted."], file=sys.stderr)
        # What shells give for a program that a signal ended.
        sys.exit(128 + getattr(interrupt, "signum", signal.SIGINT))


def _check(flags: Namespace) -> None:
    """Compose once ahead of Hydra, whose own messages for mistakes are long."""
    only_shows_something = flags.hydra_help or flags.shell_completion or flags.info is not None
    if only_shows_something or flags.config_path or flags.experimental_rerun:
        return
    overrides = _first_of_each_sweep(flags.overrides) if flags.multirun else flags.overrides
    offer(flags.overrides)  # of a sweep, the tasks of every job
    compose(overrides, flags.config_dir, flags.config_name or "config")


def _first_of_each_sweep(overrides: Sequence[str]) -> List[str]:
    """Overrides of the first job of a sweep; `seed=1,2` becomes `seed=1`."""
    parser = OverridesParser.create()
    single = []
    for text in overrides:
        try:
            override = parser.parse_override(text)
        except HydraException:
            single.append(text)  # compose explains it
            continue
        if not override.is_sweep_override():
            single.append(text)
        elif override.is_discrete_sweep():
            key = text.split("=", 1)[0]
            single.append(f"{key}={next(iter(override.sweep_string_iterator()))}")
    return single


def _exit_with(error: UserError) -> None:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(EXIT_USER_ERROR)


if __name__ == "__main__":
    main()
