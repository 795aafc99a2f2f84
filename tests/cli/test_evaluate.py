from __future__ import annotations

import json

from rofunc_isaac.cli.evaluate import strict_json


def test_a_return_that_is_not_finite_is_null() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    line = strict_json({"task": "Ant", "mean": float("nan"), "std": float("inf"), "count": 4})
    read = json.loads(line, parse_constant=refuse)
    assert read == {"task": "Ant", "mean": None, "std": None, "count": 4}
