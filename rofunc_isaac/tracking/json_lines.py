"""metrics.jsonl: one JSON object an iteration, whatever else is switched on."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from rofunc_isaac.errors import UserError
from rofunc_isaac.tracking.tracker import Metrics, Updates


class MetricsFileError(UserError):
    """A metrics file that cannot be gone on with."""


class JsonLines:
    """Writes one line an iteration and flushes it, so that `tail -f` sees it at once.

    A line holds the metrics and `updates`, the iteration's [KL, learning rate] pairs. It is
    strict JSON: a number that is NaN or infinite stands as null, and the line then has a list
    `non_finite` that names the keys it happened to.

    Args:
        path: the file. A new run makes it; it must not exist yet.
        resume_after_iteration: the iteration of the checkpoint that the run goes on from (0: from
            the start). Later lines, and a last line that a killed process left torn, are cut off
            first, so that no iteration stands twice.

    Raises:
        FileExistsError: without `resume_after_iteration`, when the file is there already.
        MetricsFileError: on resume, when a line before the last is not a JSON object with an
            `iteration`. The file is left as it is.
    """

    def __init__(
        self, path: Union[str, os.PathLike[str]], resume_after_iteration: Optional[int] = None
    ) -> None:
        self.path = Path(path)
        if resume_after_iteration is not None and self.path.exists():
            _cut_after(self.path, resume_after_iteration)
            mode = "a"
        else:
            mode = "x"
        self._file = open(self.path, mode, encoding="utf-8", newline="\n")  # noqa: SIM115

    def log(self, metrics: Metrics, updates: Updates) -> None:
        line: Dict[str, Any] = dict(metrics)
        non_finite = [key for key, value in metrics.items() if not _is_finite(value)]
        for key in non_finite:
            line[key] = None
        line["updates"] = [
            [value if math.isfinite(value) else None for value in pair] for pair in updates
        ]
        if any(None in pair for pair in line["updates"]):
            non_finite.append("updates")
        if non_finite:
            line["non_finite"] = non_finite
        self._file.write(json.dumps(line, allow_nan=False) + "\n")
        self._file.flush()

    def close(self, status: str) -> None:
        self._file.close()


def read_updates(path: Union[str, os.PathLike[str]]) -> List[Tuple[int, float, float]]:
    """All (env_steps, KL, learning rate) of a metrics file; pairs with a null are left out.

    Raises:
        FileNotFoundError: when there is no file.
        MetricsFileError: when a line is not a JSON object with an `iteration`.
    """
    rows = []
    for _, line in _whole_lines(Path(path)):
        for kl, lr in line.get("updates", []):
            if kl is not None and lr is not None:
                rows.append((int(line["env_steps"]), float(kl), float(lr)))
    return rows


def last_env_steps(path: Union[str, os.PathLike[str]]) -> int:
    """`env_steps` of the last line of a metrics file; 0 where it has none.

    Raises: as `read_updates`.
    """
    steps = 0
    for _, line in _whole_lines(Path(path)):
        steps = int(line["env_steps"])
    return steps


def _is_finite(value: Union[int, float, None]) -> bool:
    return value is None or math.isfinite(value)


def _cut_after(path: Path, iteration: int) -> None:
    end = 0
    for line_end, line in _whole_lines(path):
        if line["iteration"] > iteration:
            break
        end = line_end
    os.truncate(path, end)


def _whole_lines(path: Path) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """The byte where each line ends, and its object; a torn last line is left out."""
    lines = path.read_bytes().splitlines(keepends=True)
    end = 0
    for number, text in enumerate(lines, start=1):
        end += len(text)
        if not text.endswith(b"\n"):
            return
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or "iteration" not in line:
            if number == len(lines):
                return
            raise MetricsFileError(
                f"{path}, line {number}: not a JSON object with an 'iteration'. Mend or delete "
                "that line, or move the file away to go on without the earlier metrics."
            )
        yield end, line
