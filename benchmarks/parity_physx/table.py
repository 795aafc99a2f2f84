"""Measurements of two engines as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.parity_physx.world import MakeWorld, Measured, Scene


def table(title: str, scenes: list[Scene], on_physx: MakeWorld, on_mujoco: MakeWorld) -> str:
    """One table: a row a measurement."""
    lines = [
        f"### {title}",
        "",
        "| Scene | unit | PhysX | MuJoCo | closed form |",
        "|---|---|---|---|---|",
    ]
    for scene in scenes:
        lines += rows(scene, scene(on_physx), scene(on_mujoco))
    return "\n".join(lines) + "\n"


def rows(scene: Scene, physx: list[Measured], mujoco: list[Measured]) -> Iterator[str]:
    yield f"| *{first_line(scene)}* | | | | |"
    for theirs, ours in zip(physx, mujoco):
        exact = "" if ours.exact is None else number(ours.exact)
        values = f"{number(theirs.value)} | {number(ours.value)} | {exact}"
        yield f"| {ours.what} | {ours.unit} | {values} |"


def first_line(scene: Scene) -> str:
    return (scene.__doc__ or "").strip().splitlines()[0]


def number(value: float) -> str:
    return f"{value:.4g}" if abs(value) >= 5e-5 else "0"
