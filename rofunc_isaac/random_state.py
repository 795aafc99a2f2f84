"""The state of random generators as plain data, which `torch.load(weights_only=True)` accepts."""

from __future__ import annotations

import random
from typing import Any, Dict

import numpy as np
import torch

State = Dict[str, Any]


def seed_everything(seed: int) -> None:
    """Seed the process's own generators: Python's, NumPy's, and torch's on every device.

    Args:
        seed: from 0 to 2^32 - 1, NumPy's limit.
    """
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  it is the global one that other people's code uses
    torch.manual_seed(seed)


def process_state() -> State:
    """The state of the generators that `seed_everything` seeds."""
    version, words, gauss = random.getstate()
    return {
        "python": [version, list(words), gauss],
        "numpy": numpy_state(np.random.mtrand._rand),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
    }


def restore_process(state: State) -> None:
    """Go on from what `process_state` gave; GPUs that are not here any more are left out."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    restore_numpy(np.random.mtrand._rand, state["numpy"])
    torch.set_rng_state(state["torch"].cpu())
    for device, words in enumerate(state["cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(words.cpu(), device)


def numpy_state(generator: Any) -> State:
    """The state of a `numpy.random.Generator` or `RandomState`."""
    if isinstance(generator, np.random.RandomState):
        return _plain(generator.get_state(legacy=False))
    return _plain(generator.bit_generator.state)


def restore_numpy(generator: Any, state: State) -> None:
    """Let `generator`, of the same kind, go on from what `numpy_state` gave."""
    if isinstance(generator, np.random.RandomState):
        generator.set_state(_arrays(state))
    else:
        generator.bit_generator.state = _arrays(state)


def _plain(value: Any) -> Any:
    """`value` with its arrays as lists."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _arrays(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _arrays(part) for name, part in value.items()}
    return np.array(value, dtype=np.uint64) if isinstance(value, list) else value
