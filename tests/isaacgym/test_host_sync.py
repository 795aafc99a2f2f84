"""Simulate, refresh and set without waiting for the device, as they must on CUDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.physics import engine
from rofunc_isaac.physics.capacity import Capacity
from tests.isaacgym.conftest import World
from tests.no_sync import NoSync

ENVS = 3


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Everything that can be acquired: a walker that floats, an arm that stands, drives, sensors.

    On MuJoCo Warp, whose code is the same on CUDA; the CPU engine may look at its results.
    """
    choice = engine.EngineChoice("mujoco_warp", Capacity(contacts=24, constraints=120))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_chosen", choice)
        yield build(World(tmp_path_factory.mktemp("robots"), substeps=2, ground=1.0))


def build(world: World) -> World:
    walker, rails = world.asset("walker"), world.asset("rails", fixed=True)
    world.gym.create_asset_force_sensor(walker, 1, gymapi.Transform())
    for _ in range(ENVS):
        env = world.add_env()
        world.add_actor(walker, (0.0, 0.0, 0.7), name="walker")
        world.add_actor(rails, (2.0, 0.0, 1.0), name="rails")
        world.gym.enable_actor_dof_force_sensors(env, 0)
    world.set_dof_properties(0, 0, driveMode=gymapi.DOF_MODE_POS, stiffness=20.0, damping=1.0)
    world.set_dof_properties(0, 1, driveMode=gymapi.DOF_MODE_VEL, damping=5.0)
    for actor in ("walker", "rails"):
        world.gym.acquire_jacobian_tensor(world.sim, actor)
        world.gym.acquire_mass_matrix_tensor(world.sim, actor)
    world.prepare(bodies=True, contacts=True)
    # From the second call on steps are captured, and what is first used is there.
    for _ in range(2):
        push(world, gymapi.LOCAL_SPACE)
        frame(world)
    return world


REFRESH = (
    *("actor_root_state_tensor", "dof_state_tensor", "dof_force_tensor", "force_sensor_tensor"),
    *("rigid_body_state_tensor", "net_contact_force_tensor"),
    *("jacobian_tensors", "mass_matrix_tensors"),
)


def frame(world: Any) -> None:
    """One frame, and every tensor of it."""
    world.gym.simulate(world.sim)
    world.gym.fetch_results(world.sim, True)
    for name in REFRESH:
        getattr(world.gym, f"refresh_{name}")(world.sim)
    world.gym.get_unstable_env_mask(world.sim)


def push(world: Any, space: Any) -> None:
    """Forces on every body, at its centre of mass and elsewhere."""
    force = handle(torch.ones_like(world.body[..., 0:3]), 3)
    world.gym.apply_rigid_body_force_tensors(world.sim, force, force, space)
    world.gym.apply_rigid_body_force_at_pos_tensors(world.sim, force, force, space)


def handle(tensor: torch.Tensor, width: int) -> Any:
    return gymtorch.unwrap_tensor(tensor.reshape(-1, width).contiguous())


def indexed(name: str) -> Callable[..., Any]:
    return lambda gym, sim, values, actors, mask: getattr(gym, name)(sim, values, actors, 2)


def plain(name: str) -> Callable[..., Any]:
    return lambda gym, sim, values, actors, mask: getattr(gym, name)(sim, values)


def masked(name: str) -> Callable[..., Any]:
    return lambda gym, sim, values, actors, mask: getattr(gym, name)(sim, values, mask)


STATES = ("set_actor_root_state_tensor", "set_dof_state_tensor")
CONTROLS = (
    *("set_dof_actuation_force_tensor", "set_dof_position_target_tensor"),
    "set_dof_velocity_target_tensor",
)
SETS: dict[str, Callable[..., Any]] = {
    **{name: plain(name) for name in (*STATES, *CONTROLS)},
    **{f"{name}_indexed": indexed(f"{name}_indexed") for name in (*STATES, *CONTROLS)},
    **{f"{name}_masked": masked(f"{name}_masked") for name in STATES},
}


@pytest.mark.parametrize("name", SETS)
def test_a_frame_with_a_set_waits_for_nothing(name: str, world: Any) -> None:
    if "root" in name:
        values = handle(world.root, 13)
    elif "dof_state" in name:
        values = handle(world.dof, 2)
    else:
        values = handle(torch.ones_like(world.dof[..., 0]), 1)
    actors = gymtorch.unwrap_tensor(torch.tensor([1, 2], dtype=torch.int32))
    mask = torch.tensor([True, False, True])
    with NoSync():
        SETS[name](world.gym, world.sim, values, actors, mask)
        frame(world)


@pytest.mark.parametrize("space", [gymapi.ENV_SPACE, gymapi.GLOBAL_SPACE, gymapi.LOCAL_SPACE])
def test_a_frame_with_body_forces_waits_for_nothing(space: Any, world: Any) -> None:
    with NoSync():
        push(world, space)
        frame(world)


THROUGH_THE_HOST = {"set_rigid_body_state_tensor"}
"""Isaac Gym has it for FleX alone."""


def test_these_are_all_the_calls_that_take_or_refresh_tensors() -> None:
    kinds = ("set_", "apply_", "refresh_")
    offered = {name for name in dir(gymapi.Gym) if "tensor" in name and name.startswith(kinds)}
    forces = {"apply_rigid_body_force_tensors", "apply_rigid_body_force_at_pos_tensors"}
    tested = {*SETS, *forces, *(f"refresh_{name}" for name in REFRESH)}
    assert offered - THROUGH_THE_HOST == tested
