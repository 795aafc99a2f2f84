"""Ant against the published facts of its namesake, by formulas that are written anew here."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import rofunc_isaac

DT = 0.0166
JOINTS = ["hip_1", "ankle_1", "hip_2", "ankle_2", "hip_3", "ankle_3", "hip_4", "ankle_4"]
LOWER = np.radians([-40, 30, -40, -100, -40, -100, -40, 30])
UPPER = np.radians([40, 100, 40, -30, 40, -30, 40, 100])
REST = np.radians([0, 30, 0, -30, 0, -30, 0, 30])
"""Each joint at zero, or at the limit nearest to it."""
MIDDLE = (LOWER + UPPER) / 2


@pytest.fixture
def ant():
    def build(num_envs=1, **overrides):
        env = rofunc_isaac.make("Ant", num_envs, overrides={"sim.num_threads": 1, **overrides})
        env.reset()
        return env

    return build


def euler(roll, pitch, yaw):
    """Quaternion xyzw of turns about the fixed axes x, y, z, in this order."""
    a, b, c = roll / 2, pitch / 2, yaw / 2
    return [
        math.sin(a) * math.cos(b) * math.cos(c) - math.cos(a) * math.sin(b) * math.sin(c),
        math.cos(a) * math.sin(b) * math.cos(c) + math.sin(a) * math.cos(b) * math.sin(c),
        math.cos(a) * math.cos(b) * math.sin(c) - math.sin(a) * math.sin(b) * math.cos(c),
        math.cos(a) * math.cos(b) * math.cos(c) + math.sin(a) * math.sin(b) * math.sin(c),
    ]


def matrix(roll, pitch, yaw):
    """The rotation of `euler`, from its three factors."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def root(position=(0, 0, 1), angles=(0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0)):
    return [*position, *euler(*angles), *velocity, *spin]


def put(env, roots, dof_pos=MIDDLE, dof_vel=0.0, age=1):
    """Set every env's state and observe; `age` is the steps since the episode began."""
    dofs = np.stack(np.broadcast_arrays(dof_pos, dof_vel), axis=-1)
    dofs = np.broadcast_to(dofs, (env.num_envs, 8, 2)).reshape(-1, 2)
    everywhere = torch.ones(env.num_envs, dtype=torch.bool)
    roots = torch.tensor(roots, dtype=torch.float32).view(env.num_envs, 13)
    env.reset_state(everywhere, roots, torch.tensor(dofs, dtype=torch.float32))
    env.last_position.copy_(roots[:, 0:2])
    env.foot_forces.zero_()
    env.actions.zero_()
    env.progress_buf.fill_(age)
    env.compute_observations()
    return env.obs_buf.double().numpy()


def reward(env):
    env.compute_observations()
    env.compute_reward()
    return env.reward_buf.tolist()


def test_sizes(ant):
    env = ant(num_envs=3)
    assert (env.num_obs, env.num_actions, env.max_episode_length) == (60, 8, 1000)
    assert env.reset().shape == (3, 60)


# ---- the robot ----


def capsule(length, radius=0.08, density=5.0):
    """Mass, and moments of inertia along and across the axis about the centre."""
    cylinder = density * math.pi * radius**2 * length
    ball = density * 4 / 3 * math.pi * radius**3
    along = cylinder * radius**2 / 2 + ball * 2 / 5 * radius**2
    across = cylinder * (radius**2 / 4 + length**2 / 12) + ball * (
        2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * radius * length
    )
    return cylinder + ball, along, across


def test_masses_and_inertias_are_those_of_capsules_and_a_sphere(ant):
    model = ant().sim.batch.model
    bodies = {model.body(b).name.rpartition("/")[2]: model.body(b) for b in range(model.nbody)}
    legs = ["front_left", "front_right", "left_back", "right_back"]
    for leg in legs:
        for part, length in ("leg", math.hypot(0.2, 0.2)), ("foot", math.hypot(0.4, 0.4)):
            body = next(b for name, b in bodies.items() if name.endswith(f"{leg}_{part}"))
            mass, along, across = capsule(length)
            assert float(body.mass[0]) == pytest.approx(mass)
            assert sorted(body.inertia) == pytest.approx([along, across, across])
    hip_mass, along, across = capsule(math.hypot(0.2, 0.2))
    ball = 5.0 * 4 / 3 * math.pi * 0.25**3
    torso = next(b for name, b in bodies.items() if name.endswith("torso"))
    assert float(torso.mass[0]) == pytest.approx(ball + 4 * hip_mass)
    # Hips lie at 45 degrees in the plane, their centres at (+-0.1, +-0.1).
    own = 2 / 5 * ball * 0.25**2
    planar = own + 4 * ((along + across) / 2 + hip_mass * 0.1**2)
    vertical = own + 4 * (across + hip_mass * (0.1**2 + 0.1**2))
    assert sorted(torso.inertia) == pytest.approx([planar, planar, vertical])


def test_joints_are_in_the_published_order_with_their_limits(ant):
    env = ant()
    actor_env = env.gym.get_env(env.sim, 0)
    assert env.gym.get_actor_dof_names(actor_env, 0) == JOINTS
    assert env.lower.numpy() == pytest.approx(LOWER, abs=1e-6)
    assert env.upper.numpy() == pytest.approx(UPPER, abs=1e-6)
    model = env.sim.batch.model
    assert np.asarray(model.dof_armature[6:]) == pytest.approx([0.01] * 8)
    assert np.asarray(model.dof_damping[6:]) == pytest.approx([0.1] * 8)


def test_the_gear_is_fifteen_for_every_joint(ant):
    assert ant().gears == [15.0] * 8


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_an_action_is_a_torque_in_units_of_the_gear(ant, scale):
    """Free fall without gravity: the joint's motion is the inverse mass matrix times torque."""
    import mujoco

    overrides = {"sim.gravity": [0.0, 0.0, 0.0], "sim.dt": 1e-4, "sim.substeps": 1}
    env = ant(num_envs=8, **{**overrides, "env.power_scale": scale})
    put(env, [root((0, 0, 5))] * 8)
    env.step(torch.eye(8))
    model = env.sim.batch.model
    data = mujoco.MjData(model)
    data.qpos[:7] = [0, 0, 5, 1, 0, 0, 0]
    data.qpos[7:] = MIDDLE
    mujoco.mj_forward(model, data)
    inverse = np.zeros((model.nv, model.nv))
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    expected = 15.0 * scale * inverse[6:, 6:] * 1e-4
    assert env.dof_vel.numpy() == pytest.approx(expected, rel=5e-3, abs=1e-5)


# ---- the start of an episode ----


def test_an_episode_starts_within_the_published_ranges(ant):
    env = ant(num_envs=1000)
    obs = env.reset().double().numpy()
    roots = env.root_states.numpy()
    assert roots[:, :3] == pytest.approx(np.tile([0.0, 0.0, 0.44], (1000, 1)), abs=1e-6)
    assert roots[:, 3:7] == pytest.approx(np.tile([0.0, 0.0, 0.0, 1.0], (1000, 1)), abs=1e-6)
    assert (roots[:, 7:] == 0).all()
    positions, velocities = env.dof_pos.numpy(), env.dof_vel.numpy()
    low, high = np.maximum(REST - 0.2, LOWER), np.minimum(REST + 0.2, UPPER)
    assert (positions >= low - 1e-6).all()
    assert (positions <= high + 1e-6).all()
    assert np.abs(velocities).max() <= 0.1
    assert velocities.std() == pytest.approx(0.1 / math.sqrt(3), rel=0.05)
    assert positions[:, 0::2].std() == pytest.approx(0.2 / math.sqrt(3), rel=0.05)
    # Of the ankles, half the draws fall outside the range and are clamped to the limit.
    assert (np.abs(positions - REST)[:, 1::2] < 1e-6).mean() == pytest.approx(0.5, abs=0.05)
    assert (obs[:, 28:60] == 0).all()  # no forces or actions yet


def test_an_old_episodes_forces_and_actions_are_not_seen_by_the_new_one(ant):
    env = ant(num_envs=2, **{"env.episode_length": 3})
    for _ in range(3):
        result = env.step(torch.ones(2, 8))
    assert result.truncated.all()
    assert (result.final_obs[:, 52:60] == 1).all()
    assert (result.final_obs[:, 28:52] != 0).any()
    assert (result.obs[:, 28:60] == 0).all()


def test_actions_that_are_no_numbers_end_with_their_episode(ant):
    env = ant(num_envs=2)
    actions = torch.zeros(2, 8)
    actions[1] = float("nan")
    env.step(actions)
    assert torch.isfinite(env.reset()).all()


# ---- the observation ----


def test_the_torso_is_seen_from_its_own_frame(ant):
    angles = [(0.0, 0.0, 0.0), (0.3, -0.2, 2.5), (-1.0, 0.4, -2.0), (2.0, -1.2, 0.1)]
    velocity, spin = np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.25, -1.0])
    env = ant(num_envs=len(angles))
    position = (3.0, -4.0, 0.9)
    obs = put(env, [root(position, a, velocity, spin) for a in angles])
    for row, (roll, pitch, yaw) in zip(obs, angles):
        rotation = matrix(roll, pitch, yaw)
        to_target = np.array([1000.0 - 3.0, 4.0])
        assert row[0] == pytest.approx(0.9)
        assert row[1:4] == pytest.approx(rotation.T @ velocity, abs=1e-5)
        assert row[4:7] == pytest.approx(rotation.T @ spin, abs=1e-5)
        assert row[7] == pytest.approx(yaw % (2 * math.pi), abs=1e-5)
        assert row[8] == pytest.approx(roll % (2 * math.pi), abs=1e-5)
        bearing = math.atan2(to_target[1], to_target[0])
        assert row[9] == pytest.approx(bearing - yaw % (2 * math.pi), abs=1e-5)
        assert row[10] == pytest.approx(rotation[2, 2], abs=1e-5)
        unit = to_target / np.linalg.norm(to_target)
        assert row[11] == pytest.approx(rotation[:2, 0] @ unit, abs=1e-5)


def test_yaw_and_roll_run_from_zero_to_two_pi(ant):
    yaws = np.linspace(-math.pi + 0.01, math.pi - 0.01, 21)
    env = ant(num_envs=21)
    for angles, column in ([(0, 0, y) for y in yaws], 7), ([(y, 0, 0) for y in yaws], 8):
        seen = put(env, [root(angles=a) for a in angles])[:, column]
        assert (seen >= 0).all()
        assert (seen < 2 * math.pi).all()
        assert seen == pytest.approx(yaws % (2 * math.pi), abs=1e-5)


def test_joints_are_scaled_to_their_range(ant):
    env = ant(num_envs=3)
    positions = np.stack([LOWER, MIDDLE, UPPER])
    velocities = np.arange(24.0).reshape(3, 8) - 12
    obs = put(env, [root()] * 3, positions, velocities)
    expected = np.repeat([[-1.0], [0.0], [1.0]], 8, axis=1)
    assert obs[:, 12:20] == pytest.approx(expected, abs=1e-5)
    assert obs[:, 20:28] == pytest.approx(0.2 * velocities, abs=1e-5)


def test_forces_are_scaled_and_actions_are_not(ant):
    env = ant()
    put(env, root())
    env.foot_forces.copy_(torch.arange(24.0)[None])
    env.actions.copy_(torch.linspace(-1, 1, 8)[None])
    env.compute_observations()
    assert env.obs_buf[0, 28:52].numpy() == pytest.approx(0.1 * np.arange(24.0), abs=1e-6)
    assert env.obs_buf[0, 52:60].numpy() == pytest.approx(np.linspace(-1, 1, 8), abs=1e-6)


def test_feet_at_rest_feel_no_net_force(ant):
    env = ant()
    put(env, root((0, 0, 0.5)), REST)
    for _ in range(300):
        env.step(torch.zeros(1, 8))
    weight = 9.81 * capsule(math.hypot(0.4, 0.4))[0]
    assert env.dof_vel.abs().max() < 1e-2  # at rest
    assert env.foot_forces.abs().max() < 0.02 * weight


def test_falling_feet_feel_their_weight_in_the_published_order(ant):
    env = ant()
    put(env, root((0, 0, 50)))
    env.step(torch.zeros(1, 8))
    weight = 9.81 * capsule(math.hypot(0.4, 0.4))[0]
    feet = env.foot_forces.view(4, 6)[:, :3]
    assert feet.norm(dim=1).numpy() == pytest.approx([weight] * 4, rel=0.02)
    # One ankle at a time: its foot is the one that feels it most, in this order of feet.
    for foot, joint in enumerate([1, 3, 5, 7]):
        put(env, root((0, 0, 50)))
        actions = torch.zeros(1, 8)
        actions[0, joint] = 1.0
        env.step(actions)
        torques = env.foot_forces.view(4, 6)[:, 3:].norm(dim=1)
        assert torques.argmax() == foot
    # Their names, in Isaac Gym's order of bodies.
    names = env.gym.get_actor_rigid_body_names(env.gym.get_env(env.sim, 0), 0)
    assert [name for name in names if "foot" in name] == [
        "front_left_foot",
        "front_right_foot",
        "left_back_foot",
        "right_back_foot",
    ]


# ---- the reward ----


def test_standing_still_and_facing_the_target_earns_what_was_published(ant):
    env = ant()
    put(env, root())
    assert reward(env) == pytest.approx([0.5 + 0.1 + 0.5])  # alive, upright, heading


@pytest.mark.parametrize(
    ("angles", "upright", "heading"),
    [
        ((0.0, 0.0, 0.0), 0.1, 0.5),
        ((0.3, 0.0, 0.0), 0.1, 0.5),  # cos 0.3 = 0.955
        ((0.4, 0.0, 0.0), 0.0, 0.5),  # cos 0.4 = 0.921
        ((0.0, 0.0, 0.6), 0.1, 0.5),  # cos 0.6 = 0.825
        ((0.0, 0.0, 1.0), 0.1, 0.5 * math.cos(1.0) / 0.8),
        ((0.0, 0.0, 3.0), 0.1, 0.5 * math.cos(3.0) / 0.8),
    ],
)
def test_posture_terms(ant, angles, upright, heading):
    env = ant()
    put(env, root(angles=angles))
    assert reward(env) == pytest.approx([0.5 + upright + heading], abs=1e-5)


def test_costs(ant):
    env = ant()
    actions, velocities = np.linspace(-1, 1, 8), np.linspace(3, -5, 8)
    put(env, root(), dof_vel=velocities)
    env.actions.copy_(torch.tensor(actions, dtype=torch.float32)[None])
    effort, energy = (actions**2).sum(), np.abs(actions * 0.2 * velocities).sum()
    assert reward(env) == pytest.approx([1.1 - 0.005 * effort - 0.05 * energy], abs=1e-5)


@pytest.mark.parametrize(("share", "cost"), [(0.994, 0.0), (0.996, 0.3)])
def test_joints_at_their_upper_limit_cost(ant, share, cost):
    """Beyond 0.99 of the scaled range, which is 0.995 of the range."""
    env = ant()
    positions = MIDDLE.copy()
    positions[:3] = LOWER[:3] + share * (UPPER - LOWER)[:3]
    put(env, root(), positions)
    assert reward(env) == pytest.approx([1.1 - cost], abs=1e-5)


@pytest.mark.parametrize("x", [0.0, 100.0, 300.0, -300.0])
@pytest.mark.parametrize("moved", [(0.05, 0.0), (0.004, 0.0), (-0.03, 0.02)])
def test_progress_is_the_speed_towards_the_target(ant, x, moved):
    """To 1e-4 of the speed, though both distances are of some hundred metres."""
    env = ant()
    put(env, root((x, 7.0, 1.0)))
    before = env.root_states[0, :2].double()
    env.root_states[0, 0] += moved[0]
    env.root_states[0, 1] += moved[1]
    after = env.root_states[0, :2].double()  # as float32 has it
    target = torch.tensor([1000.0, 0.0], dtype=torch.float64)
    expected = ((before - target).norm() - (after - target).norm()) / DT
    assert env.progress().item() == pytest.approx(float(expected), rel=1e-4)
    assert env.progress().item() == 0.0  # it counts from the last position


def test_progress_over_real_steps_adds_up_to_the_way(ant):
    env = ant()
    put(env, root((300.0, 0.0, 0.45), velocity=(1.0, 0.0, 0.0)))
    start, earned = env.root_states[0, 0].item(), 0.0
    for _ in range(10):
        result = env.step(torch.zeros(1, 8))
        terms = 0.5 + 0.1 * (result.obs[0, 10] > 0.93) + 0.5 * min(result.obs[0, 11] / 0.8, 1.0)
        terms = terms - 0.05 * 0.0 - 0.1 * (result.obs[0, 12:20] > 0.99).sum()
        earned += float(result.reward[0] - terms) * DT
    assert earned == pytest.approx(env.root_states[0, 0].item() - start, rel=1e-3)


def test_a_new_episode_makes_no_progress_from_the_old_ones_place(ant):
    env = ant()
    put(env, root((300.0, 0.0, 1.0)))
    env.reset()
    assert env.step(torch.zeros(1, 8)).reward.abs().max() < 5.0


def test_falling_ends_it_with_the_death_cost(ant):
    env = ant(num_envs=3)
    put(env, [root((0, 0, height)) for height in (0.309, 0.311, 0.1)])
    assert reward(env) == pytest.approx([-2.0, 1.1, -2.0])
    assert env.terminated_buf.tolist() == [True, False, True]
