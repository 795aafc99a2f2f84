"""An environment of tensors alone whose every number tells which step it belongs to."""

from __future__ import annotations

import torch

from rofunc_isaac.vec_env import StepResult

NUM_ENVS = 4


class TellingEnv:
    """At every third step env 0 terminates and env 1 is truncated; the others go on.

    Step t observes (t, t, t), and (-t, -t, -t) as the final observation where an episode ended. Env
    i earns t + i / 10. Buffers are reused, and `actions` keeps those of every step.
    """

    num_envs, num_obs, num_states, num_actions = NUM_ENVS, 3, 0, 2
    max_episode_length: int | None = None

    def __init__(self, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.steps = 0
        self.obs, self.final_obs = self._zeros(3), self._zeros(3)
        self.reward = self._zeros()
        self.terminated, self.truncated = self._zeros().bool(), self._zeros().bool()
        self.numbers = torch.arange(NUM_ENVS, device=self.device)
        self.actions: list[torch.Tensor] = []

    def _zeros(self, *shape: int) -> torch.Tensor:
        return torch.zeros(NUM_ENVS, *shape, device=self.device)

    def reset(self) -> torch.Tensor:
        self.steps = 0
        return self.obs.fill_(0.0)

    def step(self, actions: torch.Tensor) -> StepResult:
        self.actions.append(actions.clone())
        self.steps += 1
        ends = self.steps % 3 == 0
        self.terminated[0] = self.truncated[1] = ends
        self.obs.fill_(self.steps)
        self.final_obs.fill_(self.steps)
        self.final_obs[:2] = -self.steps if ends else self.steps
        self.reward.copy_(self.steps + 0.1 * self.numbers)
        return StepResult(self.obs, self.reward, self.terminated, self.truncated, self.final_obs)

    def metrics(self) -> dict[str, torch.Tensor]:
        return {"env/steps": torch.tensor([float(self.steps)])}
