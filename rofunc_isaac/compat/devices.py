"""Device arguments for scripts whose defaults are a CUDA device that this machine lacks."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import yaml

from rofunc_isaac.compat import syntax

DEVICES = ("sim_device", "rl_device")
"""The arguments that name a device; the others of a kind follow from these."""


@dataclass(frozen=True)
class ScriptKind:
    """One way in which scripts take their devices.

    Args:
        prefix: what stands before the name in an argument.
        on_cpu: the arguments for a machine without CUDA, by name; None for a flag without a value.
        defaults: from a script's syntax tree and folder to the defaults of the arguments that it
            takes, by name; None if it is of another kind.
    """

    prefix: str
    on_cpu: Mapping[str, Optional[str]]
    defaults: Callable[[ast.Module, Path], Optional[Mapping[str, Any]]]


def missing_devices(
    tree: ast.Module, folder: Path, given: Sequence[str], cuda_devices: int
) -> List[str]:
    """The arguments to add to `given` so that a script runs on the devices that there are.

    None are added for a script that takes no devices, whose own defaults exist, or that was given
    its devices.

    Args:
        tree: the script's syntax tree; folder: where it lies.
        given: its arguments.
        cuda_devices: how many CUDA devices there are.
    """
    for kind in KINDS:
        defaults = kind.defaults(tree, folder)
        if defaults is not None:
            break
    else:
        return []
    open_names = [name for name in kind.on_cpu if name in defaults and not _has(given, name, kind)]
    if not any(_is_missing(defaults[name], cuda_devices) for name in DEVICES if name in open_names):
        return []
    wanted = [
        name
        for name in open_names
        if name not in DEVICES or _is_missing(defaults[name], cuda_devices)
    ]
    return [_argument(kind, name) for name in wanted]


def hydra_defaults(tree: ast.Module, folder: Path) -> Optional[Mapping[str, Any]]:
    """The top level of the YAML file that a `@hydra.main` of the script names."""
    if "hydra" not in syntax.imported_packages(tree):
        return None
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and syntax.dotted(call.func) in ("hydra.main", "main"):
            named = {word.arg: syntax.text(word.value) for word in call.keywords}
            file = folder / (named.get("config_path") or "") / f"{named.get('config_name')}.yaml"
            if file.is_file():
                config = yaml.safe_load(file.read_text(encoding="utf-8"))
                return config if isinstance(config, dict) else {}
    return {}


def legged_gym_defaults(tree: ast.Module, folder: Path) -> Optional[Mapping[str, Any]]:
    """Scripts of legged_gym, and of projects that kept its name, parse in that package."""
    return PARSED if "legged_gym" in syntax.imported_packages(tree) else None


def argparse_defaults(tree: ast.Module, folder: Path) -> Optional[Mapping[str, Any]]:
    """The options that stand in the script itself.

    Those of `gymutil.parse_arguments` need nothing: its default is a device that exists.
    """
    texts = {syntax.text(node) for node in ast.walk(tree)}
    return {name: default for name, default in PARSED.items() if f"--{name}" in texts}


PARSED: Dict[str, Any] = {"sim_device": "cuda:0", "rl_device": "cuda:0", "headless": False}
"""What legged_gym and the programs of its time take, and their defaults."""

KINDS = (
    # IsaacGymEnvs and its descendants.
    ScriptKind(
        prefix="",
        on_cpu={
            "sim_device": "cpu:0",  # some tasks want a number
            "rl_device": "cpu",
            "pipeline": "cpu",
            "graphics_device_id": "-1",
            "headless": "True",
        },
        defaults=hydra_defaults,
    ),
    ScriptKind(
        prefix="--",
        on_cpu={"sim_device": "cpu", "rl_device": "cpu", "headless": None},
        defaults=legged_gym_defaults,
    ),
    ScriptKind(
        prefix="--",
        on_cpu={"sim_device": "cpu", "rl_device": "cpu"},
        defaults=argparse_defaults,
    ),
)
"""The first one that knows a script counts."""


def _argument(kind: ScriptKind, name: str) -> str:
    value = kind.on_cpu[name]
    return f"{kind.prefix}{name}" if value is None else f"{kind.prefix}{name}={value}"


def _has(given: Sequence[str], name: str, kind: ScriptKind) -> bool:
    """Whether the user gave the argument: Hydra's `+` and `++`, or argparse's abbreviations."""
    for argument in given:
        word = argument.partition("=")[0]
        if kind.prefix and len(word) > len(kind.prefix) and word.startswith(kind.prefix):
            if f"{kind.prefix}{name}".startswith(word):
                return True
        elif not kind.prefix and word.lstrip("+") == name:
            return True
    return False


def _is_missing(device: Any, cuda_devices: int) -> bool:
    kind, _, index = str(device).partition(":")
    return kind in ("cuda", "gpu") and int(index or 0) >= cuda_devices
