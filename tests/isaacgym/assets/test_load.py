"""Choosing the importer, and files that are not there."""

from __future__ import annotations

import pytest

from rofunc_isaac.errors import UserError
from rofunc_isaac.isaacgym._params import AssetOptions
from rofunc_isaac.isaacgym.assets.asset import AssetError
from rofunc_isaac.isaacgym.assets.load import load_asset

BALL = '<mujoco><worldbody><body name="ball"><geom size="0.1"/></body></worldbody></mujoco>'


def test_missing_file(tmp_path):
    with pytest.raises(AssetError, match=r"no robot file at .*gone\.xml.*asset root"):
        load_asset(str(tmp_path), "gone.xml", AssetOptions())


def test_unknown_suffix(tmp_path):
    (tmp_path / "a.sdf").write_text(BALL)
    with pytest.raises(AssetError, match=r"unknown kind of robot file '\.sdf'"):
        load_asset(str(tmp_path), "a.sdf", AssetOptions())


@pytest.mark.parametrize("file", ["ball.xml", "ball.mjcf", "sub/ball.XML"])
def test_name_is_the_stem_when_the_file_gives_none(tmp_path, file):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(BALL)
    assert load_asset(str(tmp_path), file, AssetOptions()).name == "ball"


def test_asset_errors_are_user_errors():
    assert issubclass(AssetError, UserError)
