"""A stand-in for NVIDIA's `isaacgym` that offers what its documentation does, and nothing else.

Behind it this project's own interface computes, but its handles are closed: no attribute of them,
and no call beyond the published ones, can be used. As NVIDIA's, it refuses to load after torch.
"""

import sys

if "torch" in sys.modules:
    raise ImportError(
        "PyTorch was imported before isaacgym modules. Please import torch after isaacgym modules."
    )
