"""Helpers around `gymapi`: arguments, configurations, line drawings, randomised properties."""

from __future__ import annotations

import argparse
import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple
from xml.etree.ElementTree import Element

import torch

from rofunc_isaac.isaacgym._constants import SIM_FLEX, SIM_PHYSX
from rofunc_isaac.isaacgym._lines import (
    AxesGeometry,
    LineGeometry,
    WireframeBBoxGeometry,
    WireframeBoxGeometry,
    WireframeSphereGeometry,
    draw_line,
    draw_lines,
)
from rofunc_isaac.isaacgym._math import Vec3
from rofunc_isaac.isaacgym._params import SimParams
from rofunc_isaac.isaacgym._randomization import (
    apply_random_samples,
    check_buckets,
    generate_random_samples,
    get_default_setter_args,
    get_property_getter_map,
    get_property_setter_map,
)

__all__ = [
    "AxesGeometry",
    "LineGeometry",
    "WireframeBBoxGeometry",
    "WireframeBoxGeometry",
    "WireframeSphereGeometry",
    "apply_random_samples",
    "check_buckets",
    "draw_line",
    "draw_lines",
    "generate_random_samples",
    "get_default_setter_args",
    "get_property_getter_map",
    "get_property_setter_map",
    "parse_arguments",
    "parse_device_str",
    "parse_sim_config",
]


def parse_device_str(device_str: str) -> Tuple[str, int]:
    """("cuda", 1) of "cuda:1"; a bare "cuda" or "cpu" has index 0.

    Raises ValueError for anything else.
    """
    kind, colon, index = device_str.partition(":")
    if kind not in ("cpu", "cuda") or (colon and not index.isdigit()):
        raise ValueError(f'"{device_str}" is not a device; use "cpu", "cuda" or "cuda:<index>"')
    return kind, int(index or 0)


def parse_arguments(
    description: str = "Isaac Gym program",
    headless: bool = False,
    no_graphics: bool = False,
    custom_parameters: Optional[List[Dict[str, Any]]] = None,
) -> argparse.Namespace:
    """Parse the command line that Isaac Gym programs share, and the program's own parameters.

    ``headless`` and ``no_graphics`` add a ``--headless`` and a ``--nographics`` flag (the second
    implies the first). Each of ``custom_parameters`` is a dict with a "name" and optionally "help",
    "type", "default", "action", "choices" and whatever else ``argparse`` takes.

    The result has sim_device ("cuda:0"), sim_device_type ("cuda"), compute_device_id,
    graphics_device_id, pipeline ("cpu" or "gpu"), use_gpu, use_gpu_pipeline, physics_engine (a
    SimType), physx, flex, num_threads, subscenes, slices (the subscenes unless given), and the
    custom parameters by name. The default device is "cuda:0", or "cpu" where torch sees no CUDA
    device; the default pipeline follows the device. A GPU pipeline without a GPU simulation warns
    and becomes a CPU pipeline. Wrong arguments end the program with a message, as ``argparse``
    does.
    """
    parser = argparse.ArgumentParser(description=description)
    if headless:
        parser.add_argument("--headless", action="store_true", help="open no viewer")
    if no_graphics:
        parser.add_argument("--nographics", action="store_true", help="no viewer, no cameras")
    parser.add_argument(
        "--sim_device", type=str, help='device of the physics: "cpu", "cuda" or "cuda:<index>"'
    )
    parser.add_argument("--pipeline", type=str, help='device of the tensors: "cpu" or "gpu"')
    parser.add_argument(
        "--graphics_device_id", type=int, default=0, help="index of the GPU to draw"
    )
    engines = parser.add_mutually_exclusive_group()
    engines.add_argument("--flex", action="store_true", help="ask for FleX")
    engines.add_argument("--physx", action="store_true", help="ask for PhysX (the default)")
    parser.add_argument("--num_threads", type=int, default=0, help="CPU threads of the physics")
    parser.add_argument("--subscenes", type=int, default=0, help="scenes to simulate in parallel")
    parser.add_argument("--slices", type=int, help="client threads that process envs")
    for parameter in custom_parameters or []:
        options = dict(parameter)
        if "name" not in options:
            raise ValueError(f"a custom parameter needs a name: {parameter}")
        parser.add_argument(options.pop("name"), **options)

    args = parser.parse_args()
    if no_graphics and args.nographics:
        args.headless = True
    if args.slices is None:
        args.slices = args.subscenes
    args.physics_engine = SIM_FLEX if args.flex else SIM_PHYSX
    try:
        _settle_devices(args)
    except ValueError as error:
        parser.error(str(error))
    return args


def _settle_devices(args: argparse.Namespace) -> None:
    """Fill in the device and pipeline attributes. Raises ValueError for unknown names."""
    if args.sim_device is None:
        args.sim_device = "cuda:0" if torch.cuda.is_available() else "cpu"
    args.sim_device_type, args.compute_device_id = parse_device_str(args.sim_device)
    args.use_gpu = args.sim_device_type == "cuda"
    gpu_pipeline_possible = args.use_gpu and not args.flex
    if args.pipeline is None:
        args.pipeline = "gpu" if gpu_pipeline_possible else "cpu"
    args.pipeline = args.pipeline.lower()
    if args.pipeline not in ("cpu", "gpu", "cuda"):
        raise ValueError(f'--pipeline {args.pipeline} is neither "cpu" nor "gpu"')
    if args.pipeline != "cpu" and not gpu_pipeline_possible:
        reason = "FleX has none" if args.flex else f"the physics runs on {args.sim_device}"
        warnings.warn(f"no GPU pipeline: {reason}; using the CPU pipeline", stacklevel=3)
        args.pipeline = "cpu"
    args.use_gpu_pipeline = args.pipeline != "cpu"


def parse_sim_config(sim_cfg: Mapping[str, Any], sim_params: SimParams) -> None:
    """Write a configuration into ``sim_params``: the attributes by name, ``gravity`` as three
    numbers, ``up_axis`` as "y", "z" or a number, ``physx`` and ``flex`` as mappings of their own.

    A key that ``SimParams`` does not have warns and is left out, since configurations often carry
    other settings beside these; one that ``physx`` or ``flex`` does not have raises AttributeError.
    """
    for key, value in sim_cfg.items():
        if key in ("physx", "flex"):
            for name, setting in value.items():
                setattr(getattr(sim_params, key), name, setting)
        elif key == "gravity":
            sim_params.gravity = value if isinstance(value, Vec3) else Vec3(*value)
        elif key == "up_axis" and isinstance(value, str):
            if value.lower() not in ("y", "z"):
                raise ValueError(f'up_axis "{value}" is neither "y" nor "z"')
            sim_params.up_axis = "yz".index(value.lower())
        elif key in SimParams.fields():
            setattr(sim_params, key, value)
        else:
            known = ", ".join(SimParams.fields())
            warnings.warn(f"{key!r} is not a simulation parameter: {known}", stacklevel=2)


def _indent_xml(element: Element, level: int = 0) -> None:
    """Indent an XML tree in place, two spaces a level. Tasks that write MJCF files call this."""
    inner = "\n" + "  " * (level + 1)
    outer = "\n" + "  " * level
    if len(element):
        element.text = (element.text or "").strip() or inner
        for child in element:
            _indent_xml(child, level + 1)
            child.tail = inner
        element[-1].tail = outer
