"""Modules that programs for Isaac Gym import, where the real ones can't be had.

IsaacGymEnvs imports all of its tasks for any one of them, and some import libraries that their task
alone needs, in versions that today's Python cannot install. A stand-in lets the import pass and
raises where something of the library is used. It is asked last: a library that is there is imported
as ever.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Dict, Optional, Sequence, Tuple

from rofunc_isaac.errors import UserError


class StandInError(UserError, ImportError):
    """Something of a library was used that is not there, and whose import a stand-in let pass."""


@dataclass(frozen=True)
class StandIn:
    """What stands in for a module.

    Args:
        mend: how to get the real one, as the error says it.
        declares: names that modules call while they are imported: decorators, types in annotations.
    """

    mend: str
    declares: Tuple[str, ...] = ()


STAND_INS: Dict[str, StandIn] = {
    "tkinter": StandIn("install Tk for this Python (Debian, Ubuntu: apt-get install python3-tk)"),
    "pysdf": StandIn(
        "pip install pysdf (it needs a C++ compiler and Eigen's headers, found through CPATH)"
    ),
    "urdfpy": StandIn(
        "pip install urdfpy, then pip install --no-deps 'networkx>=3' (it pins networkx 2.2, which "
        "Python 3.10 and newer can't import)"
    ),
    "trimesh": StandIn("pip install trimesh"),
    "warp": StandIn(
        "pip install warp-lang",
        declares=(
            *("kernel", "func", "struct", "overload", "constant"),
            *("array", "array1d", "array2d", "array3d", "array4d"),
        ),
    ),
    "warp.sim": StandIn("Warp dropped it in 1.10; `newton` has taken its place"),
    "warp.torch": StandIn("its functions are Warp's own now: warp.from_torch, warp.to_torch"),
}
"""By the module's full name."""


class Placeholder:
    """Something of a missing library: it can be named, and raises StandInError when used."""

    def __init__(self, path: str, mend: str) -> None:
        self._path, self._mend = path, mend

    def __repr__(self) -> str:
        return f"<stand-in for {self._path}>"

    def __getattr__(self, name: str) -> Placeholder:
        if name.startswith("__"):  # for `inspect`, `copy` and `pickle` it is an ordinary object
            raise AttributeError(name)
        return Placeholder(f"{self._path}.{name}", self._mend)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise StandInError(
            f"{self._path} is not available here: a stand-in let its import pass. "
            f"To use it: {self._mend}"
        )

    __call__ = __mro_entries__ = __getitem__ = __iter__ = __len__ = __bool__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __or__ = __ror__ = _refuse
    __int__ = __float__ = __index__ = __enter__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse


class Declaration(Placeholder):
    """A decorator or type that may be called while a module is imported, to no effect."""

    def _declare(self, *args: Any, **kwargs: Any) -> Any:
        return self

    __call__ = __getitem__ = _declare


class StandInModule(ModuleType):
    """An importable module whose names are placeholders."""

    def __init__(self, name: str, stand_in: StandIn) -> None:
        super().__init__(name, f"Stands in for `{name}`, which is not available here.")
        self._stand_in = stand_in  # without the underscore, `import *` would take it along

    def __getattr__(self, name: str) -> Placeholder:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = Declaration if name in self._stand_in.declares else Placeholder
        return kind(f"{self.__name__}.{name}", self._stand_in.mend)


class StandInFinder(MetaPathFinder, Loader):
    """Finds the modules of a table, and those below a stand-in that was imported."""

    def __init__(self, table: Dict[str, StandIn]) -> None:
        self._table = table

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        return None if self._of(name) is None else ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        stand_in = self._of(spec.name)
        assert stand_in is not None
        return StandInModule(spec.name, stand_in)

    def exec_module(self, module: ModuleType) -> None:
        """Its names are made when they are asked for."""

    def _of(self, name: str) -> Optional[StandIn]:
        parent = sys.modules.get(name.rpartition(".")[0])
        if isinstance(parent, StandInModule):
            return parent._stand_in
        return self._table.get(name)


def offer() -> None:
    """From now on, answer imports of modules in `STAND_INS` that nothing else answers."""
    if not any(isinstance(finder, StandInFinder) for finder in sys.meta_path):
        sys.meta_path.append(StandInFinder(STAND_INS))
