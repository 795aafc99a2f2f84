"""Compiled functions: the same results, and a way on where torch's compiler gives up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch

from rofunc_isaac.compiler import Compiled, can_compile

pytestmark = pytest.mark.skipif(not can_compile(), reason="needs a C++ compiler")


def test_effects_and_results_are_the_functions_own() -> None:
    total = torch.zeros(3)

    def add(numbers: torch.Tensor) -> torch.Tensor:
        total.add_(numbers)
        return numbers * 2.0

    compiled = Compiled(add, "compile=False")
    for _ in range(3):
        doubled = compiled(torch.tensor([1.0, 2.0, 3.0]))
    assert doubled.tolist() == [2.0, 4.0, 6.0]
    assert total.tolist() == [3.0, 6.0, 9.0]
    assert compiled.is_compiled


def test_what_cannot_be_compiled_is_told_once_and_computed_once() -> None:
    calls = torch.zeros(1)

    def branches(numbers: torch.Tensor) -> torch.Tensor:
        calls.add_(1.0)
        return numbers if float(numbers.sum()) > 0.0 else -numbers

    compiled = Compiled(branches, "train.compile=False")
    with pytest.warns(RuntimeWarning, match=r"branches.*train.compile=False does without"):
        assert compiled(torch.tensor([-1.0])).item() == 1.0
    assert calls.item() == 1.0
    assert not compiled.is_compiled
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(torch.tensor([2.0])).item() == 2.0
    assert calls.item() == 2.0


def test_a_mistake_in_the_function_is_the_callers() -> None:
    compiled = Compiled(lambda a, b: a @ b, "compile=False")
    wrong = torch.ones(2, 3)
    with pytest.warns(RuntimeWarning), pytest.raises(RuntimeError, match="cannot be multiplied"):
        compiled(wrong, wrong)


def test_a_ctrl_c_passes_the_compilers_programs_by(tmp_path: Path) -> None:
    """They get it with everything else that the terminal's command runs, and would leave ruins."""
    log, compiler = tmp_path / "blocked.txt", tmp_path / "compiler.py"
    real = os.environ.get("CXX", "g++")
    # Not a shell: some clear the mask.
    compiler.write_text(
        f"#!{sys.executable} -S\n"
        "import os, signal, sys\n"
        "blocked = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())]\n"
        f"print(blocked, file=open({str(log)!r}, 'a'))\n"
        f"os.execvp({real!r}, [{real!r}, *sys.argv[1:]])\n"
    )
    compiler.chmod(0o755)
    code = (
        "import signal, torch\n"
        "from rofunc_isaac.compiler import Compiled\n"
        "double = Compiled(lambda numbers: numbers * 2.0 + 1.0, 'compile=False')\n"
        "assert double(torch.ones(100)).sum() == 300.0 and double.is_compiled\n"
        "assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())\n"
    )
    own = {"CXX": str(compiler), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **own})
    assert set(log.read_text().splitlines()) == {f"[{int(signal.SIGINT)}, {int(signal.SIGTERM)}]"}


def test_a_backends_own_reason_is_told() -> None:
    compiled = Compiled(lambda numbers: numbers + 1.0, "compile=False")

    def fails(*arguments: object) -> None:
        raise RuntimeError(
            "backend='inductor' raised:\nImportError: /tmp/x.main.so: file too short"
        )

    compiled._call = fails
    with pytest.warns(RuntimeWarning, match="x.main.so: file too short"):
        assert compiled(torch.zeros(1)).item() == 1.0
