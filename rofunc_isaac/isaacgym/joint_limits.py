"""How hard the ends of a joint's range are.

PhysX stops a joint at the end of its range within the step, and it stays there. MuJoCo's constraint
knows of the end only once the joint has passed it, and then asks for the acceleration

    a = -v / h - RETURN r / h^2

of a joint that moves with v and is r beyond, with a step of h: so it stops within a step and comes
back over the next ten, with a tenth of its speed at most. (MuJoCo manual, Computation, Constraint
model; coming back at once would throw it back.)
"""

from __future__ import annotations

from typing import List

RETURN = 0.1
"""Share of what a joint is beyond its range that is made good in a step."""

HOLD = 0.99
"""MuJoCo's d: what a constant force moves the joint beyond the end falls with 1 - d."""


def limit_solref(timestep: float) -> List[float]:
    """`jnt_solref`: MuJoCo multiplies the stiffness by d, and divides it by d^2, the damping by
    d."""
    return [-HOLD * RETURN / timestep**2, -HOLD / timestep]


LIMIT_SOLIMP = [HOLD, HOLD, 0.001, 0.5, 2.0]
"""`jnt_solimp`: the same d however far beyond."""
