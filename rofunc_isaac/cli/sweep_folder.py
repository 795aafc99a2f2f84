"""The folder of a sweep, made before its first job and summed up after its last."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from rofunc_isaac.cli.sweeps import ERROR_ENDING, JobError, is_study

_NO_BEST = ("Record does not exist.", "No trials are completed yet.")
"""Optuna's words for a study without a best trial, in a database and in memory."""


class SweepFolder(Callback):
    """Hydra calls it; `cfg/config.yaml` names it. Hydra's own log, which would say it, is off."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Make the folder: a study's database stands in it, and its sweeper makes none."""
        folder = Path(config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"sweep folder {folder}", flush=True)
        if is_study(config.hydra):
            _explain_failed_studies(folder)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Say which of its runs failed, and a study's best."""
        folder = Path(config.hydra.sweep.dir)
        for error in _error_files(folder):
            print(f"failed: {error}")
        results = folder / "optimization_results.yaml"
        if results.exists():
            best = OmegaConf.load(results)
            words = " ".join(f"{key}={value}" for key, value in best.best_params.items())
            print(f"best mean return {best.best_value:.4g} with {words}")
        print(f"Sweep done: {folder}", flush=True)


def _error_files(folder: Path) -> List[Path]:
    return sorted(folder.glob(f"*{ERROR_ENDING}"))


def _explain_failed_studies(folder: Path) -> None:
    """Have a study without a best trial end with our words instead of Optuna's traceback.

    Hydra finds a sweeper by its name and ends the process after any error, so there is no place
    for this but the sweeper itself.
    """
    from hydra_plugins.hydra_optuna_sweeper.optuna_sweeper import OptunaSweeper

    sweep = OptunaSweeper.sweep

    def explained(self: OptunaSweeper, arguments: List[str]) -> None:
        try:
            sweep(self, arguments)
        except ValueError as error:
            if str(error) not in _NO_BEST:
                raise
            files = ", ".join(map(str, _error_files(folder)))
            text = f"error: no trial of the study came to a return: {files}"
            raise JobError(text) from error

    OptunaSweeper.sweep = explained  # type: ignore[method-assign]
