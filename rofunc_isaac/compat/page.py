"""The tables of docs/isaacgym.md: `python -m rofunc_isaac.compat.page docs/isaacgym.md` writes them
anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Sequence

from rofunc_isaac.compat.coverage import Coverage
from rofunc_isaac.compat.gym_calls import GYM
from rofunc_isaac.compat.module_names import MODULES

BEGIN = "<!-- From here on written by `python -m rofunc_isaac.compat.page docs/isaacgym.md`. -->"
"""Where the tables begin; they reach to the end of the page."""


def tables() -> str:
    """Markdown of everything that the tables of coverage hold."""
    sections = [_section("`gym`: the functions of `gymapi.Gym`", GYM)]
    sections += [_section(f"`isaacgym.{name}`", coverage) for name, coverage in MODULES.items()]
    return "\n".join(sections)


def rewritten(page: str) -> str:
    """The text of the page with its tables as they should be."""
    return f"{page.partition(BEGIN)[0]}{BEGIN}\n\n{tables()}"


def _section(title: str, coverage: Coverage) -> str:
    lines = [f"## {title}", ""]
    if coverage.approximate:
        lines += ["| Approximate | How it differs |", "|---|---|"]
        lines += [f"| `{name}` | {how} |" for name, how in sorted(coverage.approximate.items())]
        lines += [""]
    lines += _names("Complete", coverage.complete)
    lines += _names("Not in Isaac Gym", coverage.own)
    lines += _names("Missing", coverage.missing)
    return "\n".join(lines)


def _names(title: str, names: Sequence[str]) -> List[str]:
    if not names:
        return []
    return [f"{title}: {', '.join(f'`{name}`' for name in sorted(names))}.", ""]


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(rewritten(file.read_text(encoding="utf-8")), encoding="utf-8")
