"""A small package with IsaacGymEnvs' folders and interfaces: `checkout`."""

from __future__ import annotations

from pathlib import Path

import pytest

from rofunc_isaac.isaacgymenvs.checkout import Checkout

FOLDER = Path(__file__).parent / "checkout"


@pytest.fixture
def checkout() -> Checkout:
    return Checkout(str(FOLDER))
