"""The words that start the programs again, as the user's shell would find them."""

from __future__ import annotations

import sys

import pytest

from rofunc_isaac.cli.commands import command


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with an environment in `.venv`, not active; train.py runs in it."""
    checkout = tmp_path / "my checkout"
    (checkout / ".venv" / "bin").mkdir(parents=True)
    for name in ("train.py", "play.py", ".venv/bin/python"):
        (checkout / name).touch(mode=0o755)
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "executable", str(checkout / ".venv" / "bin" / "python"))
    monkeypatch.setattr(sys, "argv", ["train.py", "task=Ant"])
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return checkout


def test_an_environment_that_is_not_active_is_named(checkout, monkeypatch):
    assert command("play.py") == ".venv/bin/python play.py"
    assert command("train.py") == ".venv/bin/python train.py"
    monkeypatch.setenv("VIRTUAL_ENV", "/home/other/.venv")
    assert command("play.py") == ".venv/bin/python play.py"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "PATH"])
def test_an_active_one_is_python(checkout, monkeypatch, variable):
    folder = checkout / ".venv"
    monkeypatch.setenv(variable, str(folder if variable == "VIRTUAL_ENV" else folder / "bin"))
    assert command("play.py") == "python play.py"


def test_without_an_environment_it_is_python(checkout, monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/usr")
    assert command("play.py") == "python play.py"


def test_an_interpreter_that_is_a_link_stays_one(checkout):
    # What it points to knows no packages of the environment.
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/usr/bin/env")
    assert command("play.py") == ".venv/bin/python play.py"


def test_from_elsewhere_both_are_whole_paths(checkout, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", [str(checkout / "train.py")])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("play.py") == f"'{checkout}/.venv/bin/python' '{checkout}/play.py'"
    monkeypatch.chdir(tmp_path)
    assert command("play.py") == "'my checkout/.venv/bin/python' 'my checkout/play.py'"


def test_the_checkout_s_script_where_another_program_runs(checkout, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/rofunc-isaac-train"])
    monkeypatch.setattr("rofunc_isaac.__file__", str(checkout / "rofunc_isaac" / "__init__.py"))
    assert command("play.py") == ".venv/bin/python play.py"
