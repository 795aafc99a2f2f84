"""What a code base uses of Isaac Gym, read from its syntax trees without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

from rofunc_isaac.compat import syntax
from rofunc_isaac.compat.gym_calls import GYM
from rofunc_isaac.errors import UserError

PACKAGE = "isaacgym"

GYM_NAMES = ("gym", "_gym")
"""What programs call the `Gym` object, as a variable or an attribute."""

SKIPPED_FOLDERS = {"__pycache__", "site-packages", "node_modules", "build", "dist"}

Place = Tuple[Path, int]


@dataclass
class Usage:
    """What was found. Names are dotted: `gym.simulate`, `gymapi.Vec3`, `gymutil.draw_lines`.

    `modules` holds names such as `gymapi`; `unreadable` the files that Python can't parse, with
    the reason.
    """

    files: int = 0
    names: Dict[str, List[Place]] = field(default_factory=dict)
    modules: Dict[str, List[Place]] = field(default_factory=dict)
    unreadable: List[Tuple[Path, str]] = field(default_factory=list)


def usage_of(path: Path) -> Usage:
    """Everything that the file, or the Python files below the folder, use.

    Raises:
        UserError: there is no such path, or no Python file below it.
    """
    if not path.exists():
        raise UserError(f"nothing at {path.absolute()}; name a file or a folder of Python code")
    files = [path] if path.is_file() else sorted(_python_files(path))
    if not files:
        raise UserError(f"no Python file below {path.absolute()}")
    found = Usage(files=len(files))
    for file in files:
        try:
            tree = syntax.parse(file)
        except (SyntaxError, ValueError) as error:
            found.unreadable.append((file, str(error)))
            continue
        for kind, name, line in _uses(tree):
            places = found.modules if kind == "module" else found.names
            places.setdefault(name, []).append((file, line))
    return found


def _python_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_symlink():
            continue
        if path.is_dir():
            if path.name not in SKIPPED_FOLDERS and not path.name.startswith("."):
                yield from _python_files(path)
        elif path.suffix == ".py":
            yield path


def _uses(tree: ast.Module) -> Iterator[Tuple[str, str, int]]:
    """(kind, name, line) of each use in one file, where kind is "name" or "module"."""
    modules, acquired = _module_aliases(tree), _acquired(tree)
    other_gym = "gym" in syntax.imported_packages(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package, _, module = alias.name.partition(".")
                if package == PACKAGE and module:
                    yield "module", module, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            package, _, module = (node.module or "").partition(".")
            if package == PACKAGE:
                if module:
                    yield "module", module, node.lineno
                for alias in node.names:
                    if not module:
                        yield "module", alias.name, node.lineno
                    elif alias.name != "*":
                        yield "name", f"{module}.{alias.name}", node.lineno
        elif isinstance(node, ast.Attribute):
            owner = syntax.dotted(node.value)
            if owner in modules:
                yield "name", f"{modules[owner]}.{node.attr}", node.lineno
            elif _is_gym(node.value, acquired) and not (
                # OpenAI's gym goes by the same name.
                other_gym and owner == "gym" and GYM.status(node.attr) is None
            ):
                yield "name", f"gym.{node.attr}", node.lineno


def _is_gym(node: ast.AST, acquired: List[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in GYM_NAMES or syntax.dotted(node) in acquired
    return isinstance(node, ast.Name) and (node.id in GYM_NAMES or node.id in acquired)


def _acquired(tree: ast.Module) -> List[str]:
    """Names of other variables that `acquire_gym()` was assigned to."""
    names = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if syntax.dotted(node.value.func).rpartition(".")[2] == "acquire_gym":
            names += [syntax.dotted(target) for target in node.targets]
    return [name for name in names if name]


def _module_aliases(tree: ast.Module) -> Dict[str, str]:
    """From what a module of Isaac Gym is called in the file to its own name.

    `gymapi` is so called in files, too, that get it by `from elsewhere import *`.
    """
    aliases = {"gymapi": "gymapi"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package, _, module = alias.name.partition(".")
                if package == PACKAGE and module:
                    aliases[alias.asname or alias.name] = module
                elif package == PACKAGE:
                    for name in ("gymapi", "gymtorch", "gymutil", "torch_utils", "terrain_utils"):
                        aliases[f"{alias.asname or PACKAGE}.{name}"] = name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == PACKAGE:
            for alias in node.names:
                aliases[alias.asname or alias.name] = alias.name
    return aliases
