"""Who answers to the name `isaacgym`. Each case in a process of its own: the answer is for life."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Stands in for NVIDIA's package, which nobody may redistribute: only its place in sys.modules.
FOREIGN = "import sys, types; sys.modules['isaacgym'] = types.ModuleType('isaacgym')\n"
REPORT = """
from rofunc_isaac import simulator
from rofunc_isaac.errors import UserError
try:
    {code}
except UserError as error:
    print(f"UserError: {{error}}")
"""


def python(code: str, *paths: Path) -> str:
    """What a fresh interpreter prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*paths, ROOT]))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def report(code: str, before: str = "", *paths: Path) -> str:
    return python(before + REPORT.format(code=code), *paths)


def test_the_names_are_those_of_the_command_line():
    from rofunc_isaac import simulator
    from rofunc_isaac.cli import checks

    assert simulator.NAMES == ("auto", "mujoco", "mujoco_warp", "isaacgym")
    assert checks.NAMES["simulator.name"] == simulator.NAMES
    options = {path.stem for path in (ROOT / "cfg" / "simulator").glob("*.yaml")}
    assert options == set(simulator.NAMES)


def test_choosing_a_simulator_imports_nothing_heavy_yet():
    assert (
        python("import sys; import rofunc_isaac.simulator; print('torch' in sys.modules)")
        == "False"
    )


@pytest.mark.parametrize("name", ["auto", "mujoco"])
def test_isaacgym_is_ours(name):
    code = f"""
from rofunc_isaac import simulator
simulator.select({name!r})
simulator.select({name!r})
simulator.ensure_selected()
import isaacgym, isaacgym.torch_utils
from isaacgym import gymapi, gymtorch, gymutil
from isaacgym.torch_utils import quat_mul
import rofunc_isaac.isaacgym.gymapi, rofunc_isaac.isaacgym.torch_utils as ours
from rofunc_isaac.isaacgym import gymtorch as our_gymtorch, gymutil as our_gymutil
assert gymapi is rofunc_isaac.isaacgym.gymapi and isaacgym.gymapi is gymapi
assert gymapi.Vec3 is rofunc_isaac.isaacgym.gymapi.Vec3
assert gymtorch is our_gymtorch and gymutil is our_gymutil
assert isaacgym.torch_utils is ours and quat_mul is ours.quat_mul
assert simulator.is_ours()
print("ours")
"""
    assert python(code) == "ours"


def test_nobody_answers_before_a_choice():
    code = "from rofunc_isaac import simulator; import sys; print(simulator.is_ours())"
    assert python(code) == "False"


def test_an_unknown_name_lists_those_that_are_known():
    said = report("simulator.select('mujocco')")
    assert said == (
        "UserError: simulator=mujocco is not one of auto, mujoco, mujoco_warp, isaacgym; "
        "did you mean mujoco?"
    )


def test_room_is_given_for_contacts_and_constraints_together():
    said = report("simulator.select('mujoco_warp', max_contacts=4)")
    assert said.endswith("go together: give both or neither")


def test_nvidias_package_must_be_installed():
    said = report("simulator.select('isaacgym')")
    assert said.startswith("UserError: simulator=isaacgym needs NVIDIA's isaacgym package")
    assert said.endswith("use simulator=mujoco, which needs nothing")


@pytest.mark.parametrize("name", ["auto", "mujoco"])
def test_ours_does_not_replace_a_foreign_one(name):
    said = report(f"simulator.select({name!r})", FOREIGN)
    assert said.startswith("UserError: NVIDIA's isaacgym was imported before")
    assert said.endswith("use simulator=isaacgym")
    assert report("simulator.ensure_selected(); print(simulator.is_ours())", FOREIGN) == "False"


def test_a_foreign_one_that_is_imported_already_can_be_chosen():
    assert report("simulator.select('isaacgym'); print('chosen')", FOREIGN) == "chosen"


def test_a_foreign_one_on_the_path_is_imported_when_chosen(tmp_path):
    (tmp_path / "isaacgym").mkdir()
    (tmp_path / "isaacgym" / "__init__.py").write_text("print('theirs')\n")
    assert report("simulator.select('isaacgym')", "", tmp_path) == "theirs"
    # And left alone when it is not.
    assert report("simulator.select('auto')", "", tmp_path) == ""
    said = report("simulator.select('auto'); simulator.select('isaacgym')", "", tmp_path)
    assert said.startswith("UserError: simulator=isaacgym comes too late")
