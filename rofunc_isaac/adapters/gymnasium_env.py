"""Our environments as a Gymnasium `VectorEnv`."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from rofunc_isaac.adapters.arrays import to_actions, to_numpy
from rofunc_isaac.adapters.seeding import reseed
from rofunc_isaac.adapters.spaces import action_space, observation_space
from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import StepResult, VecEnv

Step = Tuple[Any, Any, Any, Any, Dict[str, Any]]


class GymnasiumEnv(gymnasium.vector.VectorEnv):
    """A `VecEnv` as Gymnasium's `VectorEnv`, in its autoreset mode SAME_STEP.

    Where an episode ended, `infos["final_obs"]` has its last observation, the others None, and
    `infos["_final_obs"]` is true; both are missing while no episode ends, and all is as
    Gymnasium's `SyncVectorEnv` gives it. (Its wrappers that are made for NEXT_STEP alone, such as
    `NormalizeObservation`, refuse the environments.)

    Args:
        env: what `rofunc_isaac.make` gives, or any other `VecEnv`.
        tensors: False gives NumPy arrays, rewards in float64. True gives float32 tensors on
            `env.device`, and then `infos["final_obs"]` is always there, of shape (num_envs,
            num_obs); rows count where `infos["_final_obs"]`, bool (num_envs,), is true.
    """

    def __init__(self, env: VecEnv, tensors: bool = False) -> None:
        self.env, self.tensors = env, tensors
        self.num_envs = env.num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space = observation_space(env)
        self.single_action_space = action_space(env)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.action_space = batch_space(self.single_action_space, env.num_envs)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        """Start a new episode everywhere; observations (num_envs, num_obs), and no infos.

        Args:
            seed: of everything random from here on, in all environments together.

        Raises:
            UserError: options, of which there are none, or a seed for a `VecEnv` that has no
                `generator`.
        """
        if options:
            raise UserError(
                f"reset(options={options!r}): the environments take no options; those that finish "
                "are reset within the step, and a reset is of all of them"
            )
        super().reset(seed=seed)
        if seed is not None:
            reseed(self.env, seed)
        obs = self.env.reset()
        return (obs.clone() if self.tensors else to_numpy(obs)), {}

    def step(self, actions: Any) -> Step:
        """Observations, rewards, terminations, truncations and infos of one step, all copies.

        Args:
            actions: array or tensor (num_envs, num_actions), in [-1, 1].
        """
        result = self.env.step(to_actions(self.env, actions))
        return _as_tensors(result) if self.tensors else self._as_arrays(result)

    def _as_arrays(self, result: StepResult) -> Step:
        obs, reward, terminated, truncated, final_obs = (to_numpy(part) for part in result)
        infos: Dict[str, Any] = {}
        for index in np.flatnonzero(terminated | truncated):
            ended = {"final_obs": final_obs[index], "final_info": {}}
            infos = self._add_info(infos, ended, index)
        return obs, reward.astype(np.float64), terminated, truncated, infos


def _as_tensors(result: StepResult) -> Step:
    obs, reward, terminated, truncated, final_obs = (part.clone() for part in result)
    infos = {"final_obs": final_obs, "_final_obs": terminated | truncated}
    return obs, reward, terminated, truncated, infos
