"""How the process gives memory back to the system."""

from __future__ import annotations

import ctypes
import platform

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3), as glibc's malloc.h numbers them."""

_LARGEST = 2**31 - 1


def keep_large_blocks() -> bool:
    """Let freed tensors of many megabytes be used again, where the C library can (glibc).

    By default it maps each such block anew and gives it back when it is freed, so that the system
    zeroes every page of it each time: a sixth of an update's time. Results do not depend on it.

    Returns:
        Whether the process's C library was told so.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    c_library = ctypes.CDLL(None)
    thresholds = (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD)
    return all(c_library.mallopt(threshold, _LARGEST) == 1 for threshold in thresholds)
