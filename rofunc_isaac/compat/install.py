"""One call that makes this process one in which programs for Isaac Gym can run."""

from __future__ import annotations

from rofunc_isaac import idle_threads, simulator
from rofunc_isaac.compat import children, numpy_names, stand_ins


def install() -> None:
    """Answer `import isaacgym` with ours, and bring back the names that programs of its time use.

    A choice of engine that was made before by `simulator.select` stays.

    Raises:
        UserError: NVIDIA's isaacgym was imported before.
    """
    idle_threads.let_sleep()
    if not simulator.is_ours():
        simulator.select("auto")
    numpy_names.restore()
    # It brings torch, and NVIDIA's isaacgym would refuse to load after it.
    from rofunc_isaac.compat import torch_script

    torch_script.restore()
    stand_ins.offer()
    children.let_import_isaacgym()
