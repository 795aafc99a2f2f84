"""One call that makes this process one in which programs for Isaac Gym can run."""

from __future__ import annotations

from rofunc_isaac import simulator
from rofunc_isaac.compat import numpy_names, stand_ins


def install() -> None:
    """Answer `import isaacgym` with ours, and bring back the names that programs of its time use.

    A choice of engine that was made before by `simulator.select` stays.

    Raises:
        UserError: NVIDIA's isaacgym was imported before.
    """
    if not simulator.is_ours():
        simulator.select("auto")
    numpy_names.restore()
    stand_ins.offer()
