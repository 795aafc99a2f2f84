"""Needs skrl, which is in the extra `adapters`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("skrl", reason="skrl is in the extra `adapters`, which is not installed")

from skrl.agents.torch.ppo import PPO
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

from rofunc_isaac.adapters.skrl_env import FinalObsAgent, SkrlEnv
from tests.adapters.cartpole import cartpole
from tests.adapters.toy_env import NUM_ENVS, TellingEnv


class KeptPPO(PPO):
    """Keeps copies of what its rollouts stored, and two values, before the first update."""

    def init(self, **options: Any) -> None:
        super().init(**options)
        self.rollouts: list[dict[str, torch.Tensor]] = []
        self.value: Any

    def update(self, **options: Any) -> None:
        names = ("observations", "rewards", "terminated", "truncated")
        stored = {name: self.memory.get_tensor_by_name(name).clone() for name in names}
        for name, seen in (("value_of_final", -3.0), ("value_of_next", 3.0)):
            inputs = {"observations": torch.full((1, 3), seen), "states": None}
            stored[name] = self.value.act(inputs, role="value")[0].detach().squeeze()
        self.rollouts.append(stored)
        super().update(**options)


class KeptFinalObsPPO(FinalObsAgent, KeptPPO):
    pass


class FinalObsPPO(FinalObsAgent, PPO):
    pass


def _agent(kind: Any, env: SkrlEnv, folder: Path, rollouts: int, **settings: Any) -> Any:
    network = [{"name": "net", "input": "OBSERVATIONS", "layers": [32, 32], "activations": "elu"}]
    spaces: dict[str, Any] = {
        "observation_space": env.observation_space,
        "action_space": env.action_space,
        "device": env.device,
    }
    models = {
        "policy": gaussian_model(**spaces, network=network, output="ACTIONS"),
        "value": deterministic_model(**spaces, network=network, output="ONE"),
    }
    memory = RandomMemory(memory_size=rollouts, num_envs=env.num_envs, device=env.device)
    off = {"directory": str(folder), "write_interval": 0, "checkpoint_interval": 0}
    fixed = {"rollouts": rollouts, "mini_batches": 1, "learning_epochs": 8, "experiment": off}
    return kind(models=models, memory=memory, cfg={**fixed, **settings}, **spaces)


def _train(env: SkrlEnv, agent: Any, steps: int) -> None:
    settings = {"timesteps": steps, "disable_progressbar": True, "close_environment_at_exit": False}
    SequentialTrainer(env=env, agents=agent, cfg=settings).train()


def test_a_step_gives_copies_of_what_the_env_gave() -> None:
    env = TellingEnv()
    adapter = SkrlEnv(env)
    start, _ = adapter.reset()
    for _ in range(2):
        _, _, terminated, truncated, _ = adapter.step(torch.zeros(NUM_ENVS, 2))
        assert not terminated.any()
        assert not truncated.any()
    third = adapter.step(torch.ones(NUM_ENVS, 2))
    adapter.step(torch.zeros(NUM_ENVS, 2))  # writes the buffers again
    obs, reward, terminated, truncated, infos = third
    assert torch.equal(start, torch.zeros(NUM_ENVS, 3))
    assert torch.equal(env.actions[2], torch.ones(NUM_ENVS, 2))
    assert torch.equal(obs, torch.full((NUM_ENVS, 3), 3.0))
    assert torch.allclose(reward, torch.tensor([[3.0], [3.1], [3.2], [3.3]]))
    assert terminated.tolist() == [[True], [False], [False], [False]]
    assert truncated.tolist() == [[False], [True], [False], [False]]
    assert infos["final_obs"][:, 0].tolist() == [-3.0, -3.0, 3.0, 3.0]
    assert (adapter.num_envs, adapter.num_agents, adapter.device) == (4, 1, env.device)
    assert (adapter.state_space, adapter.state()) == (None, None)


@pytest.mark.parametrize("kind", [KeptPPO, KeptFinalObsPPO])
def test_its_ppo_stores_what_the_env_gave(kind: Any, tmp_path: Path) -> None:
    env = SkrlEnv(TellingEnv())
    settings = {"time_limit_bootstrap": True, "discount_factor": 0.9}
    agent = _agent(kind, env, tmp_path, 5, **settings)
    _train(env, agent, 10)
    first, second = agent.rollouts
    assert first["observations"][:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    assert second["observations"][:, 0, 0].tolist() == [5, 6, 7, 8, 9]
    assert first["terminated"][:, 0, 0].tolist() == [False, False, True, False, False]
    assert first["truncated"][:, 1, 0].tolist() == [False, False, True, False, False]
    assert first["terminated"].sum() == first["truncated"].sum() == 1
    # Where truncated, gamma * V is added: of the final observation, if the agent takes it.
    name = "value_of_final" if kind is KeptFinalObsPPO else "value_of_next"
    expected = torch.arange(1, 6)[:, None] + 0.1 * torch.arange(NUM_ENVS)
    expected[2, 1] += 0.9 * first[name]
    assert torch.allclose(first["rewards"][..., 0], expected)
    assert not torch.allclose(first["value_of_final"], first["value_of_next"], atol=1e-3)


def test_its_ppo_learns_cartpole(tmp_path: Path) -> None:
    torch.manual_seed(0)
    env = cartpole()
    adapter = SkrlEnv(env)
    agent = _agent(FinalObsPPO, adapter, tmp_path, 16, time_limit_bootstrap=True)
    _train(adapter, agent, 16 * 40)
    assert env.falls_are_rarer()
