"""What is read from programs: each use of Isaac Gym, and no use of something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from rofunc_isaac.compat.usage import Usage, usage_of
from rofunc_isaac.errors import UserError


def used(tmp_path: Path, source: str) -> Usage:
    file = tmp_path / "program.py"
    file.write_text(source)
    return usage_of(file)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("self.gym.simulate(self.sim)", {"gym.simulate"}),
        ("self.base._gym.get_sim_time(sim)", {"gym.get_sim_time"}),
        ("gym.create_env(sim)", {"gym.create_env"}),
        ("gym.something_new(sim)", {"gym.something_new"}),
        ("setter = self.gym.set_sim_params", {"gym.set_sim_params"}),
        ("g = gymapi.acquire_gym()\ng.simulate(s)", {"gymapi.acquire_gym", "gym.simulate"}),
        (
            "from isaacgym.gymapi import acquire_gym\nself.world = acquire_gym()\n"
            "self.world.prepare_sim(s)",
            {"gymapi.acquire_gym", "gym.prepare_sim"},
        ),
        ("def f(pose: gymapi.Transform): ...", {"gymapi.Transform"}),
        ("from isaacgym import gymapi as api\napi.Vec3()", {"gymapi.Vec3"}),
        ("import isaacgym.gymutil as util\nutil.draw_lines()", {"gymutil.draw_lines"}),
        ("import isaacgym\nisaacgym.gymapi.Quat()", {"gymapi.Quat"}),
        ("import isaacgym.gymtorch\nisaacgym.gymtorch.wrap_tensor(t)", {"gymtorch.wrap_tensor"}),
        ("from isaacgym.torch_utils import quat_mul, to_torch as t", {"torch_utils.quat_mul",
                                                                      "torch_utils.to_torch"}),
        ("def f():\n    from isaacgym import gymapi\n    return gymapi.KEY_A", {"gymapi.KEY_A"}),
    ],
)  # fmt: skip
def test_a_use_is_found(source: str, names: set[str], tmp_path: Path) -> None:
    assert set(used(tmp_path, source).names) == names


@pytest.mark.parametrize(
    "source",
    [
        "import gym\nspace = gym.spaces.Box(0, 1)\nenv = gym.make('Ant')",
        "from other.isaacgym import thing",
        "gymnasium.make('Ant')",
        "'gym.simulate is only text'  # gym.simulate",
    ],
)
def test_other_things_are_not(source: str, tmp_path: Path) -> None:
    assert used(tmp_path, source).names == {}


def test_isaac_gym_beside_openais_gym(tmp_path: Path) -> None:
    source = "import gym\ndef once(gym): gym.create_sim(0)\ngym.wrappers.Video()"
    assert set(used(tmp_path, source).names) == {"gym.create_sim"}


def test_modules(tmp_path: Path) -> None:
    source = "from isaacgym import gymapi\nfrom isaacgym.terrain_utils import *\nimport isaacgym.x"
    assert set(used(tmp_path, source).modules) == {"gymapi", "terrain_utils", "x"}


def test_a_folder_with_places(tmp_path: Path) -> None:
    (tmp_path / "tasks" / ".git").mkdir(parents=True)
    (tmp_path / "a.py").write_text("\nself.gym.simulate(s)\n")
    (tmp_path / "tasks" / "b.py").write_text("gym.simulate(s)")
    (tmp_path / "tasks" / "old.py").write_text("print 'two'")
    (tmp_path / "tasks" / "latin.py").write_bytes(b"name = '\xe9'")
    (tmp_path / "tasks" / ".git" / "c.py").write_text("gym.fetch_results(s)")
    (tmp_path / "notes.txt").write_text("gym.draw_viewer(s)")
    found = usage_of(tmp_path)
    assert found.files == 4
    places = [(tmp_path / "a.py", 2), (tmp_path / "tasks" / "b.py", 1)]
    assert found.names == {"gym.simulate": places}
    assert [file.name for file, _ in found.unreadable] == ["latin.py", "old.py"]
    assert all(reason for _, reason in found.unreadable)


def test_a_path_without_python(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no Python file below"):
        usage_of(tmp_path)
    with pytest.raises(UserError, match="nothing at .*absent"):
        usage_of(tmp_path / "absent")
