"""How idle threads of torch wait is settled before torch asks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CHOICES = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
POLICY = """
import os, sys
from rofunc_isaac import idle_threads
if sys.argv[1] == "late":
    import torch
idle_threads.let_sleep()
print(os.environ.get("OMP_WAIT_POLICY"), os.environ.get("GOMP_SPINCOUNT"))
"""


@pytest.mark.parametrize(
    ("when", "given", "expected"),
    [
        ("early", None, "None 10000"),
        ("early", "ACTIVE", "ACTIVE None"),  # the user's own choice
        ("late", None, "None None"),  # torch has read it by then
    ],
)
def test_the_choice_is_made_before_torch_reads_it(
    when: str, given: str | None, expected: str
) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in CHOICES}
    if given is not None:
        environment["OMP_WAIT_POLICY"] = given
    done = subprocess.run(
        [sys.executable, "-c", POLICY, when],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == expected
