"""An object's tensors, numbers and generators as plain data for a checkpoint, and back."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, Optional, Tuple

import numpy as np
import torch

from rofunc_isaac import random_state

Entry = Tuple[str, Any]
"""What kind of value it is, and the value as plain data."""


def collect(owner: object) -> Dict[str, Entry]:
    """Copies of what `owner` keeps, by the attribute's name.

    Tensors, NumPy arrays of numbers, numbers, text and members of enums, random generators of
    torch and NumPy, and lists, tuples and dicts of these. Attributes of other kinds are left out.
    """
    entries = {name: read(value) for name, value in vars(owner).items()}
    return {name: entry for name, entry in entries.items() if entry is not None}


def put_back(owner: object, entries: Dict[str, Entry]) -> None:
    """Give `owner` what `collect` found.

    Tensors, arrays and generators are written in place, so that their views and other holders
    follow; attributes that are not there yet are made.

    Raises:
        ValueError: a tensor or array has another shape here; the message names the attribute.
    """
    for name, entry in entries.items():
        try:
            vars(owner)[name] = written(vars(owner).get(name), entry)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error


def read(value: Any) -> Optional[Entry]:
    """`value` as an entry; None for a kind that has none."""
    if isinstance(value, torch.Tensor):
        return "tensor", value.detach().clone()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return "array", torch.from_numpy(value.copy())
    if value is None or type(value) in (bool, int, float, str):
        return "plain", value
    # Subclasses of numbers are no plain data: a checkpoint with one could not be read back.
    if isinstance(value, Enum):
        return "enum", value.value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return "plain", value.item()
    if isinstance(value, torch.Generator):
        return "torch_generator", value.get_state()
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return "numpy_generator", random_state.numpy_state(value)
    if type(value) in (list, tuple):
        return type(value).__name__, [read(part) for part in value]
    if type(value) is dict and all(isinstance(key, (str, int)) for key in value):
        return "dict", {key: read(part) for key, part in value.items()}
    return None


def written(here: Any, entry: Optional[Entry]) -> Any:
    """The value of `entry`, in the place of `here`, which a value without entry leaves as it is."""
    if entry is None:
        return here
    kind, saved = entry
    if kind == "tensor":
        return _tensor(here, saved)
    if kind == "array":
        return _array(here, saved.numpy())
    if kind == "enum":
        return type(here)(saved) if isinstance(here, Enum) else saved
    if kind == "torch_generator":
        return (torch.Generator() if here is None else here).set_state(saved.cpu())
    if kind == "numpy_generator":
        if here is not None:
            random_state.restore_numpy(here, saved)
        return here
    if kind in ("list", "tuple"):
        old = list(here) if isinstance(here, (list, tuple)) else []
        old += [None] * (len(saved) - len(old))
        parts = [written(before, part) for before, part in zip(old, saved)]
        return parts if kind == "list" else tuple(parts)
    if kind == "dict":
        named = here if isinstance(here, dict) else {}
        return {key: written(named.get(key), part) for key, part in saved.items()}
    return saved


def _tensor(here: Any, saved: torch.Tensor) -> torch.Tensor:
    if not isinstance(here, torch.Tensor):
        return saved.clone()
    _check_shape(tuple(saved.shape), tuple(here.shape))
    if any(step == 0 and size > 1 for step, size in zip(here.stride(), here.shape)):
        return saved.to(here.device)  # expanded: several elements share one place in memory
    with torch.no_grad():
        return here.copy_(saved)


def _array(here: Any, saved: np.ndarray) -> np.ndarray:
    if not isinstance(here, np.ndarray):
        return saved.copy()
    _check_shape(saved.shape, here.shape)
    np.copyto(here, saved)
    return here


def _check_shape(saved: Tuple[int, ...], here: Tuple[int, ...]) -> None:
    if saved != here:
        raise ValueError(f"shape {saved} in the checkpoint, {here} here")
