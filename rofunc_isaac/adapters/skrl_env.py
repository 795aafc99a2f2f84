"""Our environments for skrl."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import gymnasium
import torch
from skrl.agents.torch import Agent
from skrl.envs.wrappers.torch import Wrapper

from rofunc_isaac.adapters.spaces import action_space, observation_space
from rofunc_isaac.vec_env import VecEnv


class SkrlEnv(Wrapper):
    """A `VecEnv` as skrl's trainers want it, on the same device. Use it in place of `wrap_env`.

    Rewards, terminations and truncations have shape (num_envs, 1). `infos["final_obs"]` is the
    observation before any reset. skrl's trainers have no place for it: they bootstrap a truncated
    episode with the value of the next one's first observation. An agent with `FinalObsAgent` on
    top takes the right one.
    """

    def __init__(self, env: VecEnv) -> None:
        super().__init__(env)
        self._spaces = observation_space(env), action_space(env)

    @property
    def observation_space(self) -> gymnasium.Space:
        return self._spaces[0]

    @property
    def action_space(self) -> gymnasium.Space:
        return self._spaces[1]

    def reset(self) -> Tuple[torch.Tensor, Dict[str, Any]]:
        return self._env.reset().clone(), {}

    def step(
        self, actions: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Dict[str, Any]]:
        # Copies: skrl stores an observation after the step that follows it, and writes to rewards.
        obs, *flat, final_obs = (part.clone() for part in self._env.step(actions))
        reward, terminated, truncated = (part.unsqueeze(1) for part in flat)
        return obs, reward, terminated, truncated, {"final_obs": final_obs}

    def state(self) -> None:
        """There is no state besides the observations."""

    def render(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is drawn."""

    def close(self) -> None:
        """Nothing is to be closed."""


class FinalObsAgent(Agent):
    """Goes on top of one of skrl's agents: `class FinalObsPPO(FinalObsAgent, PPO): pass`.

    The next observation that such an agent records is the one before any reset. Together with the
    setting `time_limit_bootstrap` its PPO then bootstraps a truncated episode with the value of
    its own last observation. For a `SkrlEnv`, and for one agent that has all of its environments.
    """

    def record_transition(
        self, *, next_observations: torch.Tensor, infos: Any, **transition: Any
    ) -> None:
        super().record_transition(next_observations=infos["final_obs"], infos=infos, **transition)
