"""The folder of a sweep, made before its first job and summed up after its last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from rofunc_isaac.cli.sweeps import ERROR_ENDING


class SweepFolder(Callback):
    """Hydra calls it; `cfg/config.yaml` names it. Hydra's own log, which would say it, is off."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Make the folder: a study's database stands in it, and its sweeper makes none."""
        folder = Path(config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"sweep folder {folder}", flush=True)

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Say which of its runs failed, and a study's best."""
        folder = Path(config.hydra.sweep.dir)
        for error in sorted(folder.glob(f"*{ERROR_ENDING}")):
            print(f"failed: {error}")
        results = folder / "optimization_results.yaml"
        if results.exists():
            best = OmegaConf.load(results)
            words = " ".join(f"{key}={value}" for key, value in best.best_params.items())
            print(f"best mean return {best.best_value:.4g} with {words}")
        print(f"Sweep done: {folder}", flush=True)
