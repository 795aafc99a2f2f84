"""`python -m rofunc_isaac run`: like Python itself, but for `isaacgym`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.compat.programs import checkout, python, rofunc_isaac

# What a program can see of the way it was started, and what it finds of Isaac Gym and its time.
LOOK_AROUND = """
import sys
first = sorted(name for name in sys.modules if name.partition(".")[0] == "isaacgym")
import json, os, pickle
import neighbour
facts = {
    "argv": sys.argv, "path": sys.path[0], "cwd": os.getcwd(), "file": __file__, "name": __name__,
    "neighbour": neighbour.__file__, "spec": __spec__,
}
if "--like-isaacgym" in sys.argv:
    from isaacgym import gymapi, gymtorch, gymutil
    from isaacgym.torch_utils import *
    import numpy as np, torch
    import tkinter, pysdf
    facts["first"] = first
    facts["old"] = [np.Inf, np.float(1), np.float_ is np.float64]
    facts["gym"] = type(gymapi.acquire_gym()).__module__
    facts["stand-in"] = repr(pysdf.SDF)

class Own:
    pass

facts["pickled"] = type(pickle.loads(pickle.dumps(Own()))) is Own
print(json.dumps(facts))
"""


def look_around(tmp_path: Path) -> tuple[Path, Path]:
    """The program, and another folder to start it from."""
    code = checkout(tmp_path / "code", {"look.py": LOOK_AROUND, "neighbour.py": ""})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    return code, elsewhere


def test_a_script_sees_what_python_itself_shows_it(tmp_path: Path) -> None:
    code, elsewhere = look_around(tmp_path)
    words = ["../code/look.py", "task=Ant", "--flag", "--", "a b", "run"]
    pure = python(*words, cwd=elsewhere)
    ours = rofunc_isaac("run", *words, cwd=elsewhere)
    assert ours.returncode == 0, ours.stderr
    assert json.loads(ours.stdout) == json.loads(pure.stdout)
    assert json.loads(ours.stdout)["path"] == str(code)
    assert ours.stderr == ""


def test_isaacgym_is_ours_before_the_first_line(tmp_path: Path) -> None:
    _, elsewhere = look_around(tmp_path)
    done = rofunc_isaac("run", "../code/look.py", "--like-isaacgym", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert {"isaacgym", "isaacgym.gymapi", "isaacgym.torch_utils"} <= set(facts["first"])
    assert facts["gym"] == "rofunc_isaac.isaacgym.gym"
    assert facts["old"] == [float("inf"), 1.0, True]
    assert facts["stand-in"] == "<stand-in for pysdf.SDF>"
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform != "linux", reason="torch's wheels bring GNU's OpenMP on Linux")
@pytest.mark.parametrize(("given", "soon"), [(None, True), ("ACTIVE", False)])
def test_idle_threads_sleep_unless_the_user_says_otherwise(
    given: str | None, soon: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_DISPLAY_ENV", "VERBOSE")  # OpenMP tells on stderr what it goes by
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", given)
    folder = checkout(tmp_path, {"empty.py": "import torch"})
    done = rofunc_isaac("run", "empty.py", cwd=folder)
    assert "GOMP_SPINCOUNT = " in done.stderr
    assert ("GOMP_SPINCOUNT = '10000'" in done.stderr) == soon


def test_errors_and_exits_are_the_scripts_own(tmp_path: Path) -> None:
    raising = "from rofunc_isaac.errors import UserError\nraise UserError('of the script')\n"
    folder = checkout(tmp_path, {"exits.py": "raise SystemExit(7)", "raises.py": raising})
    assert rofunc_isaac("run", "exits.py", cwd=folder).returncode == 7
    raised = rofunc_isaac("run", "raises.py", cwd=folder)
    assert raised.returncode == 1
    assert f'File "{folder / "raises.py"}", line 2' in raised.stderr
    assert raised.stderr.endswith("UserError: of the script\n")


def test_a_script_that_cannot_run(tmp_path: Path) -> None:
    checkout(tmp_path, {"old.py": "print 'Python 2'\n"})
    absent = rofunc_isaac("run", "absent.py", cwd=tmp_path)
    assert absent.returncode == 2
    assert absent.stderr == f"error: no script at {tmp_path / 'absent.py'}; name the file to run\n"
    old = rofunc_isaac("run", "old.py", cwd=tmp_path)
    assert old.returncode == 2
    assert old.stderr.startswith("error: old.py is not a Python 3 script: ")


def test_a_checkout_need_not_be_installed(tmp_path: Path) -> None:
    files = {
        "setup.py": "",
        "robots/__init__.py": "where = 'checkout'",
        "robots/scripts/train.py": "import robots; print(robots.where)",
    }
    script = checkout(tmp_path / "checkout", files) / "robots" / "scripts" / "train.py"
    assert rofunc_isaac("run", str(script), cwd=tmp_path).stdout == "checkout\n"
    installed = checkout(tmp_path / "site", {"robots/__init__.py": "where = 'installed'"})
    done = rofunc_isaac("run", str(script), cwd=tmp_path, path=(installed,))
    assert done.stdout == "installed\n"


def test_device_arguments_are_added_and_said(tmp_path: Path) -> None:
    script = """
import hydra

@hydra.main(version_base="1.1", config_path="./cfg", config_name="config")
def launch(cfg):
    print(cfg.sim_device, cfg.rl_device, cfg.pipeline, cfg.headless, cfg.task)

launch()
"""
    config = (
        "hydra: {run: {dir: .}, output_subdir: null}\ntask: Ant\nheadless: False\n"
        "sim_device: 'cuda:0'\nrl_device: 'cuda:0'\npipeline: 'gpu'\n"
    )
    checkout(tmp_path, {"train.py": script, "cfg/config.yaml": config})
    done = rofunc_isaac("run", "train.py", "task=Cartpole", cwd=tmp_path)
    assert done.stdout == "cpu:0 cpu cpu True Cartpole\n", done.stderr
    assert done.stderr.splitlines()[0] == (
        "rofunc_isaac: no such CUDA device here; "
        "added sim_device=cpu:0 rl_device=cpu pipeline=cpu headless=True"
    )


def test_the_line_for_notebooks(tmp_path: Path) -> None:
    """One line, and no second choice of engine where one was made."""
    code = """
from rofunc_isaac import simulator
simulator.select("mujoco")
import rofunc_isaac.isaacgym.install
from isaacgym import gymapi
import numpy, pysdf
from rofunc_isaac.physics import engine
print(simulator.is_ours(), numpy.Inf, engine._chosen.name)
"""
    done = python("-c", code, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True inf mujoco\n", "")


def test_nvidias_is_not_replaced(tmp_path: Path) -> None:
    code = "import sys, types; sys.modules['isaacgym'] = types.ModuleType('isaacgym')\n"
    done = python("-c", code + "import rofunc_isaac.isaacgym.install", cwd=tmp_path)
    assert done.returncode == 1
    assert "NVIDIA's isaacgym was imported before" in done.stderr
