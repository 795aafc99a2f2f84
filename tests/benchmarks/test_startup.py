"""The clock runs until the first line of metrics."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from benchmarks import startup


def test_both_times_are_told(capsys: Any) -> None:
    words = ["task=Cartpole", "num_envs=8", "train.horizon_length=4", "sim_device=cpu"]
    assert startup.main([*words, "repeats=1"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    found = re.fullmatch(r"--help: ([\d.]+) s; first iteration: ([\d.]+) s", line)
    assert found is not None
    assert 0 < float(found[1]) < float(found[2])


def test_a_run_that_never_begins_is_an_error() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        startup.time_first_iteration(["task=Nothing"])
