"""Our environments for rsl_rl."""

from __future__ import annotations

from typing import Any, Dict, Tuple

import torch
from rsl_rl.env import VecEnv as RslRlVecEnv
from tensordict import TensorDict

from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import VecEnv


class RslRlEnv(RslRlVecEnv):
    """A `VecEnv` as rsl_rl's `VecEnv`, on the same device; a new episode begins everywhere.

    Observations are one group, "policy". `dones` are terminations and truncations alike, and the
    truncations stand in `extras["time_outs"]`. rsl_rl has no place for the final observation: it
    bootstraps a truncated episode with the value of the observation before the last step.
    `extras["log"]` is `env.metrics()`, and `cfg` the configuration of a task.
    """

    def __init__(self, env: VecEnv) -> None:
        self.env = env
        self.num_envs, self.num_actions = env.num_envs, env.num_actions
        self.device: torch.device = env.device
        self.max_episode_length: Any = env.max_episode_length
        self.cfg: Any = getattr(env, "config", {})
        self._lengths = torch.zeros(env.num_envs, dtype=torch.int64, device=env.device)
        self._observations = self._group(env.reset())

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """int64 (num_envs,): steps since the episode began.

        rsl_rl sets it for `learn(init_at_random_ep_len=True)`, so that episodes are cut at
        different times. That works on the tasks, whose `progress_buf` is what counts.

        Raises:
            UserError: set on a `VecEnv` without a `progress_buf`.
        """
        return self._lengths

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:
        progress = getattr(self.env, "progress_buf", None)
        if progress is None:
            raise UserError(
                f"{type(self.env).__name__} has no `progress_buf`, so its episodes can't begin at "
                "random lengths; call learn(..., init_at_random_ep_len=False)"
            )
        progress.copy_(lengths)
        self._lengths.copy_(lengths)

    def get_observations(self) -> TensorDict:
        return self._observations

    def step(
        self, actions: torch.Tensor
    ) -> Tuple[TensorDict, torch.Tensor, torch.Tensor, Dict[str, Any]]:
        result = self.env.step(actions)
        dones = result.terminated | result.truncated
        self._lengths += 1
        self._lengths.masked_fill_(dones, 0)
        self._observations = self._group(result.obs)
        extras = {"time_outs": result.truncated.clone(), "log": dict(self.env.metrics())}
        return self._observations, result.reward.clone(), dones, extras

    def _group(self, obs: torch.Tensor) -> TensorDict:
        # A copy: rsl_rl stores an observation after the step that follows it.
        return TensorDict({"policy": obs.clone()}, batch_size=[self.num_envs], device=self.device)
