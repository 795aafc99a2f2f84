"""NumPy's old names, in this process, taken away again."""

# ruff: noqa: NPY001, NPY003, NPY201 - the old names are what is tested

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from rofunc_isaac.compat import numpy_names


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = dict(vars(np))
    numpy_names.restore()
    yield
    for name in set(vars(np)) - set(before):
        delattr(np, name)


def test_numbers_and_types() -> None:
    assert np.Inf == np.Infinity == np.infty == np.PINF == math.inf
    assert np.isneginf(np.NINF)
    assert math.isnan(np.NaN)
    assert (np.float, np.int, np.object, np.str, np.complex) == (float, int, object, str, complex)
    assert (np.float_, np.complex_) == (np.float64, np.complex128)
    assert (np.bool8, np.string_, np.unicode_) == (np.bool_, np.bytes_, np.str_)
    assert math.copysign(1.0, np.NZERO) == -1.0


def test_functions() -> None:
    values = np.array([[1, 2], [3, 4]])
    assert np.product(values) == 24
    assert np.cumproduct([1, 2, 3]).tolist() == [1, 2, 6]
    assert np.sometrue([False, True])
    assert not np.alltrue([False, True])
    assert np.in1d([[1], [5]], values).tolist() == [True, False]
    assert np.trapz([0.0, 1.0, 1.0]) == 1.5


def test_names_that_numpy_still_has_stay_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.bool is np.bool_  # what NumPy 2 calls so, not Python's
    monkeypatch.setattr(np, "Inf", "its own", raising=False)
    numpy_names.restore()
    assert np.Inf == "its own"
