"""Needs Gymnasium, which is in the extra `adapters`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip(
    "gymnasium", reason="gymnasium is in the extra `adapters`, which is not installed"
)

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import env_checker
from gymnasium.utils.passive_env_checker import env_reset_passive_checker
from gymnasium.utils.performance import benchmark_vector_step
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import ClipReward, DictInfoToList, RecordEpisodeStatistics

from rofunc_isaac.adapters.gymnasium_env import GymnasiumEnv
from rofunc_isaac.errors import UserError
from tests.adapters.cartpole import cartpole
from tests.adapters.one_env import OneEnv
from tests.adapters.toy_env import NUM_ENVS, TellingEnv

ACTIONS = np.zeros((NUM_ENVS, 2), np.float32)


class Told(gymnasium.Env):
    """Environment `number` of a `TellingEnv`, written for Gymnasium."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.steps = 0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.full(3, self.steps, np.float32), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        ends = self.steps % 3 == 0
        terminated, truncated = ends and self.number == 0, ends and self.number == 1
        seen = -self.steps if terminated or truncated else self.steps
        reward = float(np.float32(self.steps) + np.float32(0.1) * np.float32(self.number))
        return np.full(3, seen, np.float32), reward, terminated, truncated, {}


@pytest.fixture
def as_errors() -> Iterator[None]:
    """Gymnasium's checks warn of what is wrong; unbounded observations are what we have."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*A Box observation space m(in|ax)imum value is .*")
        yield


def test_a_step_gives_copies_of_what_the_env_gave() -> None:
    env = TellingEnv()
    adapter = GymnasiumEnv(env)
    obs, infos = adapter.reset()
    assert (obs.tolist(), infos) == (np.zeros((NUM_ENVS, 3)).tolist(), {})
    assert adapter.step(ACTIONS)[4] == {}
    adapter.step(ACTIONS)
    third = adapter.step(ACTIONS + 0.5)
    adapter.step(ACTIONS)  # writes the buffers again
    assert torch.equal(env.actions[2], torch.full((NUM_ENVS, 2), 0.5))

    obs, reward, terminated, truncated, infos = third
    assert obs.dtype == np.float32
    assert obs.tolist() == np.full((NUM_ENVS, 3), 3.0).tolist()
    assert reward.dtype == np.float64
    assert reward == pytest.approx([3.0, 3.1, 3.2, 3.3])
    assert terminated.tolist() == [True, False, False, False]
    assert truncated.tolist() == [False, True, False, False]
    assert infos["_final_obs"].tolist() == [True, True, False, False]
    assert [row if row is None else row.tolist() for row in infos["final_obs"]] == [
        *([-3.0, -3.0, -3.0], [-3.0, -3.0, -3.0]),
        *(None, None),
    ]


def test_all_is_as_gymnasiums_own_vector_env_gives_it() -> None:
    ours = GymnasiumEnv(TellingEnv())
    theirs = SyncVectorEnv(
        [lambda number=number: Told(number) for number in range(NUM_ENVS)],
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    for name in ("num_envs", "observation_space", "action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert env_checker.data_equivalence(ours.reset(), theirs.reset())
    for _ in range(7):
        assert env_checker.data_equivalence(ours.step(ACTIONS), theirs.step(ACTIONS))


def test_tensors_are_copies_on_the_device() -> None:
    adapter = GymnasiumEnv(TellingEnv(), tensors=True)
    actions = torch.zeros(NUM_ENVS, 2)
    first, _ = adapter.reset()
    adapter.step(actions)
    second = adapter.step(actions)
    third = adapter.step(actions)
    adapter.step(actions)
    assert torch.equal(first, torch.zeros(NUM_ENVS, 3))
    assert not second[4]["_final_obs"].any()
    obs, reward, terminated, truncated, infos = third
    assert torch.equal(obs, torch.full((NUM_ENVS, 3), 3.0))
    assert torch.allclose(reward, torch.tensor([3.0, 3.1, 3.2, 3.3]))
    assert terminated.tolist() == [True, False, False, False]
    assert truncated.tolist() == [False, True, False, False]
    assert infos["_final_obs"].tolist() == [True, True, False, False]
    assert infos["final_obs"][:, 0].tolist() == [-3.0, -3.0, 3.0, 3.0]


CHECKS: list[Callable[[Any], None]] = [
    env_checker.check_seed_deprecation,
    env_checker.check_reset_return_info_deprecation,
    env_checker.check_reset_return_type,
    env_checker.check_reset_seed_determinism,
    env_checker.check_reset_options,
    env_reset_passive_checker,
    lambda env: env_checker.check_action_space(env.action_space),
    lambda env: env_checker.check_action_space(env.single_action_space),
    lambda env: env_checker.check_observation_space(env.observation_space),
    lambda env: env_checker.check_observation_space(env.single_observation_space),
    lambda env: env_checker.check_space_limit(env.single_action_space, "action"),
]


@pytest.mark.usefixtures("as_errors")
def test_gymnasiums_checks_that_take_a_vector_env_pass() -> None:
    adapter = GymnasiumEnv(cartpole(3))
    adapter.spec = EnvSpec("rofunc_isaac/Cartpole-v0")  # with one, determinism is checked too
    for check in CHECKS:
        check(adapter)
    env_checker.check_returned_data_not_reused(GymnasiumEnv(cartpole(1)))


@pytest.mark.usefixtures("as_errors")
def test_gymnasiums_check_of_an_environment_passes_for_one_alone() -> None:
    one = OneEnv(GymnasiumEnv(cartpole(1)))
    env_checker.check_env(one, skip_render_check=True, skip_close_check=True)


@pytest.mark.usefixtures("as_errors")
def test_gymnasiums_wrappers_take_it() -> None:
    recorded = RecordEpisodeStatistics(GymnasiumEnv(TellingEnv()))
    recorded.reset()
    infos = [recorded.step(ACTIONS)[4] for _ in range(6)]
    assert infos[2]["_episode"].tolist() == [True, True, False, False]
    assert infos[2]["episode"]["l"].tolist() == [3, 3, 0, 0]
    assert infos[2]["episode"]["r"] == pytest.approx([1 + 2 + 3, 6.3, 0, 0])
    assert infos[5]["episode"]["r"] == pytest.approx([4 + 5 + 6, 15.3, 0, 0])

    wrapped = DictInfoToList(ClipReward(GymnasiumEnv(TellingEnv()), 0.0, 2.0))
    wrapped.reset()
    steps = [wrapped.step(ACTIONS) for _ in range(3)]
    assert steps[2][1].tolist() == [2.0] * NUM_ENVS
    assert [sorted(info) for info in steps[2][4]] == [["final_info", "final_obs"]] * 2 + [[]] * 2


def test_gymnasiums_measurement_of_speed_takes_it() -> None:
    assert benchmark_vector_step(GymnasiumEnv(cartpole(2)), target_duration=0, seed=1) > 0


def test_a_seed_fixes_what_comes() -> None:
    adapter = GymnasiumEnv(cartpole(3))

    def episode(seed: int | None) -> list[Any]:
        seen = [adapter.reset(seed=seed)[0].tolist()]
        return seen + [adapter.step(np.ones((3, 1)))[0].tolist() for _ in range(40)]

    first, other, again = episode(5), episode(6), episode(5)
    assert again == first
    assert other[0] != first[0]
    assert adapter.np_random_seed == 5


def test_what_cannot_be_done_is_refused() -> None:
    adapter = GymnasiumEnv(TellingEnv())
    adapter.reset(options={})
    with pytest.raises(UserError, match="take no options"):
        adapter.reset(options={"reset_mask": np.ones(NUM_ENVS, bool)})
    with pytest.raises(UserError, match="seed=3 has no effect on TellingEnv"):
        adapter.reset(seed=3)
    for shape in [(NUM_ENVS - 1, 2), (NUM_ENVS, 3), (NUM_ENVS,)]:
        with pytest.raises(UserError, match=r"takes \(4, 2\)"):
            adapter.step(np.zeros(shape))
