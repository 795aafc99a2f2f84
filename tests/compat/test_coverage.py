"""The tables of coverage against what is really there, and the page against the tables."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from rofunc_isaac.compat import page
from rofunc_isaac.compat.coverage import APPROXIMATE, COMPLETE, MISSING, Coverage
from rofunc_isaac.compat.gym_calls import GYM
from rofunc_isaac.compat.module_names import MODULES
from rofunc_isaac.isaacgym.gym import Gym, MissingCallError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "isaacgym.md"


def offered_by_module(name: str) -> set[str]:
    try:
        module = importlib.import_module(f"rofunc_isaac.isaacgym.{name}")
    except ModuleNotFoundError:
        return set()
    return set(module.__all__)


OFFERED = {"gym": {name for name in dir(Gym) if not name.startswith("_")}}
OFFERED.update({name: offered_by_module(name) for name in MODULES})
TABLES = {"gym": GYM, **MODULES}


def rows(coverage: Coverage) -> list[str]:
    return [*coverage.complete, *coverage.approximate, *coverage.own]


def matching(patterns: list[str], name: str) -> list[str]:
    return [pattern for pattern in patterns if fnmatchcase(name, pattern)]


@pytest.mark.parametrize("module", TABLES)
def test_everything_that_is_there_stands_in_one_row(module: str) -> None:
    found = {name: matching(rows(TABLES[module]), name) for name in OFFERED[module]}
    wrong = {name: patterns for name, patterns in found.items() if len(patterns) != 1}
    assert wrong == {}, "add or remove rows in rofunc_isaac/compat/{gym_calls,module_names}.py"


@pytest.mark.parametrize("module", TABLES)
def test_every_row_stands_for_something_that_is_there(module: str) -> None:
    idle = [row for row in rows(TABLES[module]) if not _is_there(module, row)]
    assert idle == []


def _is_there(module: str, row: str) -> bool:
    if any(fnmatchcase(name, row) for name in OFFERED[module]):
        return True
    # Helpers with an underscore, which programs call all the same.
    ours = importlib.import_module(f"rofunc_isaac.isaacgym.{module}")
    return row.startswith("_") and hasattr(ours, row)


@pytest.mark.parametrize("module", TABLES)
def test_what_is_called_missing_is_not_there(module: str) -> None:
    missing = TABLES[module].missing
    assert set(missing) & OFFERED[module] == set(), "it is there now: move it to another row"
    assert [name for name, times in Counter(missing).items() if times > 1] == []


def test_every_published_function_stands_in_the_table() -> None:
    methods = {node.name for node in stub_class("Gym").body if isinstance(node, ast.FunctionDef)}
    published = {name for name in methods if not name.startswith("__")}
    assert len(published) > 300
    assert {name for name in published if GYM.status(name) is None} == set()
    assert set(GYM.own) & published == set()


def stub_class(name: str) -> ast.ClassDef:
    """The class as the package isaacgym-stubs publishes it."""
    try:
        files = importlib.metadata.files("isaacgym-stubs") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("isaacgym-stubs is not installed: pip install isaacgym-stubs==1.1rc4")
    (stub,) = [file for file in files if file.name == "gymapi.pyi"]
    text = stub.read_text(encoding="utf-8").replace("def lambda(", "def lambda_(")
    (found,) = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    return found


def test_status_of_names() -> None:
    coverage = Coverage(
        complete=("KEY_*", "simulate"), approximate={"CC_*": "never"}, missing=("draw",)
    )
    asked = ["KEY_A", "simulate", "CC_NEVER", "draw", "paint"]
    assert [coverage.status(name) for name in asked] == [
        *(COMPLETE, COMPLETE, APPROXIMATE, MISSING, None)
    ]
    assert [coverage.difference(name) for name in ("CC_NEVER", "simulate")] == ["never", ""]


def test_the_page_holds_the_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    again = "write it anew: python -m rofunc_isaac.compat.page docs/isaacgym.md"
    assert text == page.rewritten(text), again
    for name in ("get_unstable_env_mask", "create_viewer", "acquire_jacobian_tensor"):
        assert f"`{name}`" in text


def test_rewriting_keeps_what_stands_above_the_tables() -> None:
    text = page.rewritten(f"# Guide\n\nwords\n\n{page.BEGIN}\n\nold tables\n")
    assert text.startswith(f"# Guide\n\nwords\n\n{page.BEGIN}\n\n## `gym`")
    assert "old tables" not in text


def test_a_missing_function_names_the_page() -> None:
    with pytest.raises(MissingCallError, match=r"gym\.paint is not .* docs/isaacgym\.md says"):
        Gym().paint()
