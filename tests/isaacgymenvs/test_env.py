"""A task of IsaacGymEnvs' kind behind the VecEnv protocol.

The mass of 1 kg starts at rest and is pushed with 5 N. Semi-implicit Euler with steps of h = 0.05 s
gives v_k = 5 h k and x_k = x_0 + 5 h^2 k (k + 1) / 2: it leaves the reach of 1 m in step 12.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rofunc_isaac import random_state
from rofunc_isaac.cli.build import build_env
from rofunc_isaac.cli.compose import compose
from rofunc_isaac.errors import UserError
from rofunc_isaac.vec_env import StepResult
from tests.isaacgymenvs.conftest import FOLDER
from tests.ppo.zipped import zipped

H, FORCE = 0.05, 5.0


def make(*words: str, task: str = "Slider") -> Any:
    given = (f"task=isaacgymenvs/{task}", f"isaacgymenvs_path={FOLDER}", "sim_device=cpu")
    threads = "task.sim.physx.num_threads=1"
    return build_env(compose([*given, "num_envs=4", "seed=3", threads, *words]))


def push(env: Any, action: float = 1.0) -> StepResult:
    step = env.step(torch.full((env.num_envs, 1), action))
    return StepResult(*(part.clone() for part in step))


def test_it_moves_as_it_should() -> None:
    env = make()
    start = env.reset().clone()
    assert bool((start[:, 0].abs() <= 0.1).all())
    assert len(set(start[:, 0].tolist())) == 4
    for k in range(1, 6):
        step = push(env)
        place = start[:, 0] + FORCE * H**2 * k * (k + 1) / 2
        torch.testing.assert_close(step.obs[:, 0], place, atol=1e-5, rtol=0)
        torch.testing.assert_close(step.obs[:, 1], torch.full((4,), FORCE * H * k))
        torch.testing.assert_close(step.reward, 1.0 - place.abs(), atol=1e-5, rtol=0)
        assert not bool((step.terminated | step.truncated).any())
        assert torch.equal(step.final_obs, step.obs)


def test_an_end_by_the_rules_with_the_last_observation() -> None:
    env = make()
    env.reset()
    steps = [push(env) for _ in range(16)]
    for number, step in enumerate(steps):
        ended = step.obs[:, 0].abs() > 1.0
        assert torch.equal(step.terminated, ended)
        assert not bool(step.truncated.any())
        assert torch.equal(step.final_obs, step.obs), "the task resets in the next step"
        if number:
            before = steps[number - 1].terminated
            assert bool((step.obs[before][:, 0].abs() <= 0.1).all())
            assert bool((step.obs[before][:, 1] == 0.0).all())
    ends = torch.stack([step.terminated for step in steps]).float()
    assert ends.sum(0).tolist() == [1.0] * 4
    assert set(ends.argmax(0).tolist()) <= {10, 11, 12}


def test_an_end_by_the_rules_where_the_task_resets_at_once() -> None:
    env = make(task="SliderAtOnce")
    env.reset()
    before = push(env)
    ends = 0
    for _ in range(16):
        step = push(env)
        done = step.terminated
        ends += int(done.sum())
        assert torch.equal(step.final_obs[~done], step.obs[~done])
        assert torch.equal(step.final_obs[done], before.obs[done]), "the last that it showed"
        assert bool((step.obs[done][:, 0].abs() <= 0.1).all())
        before = step
    assert ends == 4


@pytest.mark.parametrize("task", ["Slider", "SliderAtOnce"])
def test_time_limits_are_told_apart(task: str) -> None:
    env = make(task=task)
    env.reset()
    steps = [push(env, 0.0) for _ in range(45)]
    ends = [k for k, step in enumerate(steps) if bool(step.truncated.any())]
    assert [bool(steps[k].truncated.all()) for k in ends] == [True, True]
    assert ends[1] - ends[0] == (20 if task == "Slider" else 19)
    assert not any(bool(step.terminated.any()) for step in steps)


def test_time_limits_as_ends() -> None:
    env = make("task.vec_env.bootstrap_time_limits=False")
    env.reset()
    steps = [push(env, 0.0) for _ in range(22)]
    assert sum(int(step.terminated.sum()) for step in steps) == 4
    assert not any(bool(step.truncated.any()) for step in steps)


@pytest.mark.parametrize(("clips", "force"), [(True, FORCE), (False, 3 * FORCE)])
def test_actions_are_clamped_as_the_training_says(clips: bool, force: float) -> None:
    env = make("task.env.clipActions=10", f"task.vec_env.clip_actions={clips}")
    env.reset()
    assert push(env, 3.0).obs[:, 1].tolist() == pytest.approx([force * H] * 4)


def test_states_come_last_and_only_where_asked_for() -> None:
    asymmetric = "task.env.asymmetric_observations=True"
    assert (make(asymmetric).num_obs, make(asymmetric).num_states) == (2, 0)
    env = make(asymmetric, "task.vec_env.states_for_value=True")
    assert (env.num_obs, env.num_states) == (5, 3)
    env.reset()
    step = push(env)
    assert torch.equal(step.obs[:, 2:4], step.obs[:, :2])
    assert step.obs[:, 4].tolist() == pytest.approx([1 / 20] * 4)
    with pytest.raises(UserError, match="asymmetric_observations"):
        make("task.vec_env.states_for_value=True")


def test_a_world_that_breaks_down_is_reset_and_counted() -> None:
    env = make()
    env.reset()
    env.task.dof_state[1, 0, 0] = float("nan")  # the physics gives up
    gym, states = env.task.gym, env.task.dof_state.view(-1, 2)
    from isaacgym import gymtorch

    gym.set_dof_state_tensor(env.task.sim, gymtorch.unwrap_tensor(states))
    step = push(env, 0.0)
    assert step.terminated.tolist() == [False, True, False, False]
    assert float(step.reward[1]) == 0.0
    assert bool(step.obs.isfinite().all())
    assert env.metrics()["env/unstable_resets"].tolist() == [1]
    after = push(env, 0.0)
    assert not bool(after.terminated.any())
    assert env.task.progress_buf.tolist() == [2, 0, 2, 2]


def test_what_the_task_tells_and_is_told() -> None:
    env = make("task.env.reach=2.0")
    env.reset()
    assert float(env.metrics()["env/episode/reach"]) == 2.0
    push(env)
    env.maintain()
    assert env.task.total_train_env_frames == 8


def test_it_goes_on_from_a_state_to_the_last_bit() -> None:
    env = make()
    env.reset()
    for _ in range(7):
        push(env, 0.5)
    state, generators = env.state_dict(), random_state.process_state()
    expected = [push(env) for _ in range(30)]
    other = make("seed=9")
    other.reset()
    other.load_state_dict(state)
    random_state.restore_process(generators)
    for before in expected:
        for own, reference in zipped(push(other), before):
            assert torch.equal(own, reference)
    with pytest.raises(UserError, match="4"):
        make("num_envs=5").load_state_dict(state)


def test_mistakes() -> None:
    with pytest.raises(UserError, match="headless"):
        make("headless=False")
