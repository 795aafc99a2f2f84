"""Handles without attributes, and the calls that know them."""

from __future__ import annotations

import ast
import importlib.metadata
from pathlib import Path
from typing import Any

from rofunc_isaac.isaacgym import gymapi as ours
from rofunc_isaac.isaacgym._tensor import GymTensor

CLOSED = (ours.Sim, ours.Env, ours.Asset, GymTensor)
STALE_AFTER = ("set_actor_root_state_tensor_indexed", "set_dof_state_tensor_indexed")
"""What tensors hold after these, until the next frame, is not documented: no refresh is allowed."""


class Handle:
    """Stands for an object of the simulator."""

    __slots__ = ("_inside",)

    def __init__(self, inside: Any) -> None:
        self._inside = inside


def close(value: Any) -> Any:
    return Handle(value) if isinstance(value, CLOSED) else value


def open_(value: Any) -> Any:
    return value._inside if isinstance(value, Handle) else value


def documented_calls() -> set[str]:
    """Of the class Gym in the published type stubs."""
    for file in importlib.metadata.files("isaacgym-stubs") or []:
        if file.name == "gymapi.pyi":
            text = Path(str(file.locate())).read_text(encoding="utf-8")
    tree = ast.parse(text.replace("def lambda(", "def lambda_("))
    (gym,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Gym")
    return {node.name for node in gym.body if isinstance(node, ast.FunctionDef)}


class Gym:
    """The documented calls alone."""

    def __init__(self) -> None:
        self._gym, self._calls, self._stale = ours.acquire_gym(), documented_calls(), False

    def __getattr__(self, name: str) -> Any:
        if name not in self._calls:
            raise AttributeError(f"'gymapi.Gym' object has no attribute '{name}'")
        call = getattr(self._gym, name)

        def closed(*arguments: Any, **named: Any) -> Any:
            if self._stale and name.startswith("refresh_"):
                raise RuntimeError(f"{name} between setting a state and the next frame")
            self._stale = name in STALE_AFTER or (self._stale and name != "simulate")
            given = {key: open_(value) for key, value in named.items()}
            return close(call(*map(open_, arguments), **given))

        return closed
