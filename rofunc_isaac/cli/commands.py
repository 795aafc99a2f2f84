"""How a shell starts the programs from the folder that this process stands in."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Optional

import rofunc_isaac


def command(program: str) -> str:
    """The words that start `program` ("train.py", "play.py"), quoted for the shell.

    `python train.py` in the checkout with its environment active; `.venv/bin/python train.py`
    without.
    """
    return shlex.join([_interpreter(), _script(program)])


def _interpreter() -> str:
    """`python`, where that is this process's or there is no virtual environment; else its path."""
    if sys.prefix == sys.base_prefix or _same(os.environ.get("VIRTUAL_ENV"), sys.prefix):
        return "python"
    found = shutil.which("python")  # a container has it on the PATH without VIRTUAL_ENV
    if found is not None and _same(os.path.dirname(found), os.path.dirname(sys.executable)):
        return "python"
    return _from_here(sys.executable)


def _script(program: str) -> str:
    """The script beside the one that runs, else that of the checkout."""
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(rofunc_isaac.__file__)))
    for folder in (os.path.dirname(os.path.abspath(sys.argv[0])), checkout):
        path = os.path.join(folder, program)
        if os.path.isfile(path):
            return _from_here(path)
    return program


def _from_here(path: str) -> str:
    """Relative where it lies below the current folder, else absolute; links stay as they are."""
    absolute, here = Path(os.path.abspath(path)), Path.cwd()
    return str(absolute.relative_to(here) if here in absolute.parents else absolute)


def _same(one: Optional[str], other: str) -> bool:
    return bool(one) and os.path.realpath(str(one)) == os.path.realpath(other)
