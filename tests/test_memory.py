"""Large blocks are used again: seen in the page faults of a process that allocates them."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import torch
from rofunc_isaac.memory import keep_large_blocks

if sys.argv[1] == "keep":
    assert keep_large_blocks()
for _ in range(8):
    torch.zeros(2**24).add_(1)  # 64 MiB, freed at once
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8):
    torch.zeros(2**24).add_(1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(word: str) -> int:
    command = [sys.executable, "-c", FAULTS, word]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_memory_that_was_freed_is_not_zeroed_again() -> None:
    assert page_faults("keep") * 4 < page_faults("do not")
