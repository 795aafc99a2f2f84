"""What a policy earns without exploration noise."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, Union

import torch

from rofunc_isaac.ppo.normalizer import Normalizer
from rofunc_isaac.vec_env import VecEnv

Policy = Callable[[torch.Tensor], Tuple[torch.Tensor, Any]]
"""From normalised observations to actions, and to what is not needed here: an `ActorCritic`."""

EPISODES_PER_ENV = 2
"""How many are played in each environment unless asked otherwise."""


@torch.no_grad()
def evaluate(
    env: VecEnv,
    policy: Policy,
    obs_normalizer: Normalizer,
    episodes_per_env: int = EPISODES_PER_ENV,
) -> Dict[str, Union[int, float]]:
    """Run the mean action until every env has finished its first `episodes_per_env` episodes.

    Counting the same number of episodes in every env keeps short ones from being counted more
    often than long ones.

    Returns:
        `return_mean`, `return_std` (of the population), `episode_length_mean` and `episodes`.
    """
    obs = env.reset()
    finished = torch.zeros(env.num_envs, dtype=torch.int64, device=env.device)
    running = torch.zeros(env.num_envs, 2, device=env.device)
    results = torch.zeros(env.num_envs, episodes_per_env, 2, device=env.device)
    rows = torch.arange(env.num_envs, device=env.device)
    one = torch.ones(env.num_envs, device=env.device)
    while bool((finished < episodes_per_env).any()):
        mean, _ = policy(obs_normalizer.normalize(obs))
        result = env.step(mean)
        running += torch.stack([result.reward, one], dim=1)
        done = result.terminated | result.truncated
        counts = done & (finished < episodes_per_env)
        results[rows[counts], finished[counts]] = running[counts]
        finished += done
        running[done] = 0.0
        obs = result.obs
    returns, lengths = results.flatten(0, 1).unbind(1)
    return {
        "return_mean": float(returns.mean()),
        "return_std": float(returns.std(correction=0)),
        "episode_length_mean": float(lengths.mean()),
        "episodes": len(returns),
    }
