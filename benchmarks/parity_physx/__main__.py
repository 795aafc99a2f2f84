"""`python -m benchmarks.parity_physx` prints the tables of docs/isaacgym.md."""

from __future__ import annotations

import warnings

from benchmarks.parity_physx.on_mujoco import MujocoWorld
from benchmarks.parity_physx.on_physx import PhysxWorld
from benchmarks.parity_physx.scenes import SCENES
from benchmarks.parity_physx.table import table
from rofunc_isaac.isaacgym.errors import GymWarning

warnings.simplefilter("ignore", GymWarning)
for title, scenes in SCENES.items():
    print(table(title, scenes, PhysxWorld, MujocoWorld))
