"""Seeding environments after they were made, for libraries that do it at a reset."""

from __future__ import annotations

from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import VecEnv


def reseed(env: VecEnv, seed: int) -> None:
    """Let everything random in `env` start again from `seed`; it takes effect at the next reset.

    Tasks draw all their random numbers from one generator, `env.generator`.

    Raises:
        UserError: `env` has no `generator`.
    """
    generator = getattr(env, "generator", None)
    if generator is None:
        raise UserError(
            f"seed={seed} has no effect on {type(env).__name__}, which has no attribute "
            "`generator` (a torch.Generator): seed it where it is made, and pass no seed here"
        )
    generator.manual_seed(seed)
