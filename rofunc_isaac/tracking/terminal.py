"""Progress in the terminal: a live bar, or plain lines where there is no terminal to draw on."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Optional, Union

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from rofunc_isaac.tracking.tracker import Metrics, Updates


class Terminal:
    """Shows iteration, time left, return, KL, learning rate and speed.

    On a terminal it is one line that is drawn anew twice a second, below whatever else is
    printed. Elsewhere (a pipe, a log file, TERM=dumb) it is a plain line for the first iteration,
    for the last, and between them one every `interval_s` seconds at most. NO_COLOR and rich's
    other variables hold.

    Args:
        title: stands first on the line; the task's name.
        total_iterations: where the run ends.
        start_iteration: iterations that were done before a resume; the time left is reckoned from
            this session's speed.
        interval_s: seconds between plain lines.
        console: where to; standard output unless given.
    """

    def __init__(
        self,
        title: str,
        total_iterations: int,
        start_iteration: int = 0,
        interval_s: float = 5.0,
        console: Optional[Console] = None,
    ) -> None:
        self.title = title
        self.total_iterations = total_iterations
        self.start_iteration = start_iteration
        self.interval_s = interval_s
        self.console = console or Console()
        self._live = self.console.is_terminal and not self.console.is_dumb_terminal
        self._progress: Optional[Progress] = None
        self._bar = TaskID(0)
        self._start = time.monotonic()
        self._last_line_at = float("-inf")
        self._unprinted: Optional[Metrics] = None
        self._told_of_skipped = False

    def log(self, metrics: Metrics, updates: Updates) -> None:
        skipped = metrics.get("train/skipped_updates")
        if skipped and not self._told_of_skipped:
            self._told_of_skipped = True
            self.console.print(skipped_warning(metrics), highlight=False, soft_wrap=True)
        if self._live:
            self._draw(metrics)
            return
        self._unprinted = metrics
        if time.monotonic() - self._last_line_at >= self.interval_s:
            self._print_line()

    def close(self, status: str) -> None:
        """Leave the last state on the screen and give the cursor back."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        if self._unprinted is not None:
            self._print_line()

    def _draw(self, metrics: Metrics) -> None:
        if self._progress is None:
            # Twice a second: each drawing takes the interpreter from the training.
            self._progress = Progress(
                TextColumn("[bold]{task.description}"),
                MofNCompleteColumn(),
                BarColumn(bar_width=20),
                TimeRemainingColumn(),
                TextColumn("{task.fields[numbers]}"),
                console=self.console,
                refresh_per_second=2,
                speed_estimate_period=120.0,
            )
            self._bar = self._progress.add_task(
                self.title,
                total=self.total_iterations,
                completed=self.start_iteration,
                numbers="",
            )
            self._progress.start()
        iteration = metrics["iteration"]
        assert iteration is not None
        self._progress.update(self._bar, completed=iteration, numbers=_numbers(metrics))

    def _print_line(self) -> None:
        assert self._unprinted is not None
        metrics, self._unprinted = self._unprinted, None
        self._last_line_at = time.monotonic()
        iteration = int(metrics["iteration"] or 0)
        done = iteration - self.start_iteration
        elapsed = self._last_line_at - self._start
        left = ""
        if done > 0 and iteration < self.total_iterations:
            seconds = elapsed / done * (self.total_iterations - iteration)
            left = f"  {timedelta(seconds=round(seconds))} left"
        # Not through rich: a log file's lines shall not wrap at a guessed width.
        print(
            f"{self.title} {iteration}/{self.total_iterations}  {_numbers(metrics)}{left}",
            file=self.console.file,
            flush=True,
        )


def skipped_warning(metrics: Metrics) -> str:
    """Says, once a run, that minibatches were left out, and where to look for the cause."""
    skipped = metrics["train/skipped_updates"]
    return (
        f"warning: iteration {metrics['iteration']} left out {skipped:.0f} "
        "minibatches whose gradient was not finite: a reward or an observation is NaN or infinite, "
        f"or the loss grew without bound (mean reward {metrics.get('train/reward_mean')}). "
        "train/skipped_updates and non_finite in metrics.jsonl tell of later ones"
    )


def _numbers(metrics: Metrics) -> str:
    return (
        f"return {_text(metrics.get('train/return_mean'), '.1f')}"
        f"  KL {_text(metrics.get('train/kl_mean'), '.4f')}"
        f"  LR {_text(metrics.get('train/lr'), '.2e')}"
        f"  {_text(metrics.get('perf/env_steps_per_s'), ',.0f')} steps/s"
    )


def _text(value: Union[int, float, None], form: str) -> str:
    return "-" if value is None else format(value, form)
