"""Versions, clocks, and calls that stand for others."""

from __future__ import annotations

import time

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError


def test_version():
    version = gymapi.acquire_gym().get_version()
    assert isinstance(version, gymapi.Version)
    assert (version.major, version.minor) == (1, 0)
    assert gymapi.carb_init() is True


def test_elapsed_time(one_robot):
    world = one_robot("box")
    before = world.gym.get_elapsed_time(world.sim)
    time.sleep(0.05)
    assert 0.05 <= world.gym.get_elapsed_time(world.sim) - before < 5.0


def test_timers_count_since_they_were_asked(one_robot):
    world = one_robot("box")
    gym, sim = world.gym, world.sim
    first, second = (gym.create_performance_timers(sim) for _ in range(2))
    begin = time.perf_counter()
    world.step(50)
    taken = time.perf_counter() - begin
    found = gym.get_performance_timers(sim, first)
    assert isinstance(found, gymapi.PerformanceTimers)
    assert 0.0 < found.physics_sim < taken
    assert found.total_time == pytest.approx(found.physics_sim)
    assert gym.get_performance_timers(sim, first).physics_sim == 0.0
    assert gym.get_performance_timers(sim, second).physics_sim == pytest.approx(found.physics_sim)
    gym.destroy_performance_timers(sim, second)
    with pytest.raises(GymError, match="there are no timers 2; create_performance_timers made 2"):
        gym.get_performance_timers(sim, 2)


@pytest.mark.parametrize("call", ["load_mjcf", "load_asset"])
def test_files_are_loaded_by_either_name(new_world, call):
    world = new_world()
    (world.folder / "robot.xml").write_text(
        "<mujoco><worldbody><body name='b'><geom size='0.1'/></body></worldbody></mujoco>"
    )
    asset = getattr(world.gym, call)(world.sim, str(world.folder), "robot.xml")
    assert world.gym.get_asset_rigid_body_names(asset) == ["b"]


def test_a_urdf_is_loaded_by_its_own_call(new_world):
    world = new_world()
    inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    link = f"<link name='l'><inertial><mass value='1'/>{inertia}</inertial></link>"
    (world.folder / "robot.urdf").write_text(f"<robot name='r'>{link}</robot>")
    asset = world.gym.load_urdf(world.sim, str(world.folder), "robot.urdf", gymapi.AssetOptions())
    assert world.gym.get_asset_rigid_body_names(asset) == ["l"]


def test_calls_without_effect_here(one_robot):
    world = one_robot("box")
    world.gym.set_sim_device(world.sim)
    assert world.gym.create_aggregate(world.envs[0], [0])


@pytest.mark.parametrize(
    "call", ["get_viewer_camera_handle", "get_viewer_mouse_position", "get_viewer_size"]
)
def test_what_a_viewer_alone_knows_is_refused(call):
    with pytest.raises(GymError, match=f"{call}: this version has no viewer"):
        getattr(gymapi.acquire_gym(), call)(None)
