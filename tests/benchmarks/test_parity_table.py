"""The table that `benchmarks.parity_physx` prints; needs no PhysX."""

from __future__ import annotations

from benchmarks.parity_physx.table import number, table
from benchmarks.parity_physx.world import Measured


def test_a_row_holds_both_engines_and_the_closed_form():
    def falling(make_world):
        """A box falls.

        For a while.
        """
        value = make_world(None)
        return [Measured("height", "m", value, exact=-1.25), Measured("speed", "m/s", 2 * value)]

    printed = table("Bodies", [falling], lambda setup: -1.24, lambda setup: -1.26)
    assert printed.splitlines() == [
        "### Bodies",
        "",
        "| Scene | unit | PhysX | MuJoCo | closed form |",
        "|---|---|---|---|---|",
        "| *A box falls.* | | | | |",
        "| height | m | -1.24 | -1.26 | -1.25 |",
        "| speed | m/s | -2.48 | -2.52 |  |",
    ]


def test_numbers_have_four_digits_and_noise_is_nothing():
    assert [number(x) for x in (1.23456, -0.00123456, 4e-6, 0.0)] == [
        "1.235",
        "-0.001235",
        "0",
        "0",
    ]
