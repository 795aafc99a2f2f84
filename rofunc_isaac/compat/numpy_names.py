"""Names that NumPy had in the days of Isaac Gym and dropped in 1.24 and 2.0."""

from __future__ import annotations

import builtins
import warnings
from typing import Any, Dict

import numpy as np

_BUILTINS = "bool int float complex object str".split()

_NEW_NAMES = {
    **dict.fromkeys("Inf Infinity PINF infty".split(), "inf"),
    **dict.fromkeys("NaN NAN".split(), "nan"),
    "float_": "float64",
    "complex_": "complex128",
    "cfloat": "complex128",
    "singlecomplex": "complex64",
    "longfloat": "longdouble",
    "longcomplex": "clongdouble",
    "clongfloat": "clongdouble",
    "string_": "bytes_",
    "unicode_": "str_",
    "bool8": "bool_",
    "int0": "intp",
    "uint0": "uintp",
    "object0": "object_",
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "row_stack": "vstack",
    "trapz": "trapezoid",
    "mat": "asmatrix",
}
"""Old name -> the name that takes the same arguments and gives the same result."""


def restore() -> None:
    """Give NumPy the old names that it lacks; those that it still has stay as they are.

    They are seen by the whole process.
    """
    for name, value in _old_values().items():
        if not _has(name):
            setattr(np, name, value)


def _old_values() -> Dict[str, Any]:
    values: Dict[str, Any] = {name: getattr(builtins, name) for name in _BUILTINS}
    values.update(unicode=str, NINF=-np.inf, PZERO=0.0, NZERO=-0.0, in1d=_in1d)
    for old, new in _NEW_NAMES.items():
        if hasattr(np, new):  # `trapezoid` came as late as NumPy 2.0
            values[old] = getattr(np, new)
    return values


def _in1d(ar1: Any, ar2: Any, **options: Any) -> np.ndarray:
    """`isin` keeps the shape of `ar1`; this one always gave one dimension."""
    return np.isin(np.ravel(ar1), ar2, **options)


def _has(name: str) -> bool:
    with warnings.catch_warnings():
        # NumPy warns of names that it is about to drop, or once had.
        warnings.simplefilter("ignore")
        return hasattr(np, name)
