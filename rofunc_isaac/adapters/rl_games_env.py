"""Our environments for rl_games."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import torch
from rl_games.common import env_configurations, vecenv
from rl_games.common.ivecenv import IVecEnv

from rofunc_isaac.adapters.spaces import action_space, observation_space
from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import VecEnv


class RlGamesEnv(IVecEnv):
    """A `VecEnv` as rl_games wants it: tensors in, tensors out, on the device of the `VecEnv`.

    `dones` are terminations and truncations alike, and the truncations stand in
    `infos["time_outs"]`. rl_games has no place for the final observation: it bootstraps a
    truncated episode with the value of the observation before the last step.
    """

    def __init__(self, env: VecEnv) -> None:
        self.env = env

    def reset(self) -> torch.Tensor:
        return self.env.reset().clone()

    def step(
        self, actions: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, Dict[str, torch.Tensor]]:
        result = self.env.step(actions)
        dones = result.terminated | result.truncated
        # Copies: rl_games' SAC stores an observation after the step that follows it.
        infos = {"time_outs": result.truncated.clone()}
        return result.obs.clone(), result.reward.clone(), dones, infos

    def get_env_info(self) -> Dict[str, Any]:
        return {
            "observation_space": observation_space(self.env),
            "action_space": action_space(self.env),
            "agents": 1,
            "value_size": 1,
        }


def register(env: VecEnv, name: str = "rofunc_isaac") -> None:
    """Make `env` the environments that rl_games' settings call `env_name: NAME`.

    Their `num_actors` must be `env.num_envs`, or the runner ends with a `UserError`.
    """

    def create(config_name: str, num_actors: int, **settings: Any) -> RlGamesEnv:
        if num_actors != env.num_envs:
            raise UserError(
                f"rl_games' setting num_actors={num_actors} differs from the {env.num_envs} "
                f"environments that were made; set num_actors={env.num_envs}"
            )
        return RlGamesEnv(env)

    vecenv.register(name, create)
    env_configurations.register(name, {"vecenv_type": name})
