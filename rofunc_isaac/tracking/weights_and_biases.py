"""Weights & Biases: the metrics as curves, and the learning rate against the KL as a panel."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from rofunc_isaac.tracking.tracker import Metrics, Updates

MAX_PAIRS = 10_000
"""Rows of the table behind the panel: as many as a W&B custom chart draws."""

PANEL = "lr_against_kl"
"""Key of the panel; its table is logged as `lr_against_kl_table`."""

_GROWTH = 1.5
_FINISH_TIMEOUT_S = 120.0


class WeightsAndBiases:
    """Logs a run to Weights & Biases; whatever goes wrong there, training goes on.

    Online when a key is there (WANDB_API_KEY, ~/.netrc, or W&B's settings), else offline, with
    the command that uploads later. `WANDB_MODE` and `wandb offline` hold; nobody is ever asked
    for a key. The first failure, of the import, the start, a log or the end, prints one line on
    stderr, and from then on this tracker does nothing.

    An iteration is one history row over `global_step` (env steps). The scheduler's (KL, LR)
    pairs go into a table (env_steps, kl, lr) under the scatter panel `lr_against_kl`. It is logged
    when it has grown by half and at the end, so that all its versions together hold three times
    the last one's rows at most; past `MAX_PAIRS` rows every second one is left out, again and
    again (metrics.jsonl keeps them all).

    Args:
        run_dir: the run folder; W&B's files go into its `wandb/`. It must exist.
        config: the composed configuration as plain dicts, lists and numbers.
        activate: False switches all of it off, without importing wandb.
        project, name, entity, group: W&B's; None leaves the choice to W&B.
        run_id: the id from the checkpoint, to go on in the same W&B run; None starts a new one.
        segment: how many times the run was resumed; logged in every row.
        earlier_updates: on resume, the (env_steps, KL, LR) from before: `read_updates` of
            metrics.jsonl.
        logged_until: on resume, the env steps of the last row from before: what came after the
            checkpoint is computed once more, and not logged once more.
        init_timeout_s: seconds that an online start may take.

    Attributes:
        mode: "online", "offline" or "off".
        run_id: W&B's id of the run, for the checkpoint; None when there is none.
    """

    def __init__(
        self,
        run_dir: Union[str, os.PathLike[str]],
        config: Mapping[str, Any],
        activate: bool = True,
        project: Optional[str] = None,
        name: Optional[str] = None,
        entity: Optional[str] = None,
        group: Optional[str] = None,
        run_id: Optional[str] = None,
        segment: int = 0,
        earlier_updates: Sequence[Tuple[int, float, float]] = (),
        logged_until: int = 0,
        init_timeout_s: float = 30.0,
    ) -> None:
        self.mode = "off"
        self.run_id = run_id
        self.segment = segment
        self._run: Any = None
        self._pairs = _Pairs(earlier_updates)
        self._global_step: Union[int, float] = 0
        self._logged_until = logged_until
        if not activate:
            return
        try:
            self._start(
                Path(run_dir),
                dict(config),
                init_timeout_s,
                project=project,
                name=name,
                entity=entity,
                group=group,
            )
        except Exception as error:  # any: wandb and the network are not ours, training is
            self._give_up("could not start", error)

    def log(self, metrics: Metrics, updates: Updates) -> None:
        if self._run is None:
            return
        # None is left out: W&B would take the key for text.
        row: Dict[str, Any] = {key: value for key, value in metrics.items() if value is not None}
        self._global_step = row.pop("env_steps")
        row["global_step"] = self._global_step
        row["wall_time"] = row.pop("wall_time_s")
        row["segment"] = self.segment
        self._pairs.add(self._global_step, updates)
        if self._global_step <= self._logged_until:
            return
        try:
            if self._pairs.panel_is_due():
                row[PANEL] = self._panel()
            self._run.log(row)
        except Exception as error:
            self._give_up("could not log", error)

    def close(self, status: str) -> None:
        if self._run is None:
            return
        run, self._run = self._run, None
        left_here = self.mode == "offline"
        try:
            if self._pairs.has_news() and self._global_step > self._logged_until:
                panel = {PANEL: self._panel(), "global_step": self._global_step}
                run.log({**panel, "segment": self.segment})
            run.finish(exit_code=0 if status == "finished" else 1)
        except Exception as error:
            self._give_up("could not finish", error)
            left_here = True
        if left_here:
            _say(f"W&B: upload this run with: {self.sync_command}")

    def _start(
        self, run_dir: Path, config: Dict[str, Any], init_timeout_s: float, **names: Optional[str]
    ) -> None:
        import wandb

        mode, reason = _resolve_mode(wandb)
        if mode == "off":
            return
        settings: Dict[str, Any] = {
            "console": "off",
            "silent": True,
            "init_timeout": init_timeout_s,
            # Without a network W&B would otherwise try for hours to upload at the end.
            "finish_timeout": _FINISH_TIMEOUT_S,
            "finish_timeout_raises": True,
        }
        known = wandb.Settings.model_fields  # older versions lack the finish timeouts
        options: Dict[str, Any] = {
            **names,
            "dir": str(run_dir),
            "config": config,
            "mode": mode,
            "id": self.run_id,
            "resume": "allow" if self.run_id else None,
            "allow_val_change": True,
            "settings": wandb.Settings(**{k: v for k, v in settings.items() if k in known}),
        }
        run = wandb.init(**options)
        run.define_metric("global_step")
        run.define_metric("*", step_metric="global_step")
        self._run = run
        self._wandb = wandb
        self.mode = mode
        self.run_id = run.id
        self.sync_command = _sync_command(run_dir, run.id)
        if mode == "offline":
            _say(f"W&B: offline ({reason}); upload later with: {self.sync_command}")
        else:
            _say(f"W&B: {run.url}")

    def _panel(self) -> Any:
        table = self._wandb.Table(columns=["env_steps", "kl", "lr"], data=self._pairs.take())
        return self._wandb.plot.scatter(table, x="kl", y="lr", title="Learning rate against KL")

    def _give_up(self, what: str, error: Exception) -> None:
        self._run = None
        self.mode = "off"
        text = " ".join(str(error).split()) or "no message"
        _say(
            f"W&B {what} ({type(error).__name__}: {text}); training and metrics.jsonl go on"
            " without it"
        )


class _Pairs:
    """The rows behind the panel, and when it is worth logging them again."""

    def __init__(self, rows: Sequence[Tuple[int, float, float]]) -> None:
        self._rows: List[List[Union[int, float]]] = [list(row) for row in rows]
        self._stride = 1
        self._seen = len(self._rows)
        self._taken = 0
        self._thin()

    def add(self, env_steps: Union[int, float], updates: Updates) -> None:
        for kl, lr in updates:
            if self._seen % self._stride == 0:
                self._rows.append([env_steps, kl, lr])
            self._seen += 1
        self._thin()

    def panel_is_due(self) -> bool:
        return self._seen > self._taken * _GROWTH

    def has_news(self) -> bool:
        return self._seen > self._taken

    def take(self) -> List[List[Union[int, float]]]:
        self._taken = self._seen
        return list(self._rows)

    def _thin(self) -> None:
        while len(self._rows) > MAX_PAIRS:
            self._rows = self._rows[::2]
            self._stride *= 2


def _resolve_mode(wandb: Any) -> Tuple[str, str]:
    """ "online", "offline" or "off", and why offline. Never asks anybody for anything."""
    # Silent: looking for a key would announce that it was found, over the network.
    settings = wandb.setup(settings=wandb.Settings(silent=True)).settings
    if settings.mode == "disabled":
        return "off", ""
    if settings.mode in ("offline", "dryrun"):
        return "offline", "as WANDB_MODE or `wandb offline` says"
    return ("online", "") if _has_key(wandb) else ("offline", "no API key")


def _has_key(wandb: Any) -> bool:
    if "prompt" in inspect.signature(wandb.login).parameters:
        return bool(wandb.login(prompt=False, verify=False))
    return bool(wandb.api.api_key)  # wandb before 0.31


def _sync_command(run_dir: Path, run_id: str) -> str:
    """Uploads every folder of the run: each resume made another, and W&B joins them by id."""
    folders = sorted((run_dir / "wandb").glob(f"*run-*-{run_id}"))
    return " ".join(["wandb sync --yes", *(shlex.quote(str(folder)) for folder in folders)])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
