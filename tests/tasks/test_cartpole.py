"""Cartpole against the published facts of its namesake and closed forms of a cart with a pole."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import rofunc_isaac

CART_AND_POLE, POLE, CENTRE = 2.0, 1.0, 0.47
"""kg, kg, and metres from the hinge to the pole's centre."""
POLE_INERTIA = (0.06**2 + 1.0**2) / 12.0
"""Of a box of 1 kg about its centre, across the hinge's axis."""


@pytest.fixture
def cartpole():
    def build(num_envs=1, **overrides):
        overrides = {"sim.num_threads": 1, **overrides}
        env = rofunc_isaac.make("Cartpole", num_envs, overrides=overrides)
        env.reset()
        return env

    return build


def put(env, states):
    """Set (cart position, cart velocity, pole angle, pole velocity) of every env."""
    states = torch.tensor(states, dtype=torch.float32)
    everywhere = torch.ones(env.num_envs, dtype=torch.bool)
    env.reset_state(everywhere, env.start_root_states, states.view(-1, 2))
    env.compute_observations()


def rewards(env):
    env.compute_reward()
    return env.reward_buf.tolist()


def test_the_observation_is_cart_and_pole(cartpole):
    env = cartpole(num_envs=2)
    assert (env.num_obs, env.num_actions, env.max_episode_length) == (4, 1, 500)
    put(env, [[0.1, 0.2, 0.3, 0.4], [-1.0, -2.0, -0.5, 3.0]])
    torch.testing.assert_close(
        env.obs_buf, torch.tensor([[0.1, 0.2, 0.3, 0.4], [-1.0, -2.0, -0.5, 3.0]])
    )


def test_observations_are_clamped_to_five(cartpole):
    env = cartpole()
    put(env, [[0.0, 9.0, 0.0, -20.0]])
    result = env.step(torch.zeros(1, 1))
    assert result.obs[0, 1] == 5.0
    assert result.obs[0, 3] == -5.0


def test_the_reward_is_the_published_one(cartpole):
    env = cartpole(num_envs=4)
    states = [
        [0.0, 0.0, 0.0, 0.0],
        [2.9, 1.0, 0.5, 2.0],
        [-2.9, -1.0, -0.5, -2.0],
        [0.0, 0.0, 1.5, 0.0],
    ]
    put(env, states)
    expected = [1.0 - a * a - 0.01 * abs(v) - 0.005 * abs(w) for _, v, a, w in states]
    assert rewards(env) == pytest.approx(expected, rel=1e-5)
    assert expected[1] == pytest.approx(1.0 - 0.25 - 0.01 - 0.01)
    assert not env.terminated_buf.any()


def test_leaving_the_rail_or_falling_ends_it_with_minus_two(cartpole):
    env = cartpole(num_envs=5)
    just_over = math.pi / 2 + 1e-3
    put(
        env,
        [[3.01, 0, 0, 0], [-3.01, 0, 0, 0], [0, 0, just_over, 0], [0, 0, -just_over, 0], [0] * 4],
    )
    assert rewards(env) == [-2.0, -2.0, -2.0, -2.0, 1.0]
    assert env.terminated_buf.tolist() == [True, True, True, True, False]


def test_an_episode_starts_within_the_published_ranges(cartpole):
    env = cartpole(num_envs=2000)
    obs = env.reset().double()
    bounds = torch.tensor([0.1, 0.25, 0.1, 0.25], dtype=torch.float64)
    assert (obs.abs() <= bounds).all()
    # Uniform, and each number drawn for itself.
    torch.testing.assert_close(obs.std(0), bounds / math.sqrt(3), rtol=0.05, atol=0)
    assert (torch.corrcoef(obs.T) - torch.eye(4)).abs().max() < 0.1


def test_masses_inertia_and_limits_are_the_published_ones(cartpole):
    model = cartpole().sim.batch.model
    assert model.nv == 2
    moving = [model.body(model.jnt_bodyid[joint]) for joint in range(2)]
    assert [float(body.mass[0]) for body in moving] == [1.0, 1.0]
    pole = moving[1]
    assert pole.ipos == pytest.approx([0.0, 0.0, CENTRE])
    assert pole.pos == pytest.approx([0.12, 0.0, 0.0])
    assert sorted(pole.inertia) == pytest.approx(
        sorted([POLE_INERTIA, (0.04**2 + 1.0) / 12.0, (0.04**2 + 0.06**2) / 12.0])
    )
    assert model.jnt_range[0].tolist() == [-4.0, 4.0]
    assert list(model.jnt_limited) == [1, 0]
    # The joints have none; the pole has Isaac Gym's angular damping of 0.5 / s.
    assert np.asarray(model.dof_damping) == pytest.approx([0.0, 0.5 * POLE_INERTIA])
    assert np.asarray(model.dof_armature) == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(("action", "scale"), [(1.0, 400.0), (-0.25, 400.0), (1.0, 10.0)])
def test_an_action_pushes_with_max_effort(cartpole, action, scale):
    env = cartpole(**{"env.max_effort": scale, "sim.dt": 1e-4, "sim.substeps": 1})
    put(env, [[0.0] * 4])
    env.step(torch.tensor([[action]]))
    # Equations of motion of the upright pole: M (x'', theta'') = (force, 0). A positive turn
    # about x moves the pole's top towards -y.
    coupling = -POLE * CENTRE
    matrix = np.array([[CART_AND_POLE, coupling], [coupling, POLE_INERTIA + POLE * CENTRE**2]])
    acceleration = np.linalg.solve(matrix, [action * scale, 0.0])
    assert env.dof_vel[0].numpy() == pytest.approx(acceleration * 1e-4, rel=1e-3)


def test_a_pole_left_alone_falls_as_a_pendulum_does(cartpole):
    """Energy is conserved, but for what the pole's damping of 0.5 / s takes."""
    env = cartpole(**{"sim.dt": 1e-3, "sim.substeps": 1})
    put(env, [[0.0, 0.0, 0.3, 0.0]])
    lost = 0.0
    for _ in range(400):
        env.step(torch.zeros(1, 1))
        lost += 0.5 * POLE_INERTIA * float(env.dof_vel[0, 1]) ** 2 * 1e-3
    (x, angle), (v, w) = env.dof_pos[0].tolist(), env.dof_vel[0].tolist()
    assert angle > 0.9  # it fell to the side that it leant to
    kinetic = 0.5 * CART_AND_POLE * v * v + 0.5 * (POLE_INERTIA + POLE * CENTRE**2) * w * w
    kinetic -= POLE * CENTRE * math.cos(angle) * v * w
    dropped = POLE * 9.81 * CENTRE * (math.cos(0.3) - math.cos(angle))
    assert kinetic + lost == pytest.approx(dropped, rel=0.02)
    # Nothing pushes along the rail: the centre of mass stays.
    centre = x - 0.5 * CENTRE * math.sin(angle)
    assert centre == pytest.approx(-0.5 * CENTRE * math.sin(0.3), abs=1e-3)
