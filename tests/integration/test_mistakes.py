"""Mistakes that show only when torch and the task are there; the others are tested in tests/cli."""

from __future__ import annotations

import re

import pytest
import torch

from tests.integration.conftest import TINY

pytestmark = pytest.mark.timeout(300)  # enough for a machine that is busy


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=Hopper"], "there is no task=Hopper.*Ant, Cartpole"),
        (["num_envs=0"], "num_envs .*must be a whole number from 1 to 1048576, got 0"),
        (["task.env.max_efort=3"], r"max_efort.*did you mean (task\.env\.)?max_effort\?"),
        (["task.entry=my_task:MyTask"], "there is no module my_task.*PYTHONPATH"),
    ],
)
def test_it_is_one_line_and_nothing_is_written(cli, words, message):
    replaced = {word.split("=")[0] for word in words}
    said = cli.error(*(w for w in TINY if w.split("=")[0] not in replaced), *words)
    assert re.search(message, said), said
    assert {path.name for path in cli.folder.iterdir()} == {"home"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_without_cuda_names_the_cpu(cli):
    said = cli.error(*TINY, "sim_device=cuda:0")
    assert re.search("sim_device=cuda:0 needs CUDA, .*sim_device=cpu", said), said
    assert {path.name for path in cli.folder.iterdir()} == {"home"}
