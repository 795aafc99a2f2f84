"""Loading robots that the tests write as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import Asset
from rofunc_isaac.isaacgym.assets.load import load_asset

Load = Callable[..., Asset]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """load(text, sibling_order=..., folder=..., **asset_options) of an MJCF or URDF text."""

    def load_text(
        text: str, sibling_order: str = "joint_name", folder: str = "", **options: Any
    ) -> Asset:
        file = "robot.urdf" if "<robot" in text else "robot.xml"
        (tmp_path / folder / file).write_text(text)
        asset_options = AssetOptions()
        for name, value in options.items():
            setattr(asset_options, name, value)
        return load_asset(str(tmp_path / folder), file, asset_options, sibling_order)

    return load_text
