"""How long until something happens: `python -m benchmarks.startup task=Ant`.

Options, as key=value:
  repeats=3   times that each command is run
and any words for train.py.

Times `train.py --help`, and `train.py` from the start of its process until its first iteration is
finished (the first line of metrics.jsonl). The first repeat may fill caches: they are told one by
one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine

TRAIN = Path(__file__).resolve().parents[1] / "train.py"
POLL_S = 0.01


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark with these words (by default the process's); returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    repeats = [int(word.partition("=")[2]) for word in words if word.startswith("repeats=")]
    words = [word for word in words if not word.startswith("repeats=")]
    print(", ".join(f"{key} {value}" for key, value in machine.describe().items()))
    for _ in range(repeats[0] if repeats else 3):
        print(f"--help: {time_help():.1f} s; first iteration: {time_first_iteration(words):.1f} s")
    return 0


def time_help() -> float:
    """Seconds that `train.py --help` takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, TRAIN, "--help"], check=True, capture_output=True)
    return time.perf_counter() - start


def time_first_iteration(words: Sequence[str]) -> float:
    """Seconds from the start of `train.py` to its first line of metrics.

    Raises:
        subprocess.CalledProcessError: it ended before that.
    """
    with tempfile.TemporaryDirectory(prefix="startup_") as folder:
        run = Path(folder) / "run"
        command = [sys.executable, str(TRAIN), *words, f"run_dir={run}", "wandb_activate=False"]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not ((run / "metrics.jsonl").exists() and (run / "metrics.jsonl").read_bytes()):
                if process.poll() is not None:
                    raise subprocess.CalledProcessError(process.returncode, command)
                time.sleep(POLL_S)
            return time.perf_counter() - start
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
