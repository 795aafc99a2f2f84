"""Building scenes: counts, names, indices, and what comes too late or does not fit."""

from __future__ import annotations

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError


@pytest.fixture
def pairs(new_world):
    """Three environments with a floating walker and a fixed arm each; not yet prepared."""
    world = new_world()
    walker, arm = world.asset("walker"), world.asset("arm", fixed=True)
    for _ in range(3):
        world.add_env()
        world.add_actor(walker, (0.0, 0.0, 5.0), name="walker")
        world.add_actor(arm, (0.0, 3.0, 5.0), name="arm")
    return world


def test_counts_of_environments_and_of_the_whole(pairs):
    gym, sim, env = pairs.gym, pairs.sim, pairs.envs[1]
    assert gym.get_env_count(sim) == 3
    assert gym.get_env(sim, 1) is env
    assert gym.get_actor_count(env) == 2
    assert (gym.get_env_dof_count(env), gym.get_sim_dof_count(sim)) == (3, 9)
    assert (gym.get_env_rigid_body_count(env), gym.get_sim_rigid_body_count(sim)) == (5, 15)
    assert gym.get_sim_actor_count(sim) == 6


def test_actors_are_found_by_name(pairs):
    gym, env = pairs.gym, pairs.envs[2]
    assert gym.find_actor_handle(env, "arm") == 1
    assert gym.find_actor_handle(env, "leg") == gymapi.INVALID_HANDLE
    assert gym.get_actor_name(env, 0) == "walker"
    assert [gym.get_actor_handle(env, index) for index in (-1, 0, 1, 2)] == [-1, 0, 1, -1]
    assert gym.get_actor_dof_names(env, 0) == ["left", "right"]
    assert gym.get_actor_dof_dict(env, 0) == {"left": 0, "right": 1}
    assert gym.get_actor_dof_count(env, 1) == 1
    assert gym.get_actor_rigid_body_names(env, 1) == ["base", "link"]
    assert gym.get_actor_rigid_body_dict(env, 1) == {"base": 0, "link": 1}
    assert gym.get_actor_rigid_body_count(env, 0) == 3
    assert gym.get_actor_rigid_shape_count(env, 0) == 3


def test_bodies_are_counted_over_an_environments_actors(pairs):
    gym, env = pairs.gym, pairs.envs[2]
    assert gym.find_actor_rigid_body_handle(env, 0, "right") == 2
    assert gym.find_actor_rigid_body_handle(env, 1, "link") == 4
    assert gym.find_actor_rigid_body_handle(env, 1, "right") == gymapi.INVALID_HANDLE


def test_global_indices_are_right_while_actors_are_created(new_world):
    world = new_world()
    box = world.asset("box")
    indices = []
    for _ in range(3):
        env = world.add_env()
        for _ in range(3):
            handle = world.add_actor(box)
            indices.append(world.gym.get_actor_index(env, handle, gymapi.DOMAIN_SIM))
    assert indices == list(range(9))


def test_origins_lie_on_a_grid_and_move_no_actor(new_world):
    world = new_world()
    box = world.asset("box")
    for _ in range(6):
        world.add_env()  # 2 m wide and deep, four a row
        world.add_actor(box, (0.0, 0.0, 1.0))
    world.prepare()
    origins = [world.gym.get_env_origin(env) for env in world.envs]
    assert [(origin.x, origin.y, origin.z) for origin in origins] == [
        (0, 0, 0),
        (2, 0, 0),
        (4, 0, 0),
        (6, 0, 0),
        (0, 2, 0),
        (2, 2, 0),
    ]
    assert world.root[..., 0:3].tolist() == [[[0.0, 0.0, 1.0]]] * 6


ACQUIRE = [
    "acquire_actor_root_state_tensor",
    "acquire_dof_state_tensor",
    "acquire_dof_force_tensor",
    "acquire_force_sensor_tensor",
]


@pytest.mark.parametrize("freeze", [*ACQUIRE, "prepare_sim"])
def test_what_adds_to_a_scene_comes_too_late_once_tensors_are_laid_out(pairs, freeze):
    gym, sim, env = pairs.gym, pairs.sim, pairs.envs[0]
    getattr(gym, freeze)(sim)
    with pytest.raises(GymError, match="create_env comes too late"):
        pairs.add_env()
    with pytest.raises(GymError, match="create_actor comes too late"):
        gym.create_actor(env, gym.get_actor_asset(env, 0), gymapi.Transform(), "late", 0, 0)
    with pytest.raises(GymError, match="add_ground comes too late"):
        gym.add_ground(sim, gymapi.PlaneParams())
    with pytest.raises(GymError, match="enable_actor_dof_force_sensors comes too late"):
        gym.enable_actor_dof_force_sensors(env, 0)


def test_a_scene_without_environments_is_refused(new_world):
    with pytest.raises(GymError, match="call create_env before prepare_sim"):
        new_world().prepare()


def test_an_environment_without_the_others_actor_is_refused(new_world):
    world = new_world()
    box = world.asset("box")
    world.add_env()
    world.add_actor(box)
    world.add_env()
    with pytest.raises(GymError, match="env 1 has 0 actors, 0 bodies.* env 0 has 1 actors, 1 bod"):
        world.prepare()


def test_environments_of_other_dofs_are_refused(new_world):
    world = new_world()
    for robot in ("cart", "box"):
        world.add_env()
        world.add_actor(world.asset(robot, fixed=True))
    with pytest.raises(GymError, match="1 bodies, 0 DOFs.* 2 bodies, 1 DOFs"):
        world.prepare()


def test_handles_of_no_actor_are_refused(pairs):
    for handle in (-1, 2):
        with pytest.raises(GymError, match=f"env 0 has no actor {handle}: it has 2 actors"):
            pairs.gym.get_actor_name(pairs.envs[0], handle)


def test_an_environment_prints_itself_alone(pairs):
    assert "scene=" not in repr(pairs.envs[0])  # which holds all other environments


def test_an_asset_prints_its_name(pairs):
    assert repr(pairs.gym.get_actor_asset(pairs.envs[0], 0)).startswith("SceneAsset('")
    assert len(repr(pairs.gym.get_actor_asset(pairs.envs[0], 0))) < 50
