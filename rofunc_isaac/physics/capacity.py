"""How many contacts and constraints a world may have, where room for them is fixed beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

PROBES = 8
PROBE_STEPS = 250
MARGIN = 2.0
"""Room in units of the most that the probe met."""


@dataclass
class Capacity:
    """Room for contacts and constraints, a world.

    Contacts share one pool of all worlds, so a few may have more; constraints (an axis of a
    contact, a joint at its limit, a friction loss, ...) do not.
    """

    contacts: int
    constraints: int

    def grown(self, contacts: bool, constraints: bool) -> Capacity:
        """Twice the room for what had too little."""
        return Capacity(
            self.contacts * (2 if contacts else 1), self.constraints * (2 if constraints else 1)
        )


def probe(model: mujoco.MjModel, seed: int = 0) -> Capacity:
    """What `model` needs, from short runs with random controls that begin at its start.

    It is an estimate: what happens later in an episode may need more.
    """
    generator = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    contacts = constraints = 0
    for _ in range(PROBES):
        mujoco.mj_resetData(model, data)
        # Rotations, too, are off the unit sphere by this; MuJoCo normalises them.
        data.qpos[:] += generator.uniform(-0.1, 0.1, model.nq)
        data.qvel[:] = generator.uniform(-1.0, 1.0, model.nv)
        for _ in range(PROBE_STEPS):
            data.ctrl[:] = generator.uniform(-1.0, 1.0, model.nu)
            mujoco.mj_step(model, data)
            contacts, constraints = max(contacts, data.ncon), max(constraints, data.nefc)
    return Capacity(_with_margin(contacts), _with_margin(constraints))


def _with_margin(needed: int) -> int:
    """A multiple of 8 above `MARGIN` times what is needed."""
    return 8 * (int(needed * MARGIN) // 8 + 1)
