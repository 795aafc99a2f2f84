"""Jacobians and mass matrices against closed forms, MuJoCo's own, and finite differences."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError

pytestmark = pytest.mark.usefixtures("each_engine")

REST = (0.0, 0.0, 0.0)

# Two links of 1 m in the plane of x and y, of 2 and 3 kg, each a ball at its middle.
TWO_LINKS = """
<mujoco><worldbody><body name="base"><body name="upper">
  <joint name="shoulder" axis="0 0 1"/>
  <geom type="sphere" size="0.1" pos="0.5 0 0" mass="2" contype="0" conaffinity="0"/>
  <body name="lower" pos="1 0 0"><joint name="elbow" axis="0 0 1"/>
    <geom type="sphere" size="0.1" pos="0.5 0 0" mass="3" contype="0" conaffinity="0"/>
</body></body></body></worldbody></mujoco>"""
BALL = [0.4 * mass * 0.1**2 for mass in (2.0, 3.0)]


def acquire(world, name="actor"):
    gym, sim = world.gym, world.sim
    jacobian = gymtorch.wrap_tensor(gym.acquire_jacobian_tensor(sim, name))
    matrix = gymtorch.wrap_tensor(gym.acquire_mass_matrix_tensor(sim, name))
    return jacobian, matrix


def refresh(world):
    world.gym.refresh_jacobian_tensors(world.sim)
    world.gym.refresh_mass_matrix_tensors(world.sim)


def test_a_planar_arm(each_engine, one_robot):
    world = one_robot(TWO_LINKS, fixed=True, envs=2, gravity=REST, dof={"armature": [0.1, 0.2]})
    jacobian, matrix = acquire(world)
    assert tuple(jacobian.shape) == (2, 2, 6, 2)
    assert tuple(matrix.shape) == (2, 2, 2)
    angles = torch.tensor([[0.3, 0.0], [-0.4, 1.1]])
    world.set_dof(torch.stack([angles, torch.zeros(2, 2)], dim=-1))
    world.step(1)
    refresh(world)
    for env, (first, second) in enumerate(angles.tolist()):
        both = first + second
        upper = [-0.5 * math.sin(first), 0.5 * math.cos(first)]
        lower = [-0.5 * math.sin(both), 0.5 * math.cos(both)]
        expected = torch.zeros(2, 6, 2)
        expected[0, 0:2, 0] = torch.tensor(upper)
        expected[1, 0:2, 0] = torch.tensor(upper) * 2 + torch.tensor(lower)
        expected[1, 0:2, 1] = torch.tensor(lower)
        expected[0, 5, 0] = expected[1, 5, 0] = expected[1, 5, 1] = 1.0
        torch.testing.assert_close(jacobian[env], expected, atol=1e-5, rtol=1e-4)
        # The textbook's two link arm (Spong, Hutchinson, Vidyasagar: Robot Modeling and Control).
        elbow = 3.0 * (0.25 + 0.5 * math.cos(second)) + BALL[1]
        shoulder = 2.0 * 0.25 + 3.0 * (1.25 + math.cos(second)) + sum(BALL)
        expected = torch.tensor([[shoulder + 0.1, elbow], [elbow, 3.0 * 0.25 + BALL[1] + 0.2]])
        torch.testing.assert_close(matrix[env], expected, atol=1e-5, rtol=1e-4)


TILTED = """
<mujoco><worldbody><body name="torso">
  <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.05" mass="4" contype="0" conaffinity="0"/>
  <body name="arm" pos="0.2 0 0.1" euler="20 30 40">
    <joint name="yaw" axis="0 0 1" pos="0 0.1 0"/><joint name="pitch" axis="0 1 0.3"/>
    <geom type="box" size="0.05 0.1 0.2" pos="0 0.1 0.2" euler="10 0 50" mass="2" contype="0"
      conaffinity="0"/>
    <body name="hand" pos="0 0 0.4"><joint name="reach" type="slide" axis="1 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.2 0.1 0" mass="1" contype="0"
        conaffinity="0"/></body></body>
  <body name="leg" pos="-0.2 0 0"><joint name="leg" axis="1 0 0"/>
    <geom type="sphere" size="0.1" pos="0 0 -0.2" mass="1" contype="0" conaffinity="0"/></body>
</body></worldbody></mujoco>"""


def test_a_floating_robot_as_mujoco_has_it(each_engine, one_robot):
    world = one_robot(TILTED, envs=2, gravity=REST, bodies=True)
    jacobian, matrix = acquire(world)
    assert tuple(jacobian.shape) == (2, 4, 6, 10)
    generator = torch.Generator().manual_seed(3)
    state = torch.zeros(2, 1, 13)
    state[..., 0:3] = torch.randn(2, 1, 3, generator=generator)
    state[..., 3:7] = torch.nn.functional.normalize(
        torch.randn(2, 1, 4, generator=generator), dim=2
    )
    world.set_root(state)
    dof = torch.zeros(2, 4, 2)
    dof[..., 0] = torch.randn(2, 4, generator=generator)
    world.set_dof(dof)
    world.step(1)
    refresh(world)

    model = world.sim.batch.model
    data, full = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    for env in range(2):
        data.qpos[:] = world.sim.batch.view("qpos")[env].numpy()
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        np.testing.assert_allclose(matrix[env].numpy(), full[6:, 6:], atol=2e-5, rtol=1e-4)
        for link in range(4):
            linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBodyCom(model, data, linear, angular, link + 1)
            expected = np.concatenate([linear, angular])[:, 6:]
            found = jacobian[env, link, :, 6:].numpy()
            np.testing.assert_allclose(found, expected, atol=2e-5, rtol=1e-4)


def test_a_jacobian_times_the_velocities_is_the_links_velocity(one_robot):
    """Root and DOF states on the one side, body states on the other."""
    world = one_robot(TILTED, gravity=REST, dt=0.001, bodies=True)
    jacobian, _ = acquire(world)
    state = torch.zeros(1, 1, 13)
    state[..., 3:7] = torch.tensor([0.1, 0.5, -0.3, math.sqrt(1 - 0.35)])
    state[..., 7:13] = torch.tensor([1.0, -2.0, 0.5, 0.3, -0.8, 1.2])
    world.set_root(state)
    world.set_dof(torch.tensor([[[0.3, 1.0], [-0.4, 2.0], [0.1, -0.5], [0.8, 0.7]]]))
    world.step(1)
    refresh(world)
    velocities = torch.cat([world.root[0, 0, 7:13], world.dof[0, :, 1]])
    torch.testing.assert_close(
        jacobian[0] @ velocities, world.body[0, :, 7:13], atol=1e-4, rtol=1e-4
    )


def test_only_the_named_actor_counts(new_world):
    world = new_world(gravity=REST)
    walker, arm = world.asset("walker"), world.asset(TWO_LINKS, fixed=True)
    for _ in range(2):
        world.add_env()
        world.add_actor(walker, (0.0, 0.0, 5.0), name="walker")
        world.add_actor(arm, name="arm")
    world.prepare()
    with pytest.raises(GymError, match="no actor is called 'arms'.*walker, arm; did you mean arm"):
        world.gym.acquire_jacobian_tensor(world.sim, "arms")
    jacobian, matrix = acquire(world, "arm")
    world.set_dof(torch.tensor([[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.0, 0.0]]] * 2))
    world.step(1)
    refresh(world)
    assert tuple(jacobian.shape) == (2, 2, 6, 2)
    torch.testing.assert_close(jacobian[1, 0, 0:2, 0], 0.5 * torch.tensor([-0.29552, 0.95534]))
    assert float(matrix[1, 1, 1]) == pytest.approx(0.75 + BALL[1], rel=1e-4)


def test_masses_of_an_environment_and_drives_show_as_they_were_set(new_world):
    """A drive's implicit part is no armature of the joint's."""
    world = new_world(gravity=REST)
    asset = world.asset(TWO_LINKS, fixed=True)
    for env in range(2):
        world.add_env()
        world.add_actor(asset)
        world.set_dof_properties(env, driveMode=gymapi.DOF_MODE_POS, stiffness=1e4, damping=100.0)
    bodies = world.gym.get_actor_rigid_body_properties(world.envs[1], 0)
    bodies[2].mass = 6.0
    world.gym.set_actor_rigid_body_properties(world.envs[1], 0, bodies, True)
    world.prepare()
    _, matrix = acquire(world)
    world.step(1)
    refresh(world)
    expected = torch.tensor([0.75 + BALL[1], 1.5 + 2 * BALL[1]])
    torch.testing.assert_close(matrix[:, 1, 1], expected, atol=1e-5, rtol=1e-4)


def test_robots_without_dofs(one_robot):
    world = one_robot("brick", bodies=True)
    jacobian, matrix = acquire(world)
    world.step(1)
    refresh(world)
    assert torch.equal(jacobian[0, 0], torch.eye(6))
    assert tuple(matrix.shape) == (1, 0, 0)
