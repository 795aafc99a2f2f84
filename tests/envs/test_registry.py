"""How tasks are found and configured, and what is said where they are not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from rofunc_isaac.envs import registry
from rofunc_isaac.errors import UserError

ROOT = Path(__file__).resolve().parents[2]

HOPPER = """
from dataclasses import dataclass, field

import rofunc_isaac.tasks.cartpole as cartpole
from rofunc_isaac.envs.config import EnvConfig, TaskConfig


@dataclass
class HopperEnvConfig(cartpole.CartpoleEnvConfig):
    jump_height: float = 0.5


@dataclass
class HopperConfig(TaskConfig):
    env: HopperEnvConfig = field(default_factory=HopperEnvConfig)


class Hopper(cartpole.Cartpole):
    Config = HopperConfig


a_number = 3
"""


@pytest.fixture
def hopper(tmp_path, monkeypatch):
    """The name of a module on sys.path that holds the task Hopper."""
    (tmp_path / "my_hopper.py").write_text(HOPPER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "my_hopper"
    sys.modules.pop("my_hopper", None)


def test_the_suite_has_its_tasks():
    assert {"Ant", "Cartpole"} <= set(registry.task_names())


def test_a_tasks_file_and_its_dataclass_have_the_same_keys_and_values():
    for name in registry.task_names():
        values = registry.read_task(name)
        assert values["name"] == name
        cls = registry.task_class(values["entry"])
        assert cls.__name__ == name
        config = registry.task_config(cls, values)
        written = cls.Config()
        for group in ("env", "sim"):
            filled, default = asdict(getattr(config, group)), asdict(getattr(written, group))
            assert filled == values[group]
            own = set(default) - {"num_envs", "num_envs_cpu", "env_spacing", "episode_length"}
            own -= {"clip_observations", "dt"}
            assert {k: filled[k] for k in own} == {k: default[k] for k in own}


@pytest.mark.parametrize(
    ("name", "hint"),
    [("Amt", "did you mean Ant?"), ("cart_pole", "did you mean Cartpole?"), ("Xyzzy", None)],
)
def test_an_unknown_task_lists_the_tasks_and_the_nearest(name, hint):
    with pytest.raises(UserError) as caught:
        registry.read_task(name)
    message = str(caught.value)
    assert message.startswith(f"unknown task '{name}'; there are: Ant, Cartpole")
    assert (hint in message) if hint else ("did you mean" not in message)


def test_a_module_of_the_users_is_a_task(hopper):
    env = registry.make_task(
        {"entry": f"{hopper}:Hopper", "env": {"jump_height": 0.25}, "sim": {"num_threads": 1}},
        num_envs=2,
    )
    assert type(env).__name__ == "Hopper"
    assert env.config.env.jump_height == 0.25
    assert env.config.env.max_effort == 400.0  # a default of the class that it derives from
    assert env.reset().shape == (2, 4)


@pytest.mark.parametrize("entry", ["my_hopper", "my_hopper:", ":Hopper", ""])
def test_an_entry_without_module_and_class_is_refused(entry):
    with pytest.raises(UserError, match="must have the form module:Class"):
        registry.task_class(entry)


def test_an_unknown_module_is_named():
    with pytest.raises(UserError, match="there is no module no_such_module.*PYTHONPATH"):
        registry.task_class("no_such_module:Hopper")
    with pytest.raises(UserError, match="there is no module rofunc_isaac.tasks.hopper"):
        registry.task_class("rofunc_isaac.tasks.hopper:Hopper")


def test_a_module_that_lacks_a_module_itself_raises_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import no_such_module_either\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="no_such_module_either"):
        registry.task_class("needs_more:Task")


@pytest.mark.parametrize(
    ("word", "hint"),
    [("Hoper", "did you mean Hopper?"), ("a_number", ""), ("Zebra", "")],
)
def test_an_unknown_class_is_named(hopper, word, hint):
    with pytest.raises(UserError, match=f"module my_hopper has no class {word}") as caught:
        registry.task_class(f"{hopper}:{word}")
    assert hint in str(caught.value)


def test_a_class_that_is_no_task_is_refused(hopper):
    with pytest.raises(UserError, match="my_hopper:HopperConfig' is not a task"):
        registry.task_class(f"{hopper}:HopperConfig")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"env": {"jump_heigth": 1.0}}, "task.env.jump_heigth .*did you mean jump_height?"),
        ({"env": {"numEnvs": 4}}, "task.env.numEnvs .*did you mean num_envs?"),
        ({"sim": {"subteps": 4}}, "task.sim.subteps .*did you mean substeps?"),
        ({"environment": {}}, "task.environment is not a setting of Hopper"),
        ({"env": {"jump_height": "high"}}, "task.env.jump_height: .*'high'"),
        ({"env": {"episode_length": 2.5}}, "task.env.episode_length: .*2.5"),
        ({"env": {"jump_height": None}}, "task.env.jump_height: "),
        ({"env": 3}, "^task: .*int.*HopperEnvConfig"),
        ({"sim": {"gravity": 9.81}}, "task.sim.gravity: "),
    ],
)
def test_a_wrong_key_or_type_is_named(hopper, values, message):
    cls = registry.task_class(f"{hopper}:Hopper")
    with pytest.raises(UserError, match=message):
        registry.task_config(cls, values)


@pytest.mark.parametrize("num_envs", [0, -3, registry.MAX_NUM_ENVS + 1])
def test_a_senseless_number_of_envs_is_refused_with_the_limit(num_envs):
    with pytest.raises(UserError, match=f"num_envs={num_envs} must be from 1 to 1048576"):
        registry.make_task(registry.read_task("Cartpole"), num_envs=num_envs)


def test_importing_one_task_imports_no_other():
    program = (
        "import sys\n"
        "from rofunc_isaac.envs import registry\n"
        "assert 'torch' not in sys.modules\n"
        "cls = registry.task_class(registry.read_task('Ant')['entry'])\n"
        "print(sorted(m for m in sys.modules if m.startswith(('rofunc_isaac.tasks', 'tasks'))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['rofunc_isaac.tasks', 'rofunc_isaac.tasks.ant']\n"
