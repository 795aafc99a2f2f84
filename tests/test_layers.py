"""What the design promises of every file: who imports whom, for which Python, and what it names."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "rofunc_isaac"

BOTTOM = {
    *{"cfg", "compiler", "cuda_graphs", "errors", "files", "idle_threads", "memory"},
    *{"random_state", "ranks"},
}

# What each layer may import of the project: only what lies below it.
ALLOWED = {
    "compiler": set(),
    "cuda_graphs": set(),
    "errors": set(),
    "files": set(),
    "idle_threads": set(),
    "memory": set(),
    "random_state": set(),
    "ranks": {"errors"},
    "cfg": set(),
    "schedulers": {"errors"},
    "vec_env": set(),
    "ppo": {"vec_env", "schedulers", *BOTTOM},
    "adapters": {"vec_env", *BOTTOM},
    "physics": set(BOTTOM),
    "isaacgym": {"physics", *BOTTOM},
    "simulator": {"isaacgym", "physics", *BOTTOM},
    "compat": {"simulator", "isaacgym", "physics", *BOTTOM},
    "__main__": {"compat", *BOTTOM},
    "envs": {"vec_env", "simulator", "isaacgym", "physics", *BOTTOM},
    "isaacgymenvs": {
        *{"compat", "envs", "vec_env", "simulator", "isaacgym", "physics", "ppo", "schedulers"},
        *BOTTOM,
    },
    "tasks": {"envs", *BOTTOM},
    "tracking": set(BOTTOM),
    "cli": {
        *{"tracking", "isaacgymenvs", "ppo", "schedulers", "tasks", "envs", "vec_env"},
        *{"isaacgym", "physics", "simulator"},
        *BOTTOM,
    },
}

# Outside packages that a layer must do without. `isaacgym` is the name that may be NVIDIA's.
SIMULATORS = {"isaacgym", "mujoco", "mjbatch", "mujoco_warp", "warp"}
FORBIDDEN = {
    "schedulers": SIMULATORS | {"hydra", "omegaconf", "wandb", "rich", "numpy"},
    "vec_env": SIMULATORS,
    "ppo": SIMULATORS | {"hydra", "omegaconf", "wandb", "rich"},
    "adapters": SIMULATORS | {"hydra", "omegaconf", "wandb", "rich"},
    "physics": {"isaacgym", "hydra", "omegaconf", "wandb", "rich"},
    "isaacgym": {"isaacgym", "hydra", "omegaconf", "wandb", "rich"},
    "compat": SIMULATORS | {"hydra", "omegaconf", "wandb", "rich"},
    "envs": {"mujoco", "mjbatch", "mujoco_warp", "warp", "hydra", "wandb", "rich"},
    "isaacgymenvs": {"mujoco", "mjbatch", "mujoco_warp", "warp", "wandb", "rich"},
    "tasks": {"mujoco", "mjbatch", "mujoco_warp", "warp", "hydra", "omegaconf", "wandb", "rich"},
    "tracking": SIMULATORS | {"torch", "hydra", "omegaconf"},
}

# It stands beside the interface for its short name, and nothing there imports it.
OF_ANOTHER_LAYER = {Path("rofunc_isaac/isaacgym/install.py"): "compat"}

SOURCES = sorted(
    path.relative_to(ROOT)
    for folder in (PACKAGE, PACKAGE / "tasks", PACKAGE / "cfg")
    for path in folder.rglob("*.py")
)
ENTRY_POINTS = [Path("train.py"), Path("play.py")]


def _layer(path: Path) -> str:
    """`rofunc_isaac/ppo/gae.py` belongs to ppo, `rofunc_isaac/errors.py` to errors."""
    return OF_ANOTHER_LAYER.get(path, path.parts[1].removesuffix(".py"))


def _imports(tree: ast.AST) -> set[str]:
    """Full names of all modules that are imported anywhere in the file, also inside functions."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            module = node.module or ""
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def _breaches(path: Path, source: str) -> list[str]:
    layer = _layer(path)
    found = []
    for name in _imports(ast.parse(source)):
        first, _, rest = name.partition(".")
        if first == "rofunc_isaac":
            other = rest.partition(".")[0]
            if other in ALLOWED and other != layer and other not in ALLOWED[layer]:
                found.append(f"{path}: {layer} must not import {name}")
        elif first in FORBIDDEN.get(layer, ()):
            found.append(f"{path}: {layer} must not import {name}")
        elif first in ("tasks", "cfg"):
            found.append(f"{path}: import rofunc_isaac.{first} instead of {name}")
    return found


@pytest.mark.parametrize("path", [p for p in SOURCES if len(p.parts) > 1], ids=str)
def test_imports_point_down(path: Path) -> None:
    if path == Path("rofunc_isaac/__init__.py"):
        return  # it offers names of every layer, and loads them on first use: tested below
    assert _layer(path) in ALLOWED, f"add {_layer(path)} to ALLOWED"
    assert _breaches(path, (ROOT / path).read_text()) == []


def test_breaches_are_found() -> None:
    upward = "def f():\n    from rofunc_isaac.envs.vec_task import VecTask"
    assert len(_breaches(Path("rofunc_isaac/physics/batch.py"), upward)) == 1
    assert len(_breaches(Path("rofunc_isaac/ppo/learner.py"), "import mujoco.viewer")) == 1
    assert len(_breaches(Path("rofunc_isaac/cli/train.py"), "from tasks import ant")) == 1
    assert _breaches(Path("rofunc_isaac/cli/train.py"), upward) == []


def test_package_inits_import_nothing_of_the_project() -> None:
    for path in SOURCES:
        if path.name == "__init__.py":
            tree = ast.parse((ROOT / path).read_text())
            at_import = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
            names = {name for node in at_import for name in _imports(node)}
            assert not any(n.startswith(("rofunc_isaac", "torch")) for n in names), path


@pytest.mark.parametrize("path", SOURCES + ENTRY_POINTS, ids=str)
def test_parses_on_python_3_8(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(), feature_version=(3, 8))
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if path not in ENTRY_POINTS and any(isinstance(node, definitions) for node in tree.body):
        assert "__future__.annotations" in _imports(tree), "annotations are evaluated on 3.8"


def test_files_name_no_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    folders = ["/work/" + "main", "/work/" + "shared", "/root/" + ".", "/opt/" + "pypi"]
    hosts = ["pypi" + ".org", "python" + "hosted"]
    pattern = re.compile("|".join(re.escape(word) for word in folders + hosts))
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            text = path.read_text(errors="replace")
            found += [f"{name}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []
