"""docs/slurm/train.sbatch, with stand-ins for Slurm's programs and real trainings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.integration.test_runs import metrics

pytestmark = pytest.mark.timeout(300)

ROOT = Path(__file__).resolve().parents[2]
WORDS = [
    *(
        "task=Cartpole",
        "num_envs=16",
        "seed=3",
        "train.horizon_length=256",
        "sim_device=cpu",
        "wandb_activate=False",
    ),
    *("task.sim.num_threads=1", "checkpoint_every=100000"),
]

SRUN = """#!/bin/bash
# As Slurm's own: starts every task, ends them at once where it is told to end, leaves with the
# worst status.
[ "$1" = --cpus-per-task=1 ] && shift 2  # and --kill-on-bad-exit=1
for ((i = 0; i < SLURM_NTASKS; i++)); do
    SLURM_PROCID=$i SLURM_LOCALID=$i "$@" &
    tasks+=("$!")
done
echo "${tasks[@]}" > tasks
trap 'kill -KILL "${tasks[@]}"' TERM
worst=0
for task in "${tasks[@]}"; do
    wait "$task"; status=$?
    while kill -0 "$task" 2>/dev/null; do wait "$task"; status=$?; done
    ((status > worst)) && worst=$status
done
exit "$worst"
"""

SCANCEL = """#!/bin/bash
# To every task. Twice, as where somebody signals the job besides.
[ "$*" = "--signal=TERM $SLURM_JOB_ID" ] || exit 1
kill -TERM $(cat tasks); sleep 0.1; kill -TERM $(cat tasks)
"""

SQUEUE = """#!/bin/bash
cat state 2>/dev/null || echo RUNNING
"""

SCONTROL = """#!/bin/bash
if [ "$1" = show ]; then echo 127.0.0.1; else echo "$@" >> scontrol.log; fi
"""


class Slurm:
    """Starts the batch script as Slurm would, in a folder that is not ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder / "runs" / "pole"
        programs = folder / "bin"
        programs.mkdir()
        python = f'#!/bin/bash\nexec "{sys.executable}" "$@"\n'
        slurms = {"srun": SRUN, "scancel": SCANCEL, "squeue": SQUEUE, "scontrol": SCONTROL}
        for name, text in {**slurms, "python": python}.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        (folder / "train.py").symlink_to(ROOT / "train.py")
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "SLURM_JOB_ID": str(os.getpid()),
            "SLURM_JOB_NAME": "pole",
            "SLURM_JOB_NODELIST": "localhost",
            "SLURM_NTASKS": "2",
            "SLURM_CPUS_PER_TASK": "1",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", str(ROOT / "docs/slurm/train.sbatch"), *WORDS, *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_it_trains(self) -> None:
        lines = self.run / "metrics.jsonl"
        deadline = time.monotonic() + 100
        while not (lines.exists() and lines.read_text().count("\n") > 2):
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def requeued(self) -> list[str]:
        log = self.folder / "scontrol.log"
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def slurm(tmp_path: Path) -> Slurm:
    return Slurm(tmp_path)


@pytest.mark.slow
def test_a_training_that_is_preempted_goes_on_when_its_job_is_started_again(slurm):
    job = slurm.start("max_iterations=100000")
    slurm.wait_until_it_trains()
    assert not (slurm.run / "checkpoints/last.pt").exists()
    job.send_signal(signal.SIGTERM)  # to the batch script alone: --signal=B:TERM
    _, errors = job.communicate(timeout=60)
    assert job.returncode == 143, errors
    assert slurm.requeued() == [f"requeue {os.getpid()}"]
    done = len(metrics(slurm.run))

    job = slurm.start(f"max_iterations={done + 3}")
    said, errors = job.communicate(timeout=100)
    assert job.returncode == 0, errors
    assert len(slurm.requeued()) == 1
    assert [line["iteration"] for line in metrics(slurm.run)] == list(range(1, done + 4))
    assert "2 processes with 16 envs" in said
    assert (slurm.run / "config_2.yaml").exists()

    # Once more, as where the requeue came too late: there is nothing left to do.
    job = slurm.start(f"max_iterations={done + 3}")
    said, errors = job.communicate(timeout=100)
    assert job.returncode == 0, errors
    assert "has done its" in said
    assert len(slurm.requeued()) == 1


@pytest.mark.slow
def test_a_training_that_is_cancelled_is_not_queued_again(slurm):
    job = slurm.start("max_iterations=100000")
    slurm.wait_until_it_trains()
    (slurm.folder / "state").write_text("COMPLETING\n")
    job.send_signal(signal.SIGTERM)
    _, errors = job.communicate(timeout=60)
    assert job.returncode == 143, errors
    assert (slurm.run / "checkpoints/last.pt").exists()
    assert slurm.requeued() == []


@pytest.mark.slow
def test_a_training_that_fails_is_not_queued_again(slurm):
    job = slurm.start("task.entry=my_task:MyTask")
    _, errors = job.communicate(timeout=100)
    assert job.returncode == 2, errors
    assert "there is no module my_task" in errors
    assert slurm.requeued() == []
