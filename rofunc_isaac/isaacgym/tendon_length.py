"""What the length of a tendon is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence, Tuple

import mujoco
import numpy as np


@dataclass(frozen=True)
class TendonLength:
    """Of a fixed tendon: `offset` and the positions of its joints times `coefficients`.

    A spatial tendon has no joints of its own: it gets longer by `offset`.
    """

    coefficients: Tuple[float, ...]
    offset: float = 0.0


def write_coefficients(
    model: mujoco.MjModel, tendons: np.ndarray, lengths: Sequence[TendonLength]
) -> None:
    """Write the coefficients of fixed tendons, MuJoCo's numbers `tendons`, into the model."""
    for tendon, length in zip(tendons.tolist(), lengths):
        first, count = int(model.tendon_adr[tendon]), len(length.coefficients)
        model.wrap_prm[first : first + count] = length.coefficients
