"""`rofunc_isaac.make`: environments for code that brings its own learner."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rofunc_isaac
from rofunc_isaac.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = {"sim.num_threads": 1}


def test_it_makes_a_task_that_steps():
    env = rofunc_isaac.make("Cartpole", num_envs=3, seed=4, overrides=ONE_THREAD)
    import torch

    obs = env.reset()
    assert obs.shape == (3, 4)
    result = env.step(torch.zeros(3, 1))
    assert result.obs.shape == (3, 4)
    assert torch.isfinite(result.reward).all()
    again = rofunc_isaac.make("Cartpole", num_envs=3, seed=4, overrides=ONE_THREAD)
    assert torch.equal(again.reset(), rofunc_isaac.make("Cartpole", 3, seed=4).reset())
    assert not torch.equal(again.reset(), rofunc_isaac.make("Cartpole", 3, seed=5).reset())


def test_the_tasks_own_settings_hold_and_can_be_replaced():
    env = rofunc_isaac.make("Cartpole")
    assert env.num_envs == 512  # of cfg/task/Cartpole.yaml, on the CPU
    assert env.max_episode_length == 500
    env = rofunc_isaac.make("Cartpole", 2, overrides={"env.episode_length": 7})
    assert env.max_episode_length == 7


def test_a_task_is_also_found_by_module_and_class():
    env = rofunc_isaac.make("rofunc_isaac.tasks.cartpole:Cartpole", num_envs=2)
    assert env.num_actions == 1
    assert env.max_episode_length == 1000  # the dataclass's own default: no YAML file is read


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "Amt"}, "unknown task 'Amt'; there are: Ant, Cartpole.*did you mean Ant?"),
        ({"num_envs": 0}, "num_envs=0 must be from 1 to"),
        ({"num_envs": 10**7}, "num_envs=10000000 must be from 1 to"),
        ({"overrides": {"env.max_efort": 3.0}}, "task.env.max_efort.*did you mean max_effort?"),
        ({"overrides": {"env.max_effort": "x"}}, "task.env.max_effort: .*'x'"),
        ({"overrides": {"env.max_effort.more": 3.0}}, "task.env.max_effort"),
        ({"simulator": "mujocco"}, "simulator=mujocco is not one of .*did you mean mujoco?"),
        ({"simulator": "isaacgym"}, "simulator=isaacgym"),
        ({"headless": False}, "headless=False"),
        ({"sim_device": "gpu"}, "sim_device=gpu is not a device"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(UserError, match=message):
        rofunc_isaac.make(**{"task": "Cartpole", "num_envs": 2, **arguments})


def test_importing_the_package_is_light():
    code = (
        "import sys, rofunc_isaac\n"
        "heavy = {'torch', 'numpy', 'mujoco', 'hydra', 'omegaconf', 'wandb', 'isaacgym'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
