"""Which device a run takes where none is given, found out without importing torch."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from pathlib import Path
from typing import Optional, Tuple

OLDEST_FOR_CUDA_13 = (7, 5)
"""Compute capability; CUDA 13 dropped Volta and what came before."""


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
    built_with, driver = torch_cuda(), driver_cuda()
    if built_with is None:
        return "this torch was built without CUDA"
    # Drivers serve every CUDA of their own major version and older ones.
    if driver[0] < built_with[0]:
        return (
            f"its driver is for CUDA {driver[0]}.{driver[1]} and this torch for "
            f"{built_with[0]}.{built_with[1]}: install a newer driver"
        )
    if built_with[0] >= 13 and gpu_generation() < OLDEST_FOR_CUDA_13:
        return "it is older than Turing (compute capability 7.5), where CUDA 13 begins"
    needs_warp = simulator in ("auto", "mujoco_warp")
    if needs_warp and importlib.util.find_spec("mujoco_warp") is None:
        return "mujoco-warp is not installed (pip install 'rofunc-isaac[warp]')"
    return ""


def count_gpus() -> int:
    """How many GPUs the NVIDIA driver shows to this process; 0 without a driver."""
    driver, count = _driver(), ctypes.c_int(0)
    if driver is None or driver.cuInit(0) != 0:
        return 0
    return count.value if driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def gpu_generation() -> Tuple[int, int]:
    """The compute capability of the first GPU, as (7, 5) for Turing; (0, 0) without one."""
    driver = _driver()
    if driver is None or driver.cuInit(0) != 0:
        return 0, 0
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR, of device 0.
    numbers = []
    for attribute in (75, 76):
        value = ctypes.c_int(0)
        if driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) != 0:
            return 0, 0
        numbers.append(value.value)
    return numbers[0], numbers[1]


def driver_cuda() -> Tuple[int, int]:
    """The newest CUDA that the NVIDIA driver serves, as (13, 0); (0, 0) without a driver."""
    driver, version = _driver(), ctypes.c_int(0)
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return 0, 0
    # 13000 for 13.0, 12040 for 12.4.
    return version.value // 1000, version.value % 1000 // 10


def _driver() -> Optional[ctypes.CDLL]:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def torch_cuda() -> Optional[Tuple[int, int]]:
    """The CUDA that the installed torch was built with, as its version.py says."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    version = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    found = re.search(r"^cuda\b.*= *['\"](\d+)\.(\d+)", version, re.M)
    return None if found is None else (int(found[1]), int(found[2]))
