"""The text of `python -m rofunc_isaac isaacgym-report`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Dict, List, Optional

from rofunc_isaac.compat.coverage import APPROXIMATE, COMPLETE, MISSING, Coverage
from rofunc_isaac.compat.gym_calls import GYM
from rofunc_isaac.compat.module_names import MODULES
from rofunc_isaac.compat.usage import Place, Usage, usage_of

WIDTH = 100
UNKNOWN = "not known"

HEADINGS = {
    MISSING: "missing: raises an error that names it",
    UNKNOWN: "not known as names of Isaac Gym: they may belong to something else",
    APPROXIMATE: "approximate: there, but different",
    COMPLETE: "complete",
}
"""In the order in which they matter to someone who ports."""


def report(path: str) -> str:
    """What the code in a file or folder uses of Isaac Gym, and what of it is there.

    Raises:
        UserError: there is no such path, or no Python in it.
    """
    root = Path(path)
    used = usage_of(root)
    groups: Dict[str, List[str]] = {heading: [] for heading in HEADINGS}
    for name in sorted(used.names):
        groups[_status(name)].append(name)
    missing_modules = [name for name in sorted(used.modules) if not _has_module(name)]

    base = root if root.is_dir() else root.parent
    lines = [_summary(root, used, groups)]
    for status, names in groups.items():
        modules = missing_modules if status == MISSING else []
        if names or modules:
            lines += ["", f"{HEADINGS[status]} ({len(names)})"]
        lines += [_line(f"isaacgym.{name}", used.modules[name], base) for name in modules]
        if status == COMPLETE:
            lines += _wrapped(" ".join(names), indent="  ")
            continue
        for name in names:
            lines += [_line(name, used.names[name], base)]
            lines += _wrapped(_difference(name), indent="      ")
    if used.unreadable:
        lines += ["", f"not read, since Python can't parse them ({len(used.unreadable)})"]
        lines += [f"  {_relative(file, base)}: {reason}" for file, reason in used.unreadable]
    return "\n".join(lines)


def _wrapped(text: str, indent: str) -> List[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _summary(root: Path, used: Usage, groups: Dict[str, List[str]]) -> str:
    calls = sum(name.startswith("gym.") for name in used.names)
    counts = ", ".join(f"{len(groups[status])} {status}" for status in HEADINGS if groups[status])
    return (
        f"{root}: {used.files} Python files use {calls} functions of gym and "
        f"{len(used.names) - calls} names of its modules" + (f": {counts}" if counts else "")
    )


def _status(name: str) -> str:
    coverage = _coverage(name)
    if coverage is None:
        return MISSING
    return coverage.status(name.partition(".")[2]) or UNKNOWN


def _difference(name: str) -> str:
    coverage = _coverage(name)
    return coverage.difference(name.partition(".")[2]) if coverage is not None else ""


def _coverage(name: str) -> Optional[Coverage]:
    module = name.partition(".")[0]
    return GYM if module == "gym" else MODULES.get(module)


def _has_module(name: str) -> bool:
    coverage = MODULES.get(name)
    return coverage is not None and bool(coverage.complete or coverage.approximate)


def _line(name: str, places: List[Place], base: Path) -> str:
    file, line = places[0]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"  {name}  {_relative(file, base)}:{line}{more}"


def _relative(file: Path, base: Path) -> str:
    return file.relative_to(base).as_posix()
