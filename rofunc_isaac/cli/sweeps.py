"""A sweep (`-m`): the jobs that its words ask for, what each of them gets, and how one fails."""

from __future__ import annotations

import math
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, cast

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep, ValueType
from hydra.errors import CompactHydraException, HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, ListConfig, OmegaConf

from rofunc_isaac.cli.origins import override_key
from rofunc_isaac.errors import ConfigError, UserError

ERROR_ENDING = ".error.txt"
"""Of the file beside a job's folder that says why it failed."""

_BASIC = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"


class JobError(UserError, CompactHydraException):
    """One job of a sweep. Hydra prints the text alone, and a process can hand it to another."""


def words_to_check(overrides: Sequence[str], hydra: Any) -> List[List[str]]:
    """Words for a few jobs that between them have every value of a choice, and the ends of a range.

    Args:
        overrides: the sweep's.
        hydra: Hydra's own node, as those words compose it.

    Raises:
        ConfigError: the sweeper can't draw values of that kind.
    """
    params: Dict[str, str] = hydra.sweeper.get("params") or {}
    parser = OverridesParser.create()
    values: Dict[str, List[str]] = {}
    # A word on the command line takes the place of the sweeper's own.
    for text in [*(f"{key}={value}" for key, value in params.items()), *overrides]:
        try:
            override = parser.parse_override(text)
        except HydraException:
            values[override_key(text)] = [text]  # compose explains it
            continue
        _check_kind(override, hydra)
        values[override_key(text)] = _values(override, holds_end=not _is_grid(hydra))
    values = {key: texts for key, texts in values.items() if texts}
    number = max(len(texts) for texts in values.values()) if values else 1
    return [[texts[min(i, len(texts) - 1)] for texts in values.values()] for i in range(number)]


def without_sweeps(overrides: Sequence[str]) -> List[str]:
    """The words with one value each: enough to compose Hydra's own node."""
    parser = OverridesParser.create()
    single = []
    for text in overrides:
        try:
            override = parser.parse_override(text)
        except HydraException:
            single.append(text)
            continue
        single += _values(override, holds_end=False)[:1]
    return single


def check_folders(overrides: Sequence[str], configs: Sequence[DictConfig]) -> None:
    """Refuse a run folder that several jobs would share.

    Args:
        overrides: the sweep's.
        configs: of `words_to_check`.

    Raises:
        ConfigError: naming the word.
    """
    swept = [override_key(word) for word in overrides if len(_words(word)) > 1]
    for word in overrides:
        key = override_key(word)
        others = [name for name in swept if name not in (key, "run_dir", "experiment")]
        missing = [n for n in others if not re.search(rf"\$\{{{re.escape(n)}[}}.]", word)]
        if key in ("run_dir", "experiment") and missing and "${hydra:job." not in word:
            raise ConfigError(
                f"{word} would be the folder of several jobs of the sweep: leave it out (each has "
                f"its own below hydra.sweep.dir), or let ${{{missing[0]}}} be part of it"
            )
    for key in ("run_dir", "experiment"):
        given = [config[key] for config in configs if config[key] is not None]
        if len(given) > len(set(given)):
            raise ConfigError(
                f"{key}={given[0]} would be the folder of several jobs of the sweep: leave it out "
                "(each has its own below hydra.sweep.dir), or let it differ, as in "
                "'experiment=seed_${seed}'"
            )


def _words(word: str) -> List[str]:
    try:
        return _values(OverridesParser.create().parse_override(word), holds_end=False)
    except HydraException:
        return [word]


def is_job(hydra: Any) -> bool:
    """Whether this run is one job of a sweep."""
    return hydra.mode == RunMode.MULTIRUN


def has_workers(hydra: Any) -> bool:
    """Whether its jobs run in processes of joblib."""
    return is_job(hydra) and str(hydra.launcher._target_).endswith(".JoblibLauncher")


def is_study(hydra: Any) -> bool:
    """Whether Optuna chooses the settings of the sweep's jobs."""
    return str(hydra.sweeper._target_).endswith(".OptunaSweeper")


def optimises(hydra: Any) -> bool:
    """Whether the sweep looks for the best return, so that what a job returns matters."""
    return is_job(hydra) and not _is_grid(hydra)


def job_folder(hydra: Any) -> Optional[str]:
    """Where a job of a sweep writes, if this run is one and nothing else is asked for."""
    if not is_job(hydra):
        return None
    return os.path.normpath(os.path.join(hydra.sweep.dir, hydra.sweep.subdir))


def run_name(path: Path, hydra: Any) -> str:
    """The name of a run on a dashboard, where nothing else is asked for."""
    return f"{path.parent.name}/{path.name}" if is_job(hydra) else path.name


def group(hydra: Any) -> Optional[str]:
    """The group of a sweep's runs on a dashboard: the name of its folder."""
    return Path(hydra.sweep.dir).name if is_job(hydra) else None


def settle(config: DictConfig, hydra: Any) -> None:
    """Fill in what a job of a sweep has besides its words: folder and share of the cores.

    Raises:
        ConfigError: a study is asked to resume, though its jobs have other settings in each call,
            to look for the smallest return, or to try nothing.
    """
    if not is_job(hydra):
        return
    _check_study(hydra)
    if config.run_dir is None and config.experiment is None:
        config.run_dir = job_folder(hydra)
    if optimises(hydra) and config.resume is not False:
        raise ConfigError(
            f"resume={config.resume} is for runs and grids; a study goes on by itself where "
            "hydra.sweep.dir names its folder"
        )
    sim = config.task.get("sim")
    at_once = _jobs_at_once(hydra)
    if at_once > 1 and isinstance(sim, DictConfig) and sim.get("num_threads") == 0:
        sim.num_threads = max(1, _cores() // at_once)


def objective(value: Optional[float], hydra: Any) -> Optional[float]:
    """What the sweeper gets for a job's return.

    Raises:
        UserError: there is nothing that could be compared with other jobs.
    """
    if optimises(hydra) and (value is None or not math.isfinite(value)):
        raise UserError(
            "no episode has ended, so there is no return to compare: give it more max_iterations, "
            "or shorter episodes (task.env.episode_length)"
            if value is None
            else f"its mean return is {value}, which can't be compared"
        )
    return value


def error_file(run_dir: str) -> Path:
    """Where it stands that the job with this folder failed, and why."""
    return Path(f"{run_dir}{ERROR_ENDING}")


def fail(error: Exception, run_dir: Optional[str], hydra: Any) -> JobError:
    """Tell of a failed job, here and beside its folder; what to raise in the error's place.

    Args:
        run_dir: the job's folder, if it has one; else the sweep's folder for it is named.
    """
    text = f"job {hydra.job.num} of the sweep failed: {error}"
    details = ""
    if not isinstance(error, UserError):
        text = f"job {hydra.job.num} of the sweep failed: {type(error).__name__}: {error}"
        details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    words = " ".join(cast(List[str], OmegaConf.to_container(hydra.overrides.task, resolve=False)))
    print(f"{details}error: {text}", file=sys.stderr, flush=True)
    path = error_file(run_dir or cast(str, job_folder(hydra)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n{words}\n{details}", encoding="utf-8")
    return JobError(text)


def _is_grid(hydra: Any) -> bool:
    return hydra.sweeper._target_ == _BASIC


def _check_study(hydra: Any) -> None:
    """Refuse what Optuna's sweeper would search wrongly; of others nothing is known."""
    if not is_study(hydra):
        return
    for key in ("n_trials", "n_jobs"):
        if hydra.sweeper[key] < 1:
            raise ConfigError(f"hydra.sweeper.{key}={hydra.sweeper[key]} must be 1 or more")
    given = hydra.sweeper.direction
    names = [
        str(getattr(direction, "name", direction))
        for direction in (given if isinstance(given, ListConfig) else [given])
    ]
    if names != ["maximize"]:
        text = f"[{','.join(names)}]" if isinstance(given, ListConfig) else names[0]
        raise ConfigError(
            f"hydra.sweeper.direction={text} would not look for the largest return, which is all "
            "that a run gives; use hydra/sweeper=optuna_ppo or hydra.sweeper.direction=maximize"
        )


def _check_kind(override: Override, hydra: Any) -> None:
    word = override.input_line
    basic = _is_grid(hydra)
    if basic and override.is_interval_sweep():
        raise ConfigError(
            f"{word}: an interval needs a sweeper that draws values; add hydra/sweeper=optuna_ppo"
        )
    if not basic and override.value_type == ValueType.GLOB_CHOICE_SWEEP:
        raise ConfigError(f"{word}: only a grid takes a glob; name the options, as in task=A,B")


def _values(override: Override, holds_end: bool) -> List[str]:
    """The words that one stands for; of a range the first and the last, of a glob none.

    Args:
        holds_end: whether ranges hold the number that they end with, as Optuna's do.
    """
    key = override.get_key_element()
    if override.is_interval_sweep():
        interval = override.value()
        assert isinstance(interval, IntervalSweep)
        return [f"{key}={interval.start}", f"{key}={interval.end}"]
    if not override.is_sweep_override():
        return [cast(str, override.input_line)]
    if override.value_type == ValueType.GLOB_CHOICE_SWEEP:
        return []  # Hydra itself looks for the files
    if override.is_range_sweep():
        numbers = cast(RangeSweep, override.value())
        assert numbers.start is not None
        assert numbers.stop is not None
        if holds_end and (numbers.stop - numbers.start) % numbers.step == 0:
            return [f"{key}={numbers.start}", f"{key}={numbers.stop}"]
    texts = [f"{key}={value}" for value in override.sweep_string_iterator()]
    return [texts[0], texts[-1]] if override.is_range_sweep() and texts else texts


def _jobs_at_once(hydra: Any) -> int:
    """How many jobs of a sweep share this machine."""
    if not has_workers(hydra):
        return 1
    number = int(hydra.launcher.n_jobs)
    number = number if number > 0 else max(1, _cores() + 1 + number)
    return min(number, hydra.sweeper.n_jobs) if "n_jobs" in hydra.sweeper else number


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _sampler_seed(first: int, sweep_dir: str) -> int:
    return first + len(list(Path(sweep_dir).glob("*/config.yaml")))


OmegaConf.register_new_resolver("sampler_seed", _sampler_seed, replace=True)
