"""Stand-ins for modules that are missing: importable, and refusing to be used."""

from __future__ import annotations

import copy
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rofunc_isaac.compat import stand_ins
from rofunc_isaac.compat.stand_ins import StandIn, StandInError, StandInFinder

TABLE = {
    "missing_mesh": StandIn("pip install missing-mesh"),
    "missing_warp": StandIn("pip install missing-warp", declares=("kernel", "array")),
    "real_mesh": StandIn("never asked for"),
    "real_mesh.older": StandIn("real_mesh dropped it"),
}


@pytest.fixture(autouse=True)
def finder() -> Iterator[None]:
    modules, finder = set(sys.modules), StandInFinder(TABLE)
    sys.meta_path.append(finder)
    yield
    sys.meta_path.remove(finder)
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def test_use_says_what_is_missing_and_how_to_get_it() -> None:
    import missing_mesh
    import missing_mesh.sample as sample
    from missing_mesh import load

    for use in (
        lambda: load("a.obj"),
        lambda: sample.surface.evenly(3),
        lambda: missing_mesh.NUMBER + 1,
        lambda: missing_mesh.LIST[0],
        lambda: [*missing_mesh.LIST],
        lambda: bool(missing_mesh.FLAG),
    ):
        with pytest.raises(
            StandInError, match=r"missing_mesh\.\w.* To use it: pip install missing-"
        ):
            use()


def test_the_error_names_the_path() -> None:
    import missing_mesh.sample

    with pytest.raises(StandInError, match="^missing_mesh.sample.surface.evenly is not available"):
        missing_mesh.sample.surface.evenly()


def test_a_subclass_is_a_use_that_a_fallback_may_catch() -> None:
    import missing_mesh

    with pytest.raises(ImportError, match=r"missing_mesh\.Frame is not available"):

        class Window(missing_mesh.Frame):
            pass


def test_a_star_passes_and_gives_nothing() -> None:
    names: dict = {}
    exec("from missing_mesh import *", names)
    assert names.keys() == {"__builtins__"}


def test_declarations_may_be_called_while_a_module_is_imported() -> None:
    import missing_warp as wp

    @wp.kernel
    def plain(points: wp.array(dtype=wp.vec3)) -> None:
        pass

    @wp.kernel(enable_backward=False)
    def with_words(points: wp.array(dtype=wp.vec3)) -> None:
        pass

    with pytest.raises(StandInError, match="missing_warp.launch"):
        wp.launch(plain)


@pytest.fixture
def real_mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is installed."""
    (tmp_path / "real_mesh").mkdir()
    (tmp_path / "real_mesh" / "__init__.py").write_text("load = 'real'")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("real_mesh")
def test_a_module_that_is_there_is_imported_as_ever() -> None:
    assert importlib.import_module("real_mesh").load == "real"


@pytest.mark.usefixtures("real_mesh")
def test_a_dropped_submodule_of_a_real_module() -> None:
    older = importlib.import_module("real_mesh.older")
    with pytest.raises(StandInError, match=r"^real_mesh\.older\.parse .* real_mesh dropped it$"):
        older.parse()


def test_other_missing_modules_stay_missing() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("missing_altogether")


def test_tools_see_an_ordinary_object() -> None:
    import missing_mesh

    assert repr(copy.deepcopy(missing_mesh.load)) == "<stand-in for missing_mesh.load>"
    assert not hasattr(missing_mesh.load, "__wrapped__")
    assert inspect.getmodule(missing_mesh.load) is not missing_mesh


def test_they_are_offered_once() -> None:
    before = list(sys.meta_path)
    try:
        sys.meta_path[:] = [f for f in before if not isinstance(f, StandInFinder)]
        stand_ins.offer()
        stand_ins.offer()
        assert [type(f) for f in sys.meta_path].count(StandInFinder) == 1
        assert isinstance(sys.meta_path[-1], StandInFinder)
    finally:
        sys.meta_path[:] = before
