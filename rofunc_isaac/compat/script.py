"""Running a script as Python itself does, in a process where `isaacgym` is ours."""

from __future__ import annotations

import builtins
import io
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Sequence

from rofunc_isaac.compat import devices, syntax
from rofunc_isaac.compat.install import install
from rofunc_isaac.errors import UserError

PROJECT_FILES = ("setup.py", "pyproject.toml", "setup.cfg")


def prepare(script: str, arguments: Sequence[str]) -> str:
    """Make this process what `python SCRIPT ARGUMENTS...` starts in; returns the script's path.

    Its folder comes first on the path in place of the working folder, its arguments are as given,
    and `isaacgym` is ours. Two things differ from Python's own start: a checkout that the script
    lies in can be imported although it is not installed, and device arguments are added, with a
    line on stderr, where the script's default is a CUDA device that does not exist.

    Raises:
        UserError: there is no such script, it is not Python, or NVIDIA's isaacgym was imported
            before.
    """
    path = Path(os.path.realpath(script))
    if not path.is_file():
        raise UserError(f"no script at {os.path.abspath(script)}; name the file to run")
    try:
        tree = syntax.parse(path)
    except (SyntaxError, ValueError) as error:
        raise UserError(
            f"{script} is not a Python {sys.version_info[0]} script: {error}"
        ) from error
    install()
    added = devices.missing_devices(tree, path.parent, arguments, _count_cuda_devices())
    if added:
        print("rofunc_isaac: no such CUDA device here; added", *added, file=sys.stderr, flush=True)
    sys.argv = [script, *arguments, *added]
    _set_path(path)
    return os.path.join(os.getcwd(), script)  # as Python writes `__file__`


def run_as_main(path: str) -> None:
    """Run the file as `__main__`; whatever it raises passes through.

    Unlike `runpy`, this leaves the module in place: what the script pickles is found in it.
    """
    module = ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec")
    exec(code, module.__dict__)


def _count_cuda_devices() -> int:
    import torch  # here, since `python -m rofunc_isaac --help` needs none

    return torch.cuda.device_count()


def _set_path(script: Path) -> None:
    """The script's folder first, as Python sets it, and the checkout around it last."""
    if not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
        sys.path[:1] = [str(script.parent)]
    for folder in script.parents:
        if any((folder / name).is_file() for name in PROJECT_FILES):
            sys.path.append(str(folder))
            return
