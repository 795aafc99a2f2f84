"""The structured NumPy arrays in which states are exchanged, from and to plain numbers."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

from rofunc_isaac.isaacgym.errors import GymError


def structured(numbers: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """(..., n) numbers as an array (...) of `dtype`, whose n fields are float32; a copy."""
    return np.array(numbers, dtype="<f4", order="C").view(dtype)[..., 0]


def numbers_of(call: str, given: Any, shape: Sequence[int]) -> np.ndarray:
    """The float32 numbers of an array of records, or of plain numbers, in the given shape.

    Raises:
        GymError: there are more or fewer of them.
    """
    array = np.asarray(given)
    if array.dtype.names:
        array = structured_to_unstructured(array)
    wanted = int(np.prod(shape))
    if array.size != wanted:
        raise GymError(
            f"{call} was given an array of shape {np.shape(given)} with {array.size} numbers; it "
            f"takes {tuple(shape)}"
        )
    return array.astype(np.float32).reshape(tuple(shape))
