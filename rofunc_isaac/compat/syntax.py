"""Small questions to the syntax tree of somebody's program."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Optional, Set


def parse(path: Path) -> ast.Module:
    """The file's syntax tree. Raises SyntaxError or ValueError for what Python would not run."""
    return ast.parse(path.read_bytes(), str(path))


def dotted(node: Optional[ast.AST]) -> str:
    """`a.b.c` for the expression that reads so, "" for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def text(node: Optional[ast.AST]) -> Optional[str]:
    """The string that stands there literally, else None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def imported_packages(tree: ast.AST) -> Set[str]:
    """First names of all modules that are imported anywhere in the file."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names
