"""Creating simulations, their parameters, and the order of calls."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.gym import Gym, MissingCallError
from rofunc_isaac.physics.errors import PhysicsError


def create(**values):
    params = gymapi.SimParams()
    for name, value in values.items():
        setattr(params, name, value)
    return gymapi.acquire_gym().create_sim(0, -1, gymapi.SIM_PHYSX, params)


@pytest.mark.parametrize("values", [{"dt": 0.0}, {"dt": -0.01}, {"substeps": 0}])
def test_times_without_meaning_are_refused(values):
    with pytest.raises(GymError, match="dt must be positive, in seconds, and substeps at least 1"):
        create(**values)


def test_flex_is_refused():
    with pytest.raises(GymError, match="only SIM_PHYSX is available"):
        gymapi.acquire_gym().create_sim(0, -1, gymapi.SIM_FLEX, gymapi.SimParams())


@pytest.mark.skipif(torch.cuda.is_available(), reason="the machine has CUDA")
def test_the_gpu_pipeline_without_a_gpu_is_refused():
    with pytest.raises(PhysicsError, match="sim_device=cuda:0 needs CUDA"):
        create(use_gpu_pipeline=True)


def test_a_simulation_has_its_own_copy_of_the_parameters():
    params = gymapi.SimParams()
    sim = gymapi.acquire_gym().create_sim(0, -1, gymapi.SIM_PHYSX, params)
    params.gravity.x = 5.0
    got = gymapi.acquire_gym().get_sim_params(sim)
    assert got.gravity.x == 0.0
    got.gravity.x = 5.0
    assert gymapi.acquire_gym().get_sim_params(sim).gravity.x == 0.0


def test_create_sim_has_isaac_gyms_defaults():
    sim = gymapi.acquire_gym().create_sim()
    params = gymapi.acquire_gym().get_sim_params(sim)
    assert (params.dt, params.substeps) == (pytest.approx(1 / 60), 2)


def test_there_is_no_viewer():
    with pytest.raises(GymError, match="no viewer"):
        gymapi.acquire_gym().create_viewer(create(), gymapi.CameraProperties())


def test_a_call_that_is_not_there_is_named():
    gym = gymapi.acquire_gym()
    with pytest.raises(MissingCallError, match=r"gym\.create_soft_body is not available"):
        gym.create_soft_body(None)
    assert not hasattr(gym, "create_soft_body")
    assert getattr(gym, "create_soft_body", None) is None


def test_python_looks_at_the_gym_object_undisturbed():
    gym = gymapi.acquire_gym()
    assert gym is gymapi.acquire_gym()
    assert not hasattr(gym, "__deepcopy__")
    assert isinstance(copy.deepcopy(gym), Gym)
    assert isinstance(pickle.loads(pickle.dumps(gym)), Gym)
    assert "simulate" in dir(gym)
    assert "Gym" in repr(gym)


def test_frames_and_time_are_counted(one_robot):
    world = one_robot("box", dt=0.02, substeps=4)
    world.step(3)
    assert world.gym.get_frame_count(world.sim) == 3
    assert world.gym.get_sim_time(world.sim) == pytest.approx(0.06)


def test_times_are_fixed_by_prepare_sim(new_world):
    world = new_world(dt=0.02)
    params = world.gym.get_sim_params(world.sim)
    params.dt = 0.01
    world.gym.set_sim_params(world.sim, params)
    world.add_env()
    world.add_actor(world.asset("box"))
    world.prepare().step(1)
    assert float(world.root[0, 0, 9]) == pytest.approx(-10.0 * 0.01)
    for name, value in (("dt", 0.02), ("substeps", 2)):
        changed = copy.deepcopy(params)
        setattr(changed, name, value)
        with pytest.raises(GymError, match="dt and substeps are fixed by prepare_sim"):
            world.gym.set_sim_params(world.sim, changed)


def test_times_without_meaning_are_refused_later_on_as_well(new_world):
    world = new_world()
    params = world.gym.get_sim_params(world.sim)
    params.dt = 0.0
    with pytest.raises(GymError, match="dt must be positive"):
        world.gym.set_sim_params(world.sim, params)


CALLS = {
    "refresh_actor_root_state_tensor": lambda gym, sim: gym.refresh_actor_root_state_tensor(sim),
    "refresh_dof_state_tensor": lambda gym, sim: gym.refresh_dof_state_tensor(sim),
    "refresh_dof_force_tensor": lambda gym, sim: gym.refresh_dof_force_tensor(sim),
    "refresh_force_sensor_tensor": lambda gym, sim: gym.refresh_force_sensor_tensor(sim),
    "set_dof_state_tensor": lambda gym, sim: gym.set_dof_state_tensor(
        sim, gym.acquire_dof_state_tensor(sim)
    ),
    "set_actor_root_state_tensor": lambda gym, sim: gym.set_actor_root_state_tensor(
        sim, gym.acquire_actor_root_state_tensor(sim)
    ),
    "set_dof_actuation_force_tensor": lambda gym, sim: gym.set_dof_actuation_force_tensor(
        sim, gymtorch.unwrap_tensor(torch.zeros(1))
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_needs_the_worlds_says_that_prepare_sim_is_missing(new_world, call):
    world = new_world()
    world.add_env()
    world.add_actor(world.asset("arm", fixed=True))
    with pytest.raises(GymError, match=f"{call} needs .* call prepare_sim before it"):
        CALLS[call](world.gym, world.sim)


def test_prepare_sim_happens_once(one_robot):
    world = one_robot("box")
    with pytest.raises(GymError, match="prepare_sim was called twice"):
        world.gym.prepare_sim(world.sim)


def test_tensors_outlive_their_simulation(one_robot):
    world = one_robot("box", pos=(0.0, 0.0, 3.0))
    world.gym.destroy_sim(world.sim)
    assert float(world.root[0, 0, 2]) == 3.0
    with pytest.raises(GymError, match="prepare_sim"):
        world.gym.simulate(world.sim)
