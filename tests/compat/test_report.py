"""The report's text, and its command."""

from __future__ import annotations

from pathlib import Path

import pytest

from rofunc_isaac.compat.gym_calls import GYM
from rofunc_isaac.compat.module_names import GYMUTIL
from rofunc_isaac.compat.report import report
from tests.compat.programs import checkout, python, rofunc_isaac

TASK = """
from isaacgym import gymapi, gymtorch, gymfuture
from isaacgym.gymutil import parse_arguments

class Task:
    def step(self):
        self.gym.simulate(self.sim)
        self.gym.simulate(self.sim)
        self.gym.create_tet_grid(self.sim)
        self.gym.set_light_parameters(self.sim, gymapi.MESH_VISUAL, gymapi.Vec3())
        self.gym.solve_everything()
"""


def test_each_name_stands_under_its_heading(tmp_path: Path) -> None:
    checkout(tmp_path, {"tasks/ant.py": TASK, "old.py": "print 'two'"})
    said = report(str(tmp_path))
    assert said.splitlines()[0] == (
        f"{tmp_path}: 2 Python files use 4 functions of gym and 3 names of its modules: "
        "1 missing, 1 not known, 2 approximate, 3 complete"
    )
    sections = [section.splitlines() for section in said.split("\n\n")[1:]]
    missing, unknown, approximate, complete, unread = sections
    assert missing == [
        "missing: raises an error that names it (1)",
        "  isaacgym.gymfuture  tasks/ant.py:2",
        "  gym.create_tet_grid  tasks/ant.py:9",
    ]
    assert unknown[1:] == ["  gym.solve_everything  tasks/ant.py:11"]
    assert approximate == [
        "approximate: there, but different (2)",
        "  gym.set_light_parameters  tasks/ant.py:10",
        f"      {GYM.difference('set_light_parameters')}",
        "  gymutil.parse_arguments  tasks/ant.py:3",
        f"      {GYMUTIL.difference('parse_arguments')}",
    ]
    assert complete == ["complete (3)", "  gym.simulate gymapi.MESH_VISUAL gymapi.Vec3"]
    assert unread[1].startswith("  old.py: Missing parentheses")


def test_further_places_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("gym.create_tet_grid(s)\ngym.create_tet_grid(s)\n")
    assert "  gym.create_tet_grid  a.py:1 and 1 more" in report(str(tmp_path / "a.py"))


def test_code_without_isaac_gym(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    said = report(str(tmp_path))
    assert said.endswith("1 Python files use 0 functions of gym and 0 names of its modules")


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("gym.simulate(sim)\n")
    done = rofunc_isaac("isaacgym-report", "a.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == report(str(tmp_path / "a.py")).replace(f"{tmp_path}/", "") + "\n"


def test_the_command_needs_no_torch(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("gym.simulate(sim)\n")
    code = (
        "import sys; from rofunc_isaac.__main__ import main; main(['isaacgym-report', 'a.py'])\n"
        "print({'torch', 'mujoco', 'numpy'} & set(sys.modules))"
    )
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout.endswith("set()\n"), done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["isaacgym-report"], "error: isaacgym-report takes one path, got 0"),
        (["isaacgym-report", "absent"], "error: nothing at "),
        (["isaacgym-reprot", "."], "error: no command isaacgym-reprot; did you mean isaacgym-rep"),
        (["run"], "error: run needs a script"),
    ],
)
def test_mistakes(words: list[str], said: str, tmp_path: Path) -> None:
    done = rofunc_isaac(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)
