"""Calls without tensors in environments that hold other things, of models of their own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.physics.grouped_batch import GroupedBatch
from tests.isaacgym.test_differing_envs import BALL, DUMBBELL

ALL = gymapi.STATE_ALL
MASSES = (1.5, 1.6, 1.5)  # ball, dumbbell, ball


@pytest.fixture
def things(new_world):
    """A thing and an arm in each of three environments, on the ground; the second differs."""
    world = new_world(ground=1.0)
    ball, dumbbell = world.asset(BALL), world.asset(DUMBBELL)
    arm = world.asset("arm", fixed=True)
    for asset in (ball, dumbbell, ball):
        world.add_env()
        world.add_actor(asset, (2.0, 0.0, 0.15))
        world.add_actor(arm, (0.0, 0.0, 1.0), name="arm")
    world.prepare(bodies=True)
    assert isinstance(world.sim.batch, GroupedBatch)
    return world


def test_states_of_bodies_and_dofs(each_engine, things):
    world, gym = things, things.gym
    for index, env in enumerate(world.envs):
        dofs = np.array([(0.1 * index, 1.0 + index)], gymapi.DofState.dtype)
        gym.set_actor_dof_states(env, 1, dofs, ALL)
    states = gym.get_actor_rigid_body_states(world.envs[1], 0, ALL)
    states["vel"]["linear"]["y"], states["vel"]["angular"]["z"] = 0.5, 2.0
    gym.set_actor_rigid_body_states(world.envs[1], 0, states, ALL)
    saved = np.copy(gym.get_sim_rigid_body_states(world.sim, ALL))
    world.step(5)
    found = gym.get_sim_rigid_body_states(world.sim, ALL).view(np.float32).reshape(9, 13)
    torch.testing.assert_close(torch.as_tensor(found), world.body.view(9, 13), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(world.dof[:, 0, 1], torch.tensor([1.0, 2.0, 3.0]))
    gym.set_sim_rigid_body_states(world.sim, saved, ALL)
    world.refresh()
    torch.testing.assert_close(world.dof[:, 0, 0], torch.tensor([0.0, 0.1, 0.2]))
    assert float(world.root[1, 0, 8]) == pytest.approx(0.5)


def test_contacts(each_engine, things):
    things.step(200)
    for env, mass in zip(things.envs, MASSES, strict=True):
        contacts = things.gym.get_env_rigid_contacts(env)
        assert set(contacts["body0"]) == {0}
        assert contacts["lambda"].sum() == pytest.approx(10.0 * mass, rel=2e-2)
    net = things.gym.get_rigid_contact_forces(things.sim)["z"]
    expected = [value for mass in MASSES for value in (10.0 * mass, 0.0, 0.0)]
    np.testing.assert_allclose(net, expected, atol=0.4)
