"""Which device a run takes where none is given, found out without importing torch."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from pathlib import Path
from typing import Tuple


def choose_device(simulator: str) -> Tuple[str, str]:
    """The device for `sim_device=auto`, and words on why, empty where there is nothing to say.

    Args:
        simulator: name of the simulator: "auto", "mujoco", "mujoco_warp" or "isaacgym".
    """
    if simulator == "mujoco":
        return "cpu", ""
    if count_gpus() == 0:
        slow = "MuJoCo Warp on the CPU is right but slow" if simulator == "mujoco_warp" else ""
        return "cpu", slow
    missing = missing_for_cuda(simulator)
    if missing:
        return "cpu", f"there is an NVIDIA GPU here, but {missing}: training on the CPU"
    return "cuda:0", "an NVIDIA GPU was found: training on cuda:0 (sim_device=cpu for the CPU)"


def missing_for_cuda(simulator: str) -> str:
    """What keeps this installation from using a GPU, in words; empty if nothing does."""
    if not torch_has_cuda():
        return "this torch was built without CUDA"
    needs_warp = simulator in ("auto", "mujoco_warp")
    if needs_warp and importlib.util.find_spec("mujoco_warp") is None:
        return "mujoco-warp is not installed (pip install 'rofunc-isaac[warp]')"
    return ""


def count_gpus() -> int:
    """How many GPUs the NVIDIA driver shows to this process; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def torch_has_cuda() -> bool:
    """Whether the installed torch was built with CUDA, as its version.py says."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return False
    version = Path(spec.origin).with_name("version.py")
    return re.search(r"^cuda\b.*= *['\"]", version.read_text(encoding="utf-8"), re.M) is not None
