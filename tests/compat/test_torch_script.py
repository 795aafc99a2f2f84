"""`torch.where` in scripted functions, in a process of its own: scripting is changed for good."""

from __future__ import annotations

import json
from pathlib import Path

from tests.compat.programs import checkout, rofunc_isaac

PROGRAM = """
import json
import torch

# As vec_task.py of IsaacGymEnvs sets them.
torch._C._jit_set_profiling_mode(False)
torch._C._jit_set_profiling_executor(False)

@torch.jit.script
def held(distance, count):
    reached = torch.where(distance <= 0.5, torch.ones_like(count), torch.zeros_like(count))
    if bool(reached.sum() > 0):
        count = torch.where(reached, count + 1, torch.zeros_like(count))
    return count

@torch.jit.script
def twice(distance, count):
    return held(distance, held(distance, count))

@torch.jit.script
def places(count):
    return torch.where(count)[0]

distance, count = torch.tensor([0.1, 0.9, 0.5]), torch.tensor([4, 4, 0])
print(json.dumps([twice(distance, count).tolist(), places(count).tolist()]))
"""


def test_conditions_may_be_numbers_as_on_the_gpu(tmp_path: Path) -> None:
    folder = checkout(tmp_path, {"held.py": PROGRAM})
    done = rofunc_isaac("run", "held.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[6, 0, 2], [0, 1]]
