"""Our environments for Stable-Baselines3."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from stable_baselines3.common.vec_env import VecEnv as Sb3VecEnv

from rofunc_isaac.adapters.arrays import to_actions, to_numpy
from rofunc_isaac.adapters.seeding import reseed
from rofunc_isaac.adapters.spaces import action_space, observation_space
from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import VecEnv


class Sb3Env(Sb3VecEnv):
    """A `VecEnv` as Stable-Baselines3's `VecEnv`: NumPy arrays in, copies out.

    Where an episode ended, `infos[i]["terminal_observation"]` is its last observation, and
    `infos[i]["TimeLimit.truncated"]` tells whether a time limit cut it: with both, its PPO
    bootstraps.

    `get_attr` reads the attributes of the whole `VecEnv`; there is no environment by itself whose
    attributes could be set or methods called.
    """

    def __init__(self, env: VecEnv) -> None:
        self.env = env
        self.render_mode: Optional[str] = None
        super().__init__(env.num_envs, observation_space(env), action_space(env))

    def reset(self) -> np.ndarray:
        """Start a new episode everywhere; float32 (num_envs, num_obs).

        Raises:
            UserError: after `set_options`, or after `seed` where the `VecEnv` has no `generator`.
        """
        if any(self._options):
            raise UserError(f"set_options({self._options[0]!r}): the environments take no options")
        if self._seeds[0] is not None:
            reseed(self.env, self._seeds[0])
        self._reset_seeds()
        return to_numpy(self.env.reset())

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = to_actions(self.env, actions)

    def step_wait(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray, List[Dict[str, Any]]]:
        result = self.env.step(self._actions)
        obs, reward, terminated, truncated, final_obs = (to_numpy(part) for part in result)
        dones = terminated | truncated
        infos: List[Dict[str, Any]] = [{"TimeLimit.truncated": cut} for cut in truncated.tolist()]
        for index in np.flatnonzero(dones):
            infos[index]["terminal_observation"] = final_obs[index]
        return obs, reward, dones, infos

    def close(self) -> None:
        """Nothing is to be closed."""

    def get_attr(self, attr_name: str, indices: Any = None) -> List[Any]:
        if attr_name == "render_mode":
            value = self.render_mode
        else:
            value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise UserError(
            f"set_attr({attr_name!r}): the environments are stepped together, not one by one; "
            "set the attribute of the whole on `.env`"
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> List[Any]:
        raise UserError(
            f"env_method({method_name!r}): the environments are stepped together, not one by one; "
            "call the method of the whole on `.env`"
        )

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> List[bool]:
        return [False for _ in self._get_indices(indices)]
