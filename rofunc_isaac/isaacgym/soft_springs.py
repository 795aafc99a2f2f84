"""Springs that hold however stiff they are, as MuJoCo's constraints.

MuJoCo's constraint force f follows from

    (A + R) f = a_ref - a_0,    R = A' (1 - d) / d,    a_ref = -b v - k r,

with the offset r and its velocity v, the acceleration a_0 without the constraint, its inverse
inertia A, MuJoCo's estimate A' of that, and the parameters b, k and d. The spring of stiffness K
and damping D, a step of h later, is

    f = -K (r + h v_new) - D v_new,    v_new = v + h (a_0 + A f),

which is the same for d = s / (1 + s), b = A' (D + h K) / s, k = A' K / s with s = A' h (D + h K):
A' cancels out. (MuJoCo manual, Computation, Constraint model.)
"""

from __future__ import annotations

from typing import Tuple

import numpy as np

SOFTEST, HARDEST = 1e-4, 0.9999
"""Bounds that MuJoCo sets to d: a spring beyond holds as if it were at the bound."""


def constraint_parameters(
    stiffness: np.ndarray, damping: np.ndarray, inverse_inertia: np.ndarray, timestep: float
) -> Tuple[np.ndarray, np.ndarray]:
    """`solref` (..., 2) and `solimp` (..., 5) of springs with the given K, D and A', (...)."""
    pull = np.maximum(damping + timestep * stiffness, 1e-9)
    strength = inverse_inertia * timestep * pull
    hold = np.clip(strength / (1.0 + strength), SOFTEST, HARDEST)
    # b is 1 / h, k is K / (h (D + h K)); MuJoCo divides both by d, and k is multiplied by it
    # before that: mj_makeImpedance of engine_core_constraint.c.
    solref = np.stack([-hold * stiffness / (timestep * pull), -hold / timestep], axis=-1)
    one = np.ones_like(hold)
    return solref, np.stack([hold, hold, one, 0.5 * one, one], axis=-1)
