"""Humanoid against the published facts of its namesake, by formulas that are written anew here."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
import torch

import rofunc_isaac

DT = 0.0166
BODIES = (
    "torso head lower_waist pelvis right_thigh right_shin right_foot left_thigh left_shin "
    "left_foot right_upper_arm right_lower_arm right_hand left_upper_arm left_lower_arm left_hand"
).split()
JOINTS = {
    # range in degrees, gear, stiffness, damping, armature, axis
    "abdomen_z": (-45, 45, 67.5, 20, 5, 0.02, (0, 0, 1)),
    "abdomen_y": (-75, 30, 67.5, 20, 5, 0.01, (0, 1, 0)),
    "abdomen_x": (-35, 35, 67.5, 10, 5, 0.01, (1, 0, 0)),
    "right_hip_x": (-45, 15, 45.0, 10, 5, 0.01, (1, 0, 0)),
    "right_hip_z": (-60, 35, 45.0, 10, 5, 0.01, (0, 0, 1)),
    "right_hip_y": (-120, 45, 135.0, 20, 5, 0.01, (0, 1, 0)),
    "right_knee": (-160, 2, 90.0, 5, 0.1, 0.007, (0, -1, 0)),
    "right_ankle_y": (-50, 50, 22.5, 2, 1, 0.006, (0, 1, 0)),
    "right_ankle_x": (-50, 50, 22.5, 2, 1, 0.006, (1, 0, 0.5)),
    "left_hip_x": (-45, 15, 45.0, 10, 5, 0.01, (-1, 0, 0)),
    "left_hip_z": (-60, 35, 45.0, 10, 5, 0.01, (0, 0, -1)),
    "left_hip_y": (-120, 45, 135.0, 20, 5, 0.01, (0, 1, 0)),
    "left_knee": (-160, 2, 90.0, 5, 0.1, 0.007, (0, -1, 0)),
    "left_ankle_y": (-50, 50, 22.5, 2, 1, 0.006, (0, 1, 0)),
    "left_ankle_x": (-50, 50, 22.5, 2, 1, 0.006, (1, 0, 0.5)),
    "right_shoulder1": (-90, 70, 67.5, 10, 5, 0.01, (2, 1, 1)),
    "right_shoulder2": (-90, 70, 67.5, 10, 5, 0.01, (0, -1, 1)),
    "right_elbow": (-90, 50, 45.0, 2, 1, 0.006, (0, -1, 1)),
    "left_shoulder1": (-90, 70, 67.5, 10, 5, 0.01, (-2, 1, -1)),
    "left_shoulder2": (-90, 70, 67.5, 10, 5, 0.01, (0, -1, -1)),
    "left_elbow": (-90, 50, 45.0, 2, 1, 0.006, (0, -1, -1)),
}
NAMES = list(JOINTS)
LOWER = np.radians([row[0] for row in JOINTS.values()])
UPPER = np.radians([row[1] for row in JOINTS.values()])
GEAR, STIFFNESS, DAMPING, ARMATURE = (
    np.array([row[column] for row in JOINTS.values()], dtype=float) for column in (2, 3, 4, 5)
)
MIDDLE = (LOWER + UPPER) / 2
STRENGTH = GEAR / 135.0


@pytest.fixture
def humanoid():
    def build(num_envs=1, seed=0, **overrides):
        overrides = {"sim.num_threads": 1, **overrides}
        env = rofunc_isaac.make("Humanoid", num_envs, overrides=overrides, seed=seed)
        env.reset()
        return env

    return build


def turned(axis, angle):
    """Rotation matrix about a coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    result = np.eye(3)
    result[[a, a, b, b], [a, b, a, b]] = c, -s, s, c
    return result


def matrix(roll, pitch, yaw):
    """Turns about the fixed axes x, y, z, in this order."""
    return turned(2, yaw) @ turned(1, pitch) @ turned(0, roll)


def wxyz(rotation):
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.asarray(rotation, dtype=float).flatten())
    return quat


def root(position=(0, 0, 2), angles=(0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0)):
    """One row of the root state tensor; the robot is in the air unless `position` says else."""
    w, x, y, z = wxyz(matrix(*angles))
    return [*position, x, y, z, w, *velocity, *spin]


def put(env, roots, dof_pos=MIDDLE, dof_vel=0.0, age=1):
    """Set every env's state and observe; `age` is the steps since the episode began."""
    dofs = np.stack(np.broadcast_arrays(dof_pos, dof_vel), axis=-1)
    dofs = np.broadcast_to(dofs, (env.num_envs, 21, 2)).reshape(-1, 2)
    everywhere = torch.ones(env.num_envs, dtype=torch.bool)
    roots = torch.tensor(roots, dtype=torch.float32).view(env.num_envs, 13)
    env.reset_state(everywhere, roots, torch.tensor(dofs, dtype=torch.float32))
    env.last_distance.copy_(env.distance())
    env.foot_forces.zero_()
    env.dof_forces.zero_()
    env.actions.zero_()
    env.progress_buf.fill_(age)
    env.compute_observations()
    return env.obs_buf.double().numpy()


def reward(env):
    env.compute_observations()
    env.compute_reward()
    return env.reward_buf.tolist()


def test_sizes(humanoid):
    env = humanoid(num_envs=3)
    assert (env.num_obs, env.num_actions, env.max_episode_length) == (108, 21, 1000)
    assert env.reset().shape == (3, 108)


# ---- the robot ----


def capsule(radius, length):
    """Mass of a capsule of density 1000; a ball for length 0."""
    return 1000 * math.pi * radius**2 * (length + 4 / 3 * radius)


FOOT_MASS = 2 * capsule(0.027, math.hypot(0.21, 0.02))


def test_bodies_have_the_published_order_and_the_masses_of_their_shapes(humanoid):
    env = humanoid()
    assert env.gym.get_actor_rigid_body_names(env.gym.get_env(env.sim, 0), 0) == BODIES
    leg = [
        capsule(0.06, math.hypot(0.01, 0.34)),
        capsule(0.049, 0.3),
        FOOT_MASS,
    ]
    arm = [
        capsule(0.04, 0.16 * math.sqrt(3)),
        capsule(0.031, 0.16 * math.sqrt(3)),
        capsule(0.04, 0.0),
    ]
    torso = capsule(0.07, 0.14) + capsule(0.06, 0.12)
    trunk = [torso, capsule(0.09, 0.0), capsule(0.06, 0.12), capsule(0.09, 0.14)]
    masses = [env.sim.batch.model.body(f"0/{body}").mass[0] for body in BODIES]
    assert masses == pytest.approx(trunk + leg * 2 + arm * 2)


def test_joints_have_the_published_order_ranges_springs_and_motors(humanoid):
    env = humanoid()
    handle = env.gym.get_env(env.sim, 0)
    assert env.gym.get_actor_dof_names(handle, 0) == NAMES
    assert env.lower.numpy() == pytest.approx(LOWER, abs=1e-6)
    assert env.upper.numpy() == pytest.approx(UPPER, abs=1e-6)
    assert env.gears == GEAR.tolist()
    properties = env.gym.get_actor_dof_properties(handle, 0)
    assert properties["stiffness"] == pytest.approx(STIFFNESS)
    assert properties["damping"] == pytest.approx(DAMPING)
    assert properties["armature"] == pytest.approx(ARMATURE)
    for name, row in JOINTS.items():
        axis = np.array(row[6], dtype=float)
        joint = env.sim.batch.model.joint(f"0/{name}")
        assert joint.axis == pytest.approx(axis / np.linalg.norm(axis)), name
        assert joint.limited, name


def test_it_stands_as_tall_as_published(humanoid):
    """Straight, its feet are 1.258 m below the torso and 9 cm from the middle."""
    model = humanoid().sim.batch.model
    data = mujoco.MjData(model)
    data.qpos[:7] = [0, 0, 1.34, 1, 0, 0, 0]
    mujoco.mj_kinematics(model, data)
    for side, left in ("right", -1), ("left", 1):
        # The waist leans by 0.008 rad.
        assert data.body(f"0/{side}_foot").xpos[1:] == pytest.approx([left * 0.09, 0.082], abs=1e-4)
        assert data.body(f"0/{side}_hand").xpos == pytest.approx([0.36, left * 0.17, 1.4])
    assert data.body("0/head").xpos == pytest.approx([0, 0, 1.53])


def test_every_shape_has_friction(humanoid):
    """The published file's contacts have none for MuJoCo (condim 1); Isaac Gym's always have."""
    model = humanoid().sim.batch.model
    assert (np.asarray(model.geom_condim) == 3).all()
    assert np.asarray(model.geom_friction)[:, 0] == pytest.approx([1.0] * model.ngeom)


def test_legs_do_not_pass_through_each_other(humanoid):
    model = humanoid().sim.batch.model
    data = mujoco.MjData(model)
    data.qpos[2], data.qpos[3] = 2.0, 1.0
    mujoco.mj_forward(model, data)
    assert data.ncon == 0
    data.joint("0/right_hip_x").qpos = data.joint("0/left_hip_x").qpos = np.radians(15)
    mujoco.mj_forward(model, data)
    touching = {model.geom(geom).name for geom in data.contact.geom.flatten()}
    assert {"0/right_shin", "0/left_shin"} <= touching


def test_left_and_right_are_mirror_images(humanoid):
    """Mirrored torques from mirrored states lead to mirrored states."""
    # Joints of the trunk, and the ankles' x, whose axes are the same on both sides.
    turned_round = ("abdomen_z", "abdomen_x", "right_ankle_x", "left_ankle_x")
    sign = np.array([-1.0 if name in turned_round else 1.0 for name in NAMES])
    sides = {"right": "left", "left": "right"}
    others = ["_".join(sides.get(word, word) for word in name.split("_")) for name in NAMES]
    swap = [NAMES.index(name) for name in others]
    random = np.random.default_rng(0)
    env = humanoid(num_envs=2)
    pos, vel = random.uniform(-0.2, 0.03, 21), random.uniform(-1.0, 1.0, 21)
    mirrored = [
        root((0, 0.1, 1.3), (0.1, 0.2, 0.3), (1, 0.5, 0), (0.4, 0.3, 0.2)),
        root((0, -0.1, 1.3), (-0.1, 0.2, -0.3), (1, -0.5, 0), (-0.4, 0.3, -0.2)),
    ]
    put(env, mirrored, [pos, sign * pos[swap]], [vel, sign * vel[swap]])
    for _ in range(10):
        action = random.uniform(-1, 1, 21)
        actions = torch.tensor(np.stack([action, sign * action[swap]]), dtype=torch.float32)
        assert not env.step(actions).terminated.any()
    one, other = env.dof_states.view(2, 21, 2).double().numpy()
    assert other == pytest.approx(sign[:, None] * one[swap], abs=1e-3)
    one, other = env.root_states.double().numpy()
    across = np.array([1, -1, 1, -1, 1, -1, 1, 1, -1, 1, -1, 1, -1])
    assert other == pytest.approx(across * one, abs=1e-3)


# ---- physics ----


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_an_action_is_a_torque_in_units_of_the_gear(humanoid, scale):
    """Without gravity, from rest, the joint's force is the motor's and its spring's."""
    overrides = {"sim.gravity": [0.0, 0.0, 0.0], "sim.substeps": 1, "env.power_scale": scale}
    env = humanoid(num_envs=21, **overrides)
    put(env, [root()] * 21)
    env.step(torch.eye(21))
    motor = np.diag(scale * GEAR)
    assert env.dof_forces.numpy() == pytest.approx(motor - STIFFNESS * MIDDLE, rel=1e-5, abs=1e-4)


def test_dof_forces_are_those_of_motor_spring_and_damper(humanoid):
    """At the start of the last physics step; the joints' limits have no part in them."""
    env = humanoid(**{"sim.substeps": 1})
    random = np.random.default_rng(1)
    pos, vel, action = UPPER + 0.05, random.uniform(-5, 5, 21), random.uniform(-1, 1, 21)
    put(env, root(), pos, vel)
    env.step(torch.tensor(action, dtype=torch.float32)[None])
    expected = GEAR * action - STIFFNESS * pos - DAMPING * vel
    assert env.dof_forces[0].numpy() == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_a_limp_humanoid_falls_but_not_faster_than_free_fall(humanoid):
    env = humanoid(num_envs=64)
    height = env.root_states[:, 2].clone()
    steps = torch.zeros(64)
    standing = torch.ones(64, dtype=torch.bool)
    for _ in range(150):
        result = env.step(torch.zeros(64, 21))
        steps += standing
        standing &= ~result.terminated
    free_fall = math.sqrt(2 * (height[0].item() - 0.8) / 9.81) / DT
    assert free_fall == pytest.approx(20.0, abs=0.05)
    assert not standing.any()
    assert steps.min() >= free_fall
    assert steps.median() < 4 * free_fall


def test_full_torques_at_random_break_no_world(humanoid):
    env = humanoid(num_envs=64)
    generator = torch.Generator().manual_seed(0)
    for _ in range(100):
        actions = torch.rand(64, 21, generator=generator).sub_(0.5).sign_()
        result = env.step(actions)
        assert torch.isfinite(result.final_obs).all()
    assert env.metrics()["env/unstable_resets"].item() == 0
    assert env.dof_vel.abs().max() < 100.0


def test_feet_at_rest_feel_no_net_force(humanoid):
    """It lies on its back; physics alone goes on where the episode would end."""
    env = humanoid()
    put(env, root((0, 0, 0.15), (0, -math.pi / 2, 0)), 0.0)
    for _ in range(300):
        env.gym.simulate(env.sim)
    env.refresh_tensors()
    assert env.dof_vel.abs().max() < 1e-2
    assert env.foot_forces.abs().max() < 0.02 * 9.81 * FOOT_MASS


# ---- the start of an episode ----


def test_an_episode_starts_within_the_published_ranges(humanoid):
    env = humanoid(num_envs=1000)
    obs = env.reset().double().numpy()
    roots = env.root_states.numpy()
    upright = [0, 0, 1.34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert roots == pytest.approx(np.tile(upright, (1000, 1)), abs=1e-6)
    positions, velocities = env.dof_pos.numpy(), env.dof_vel.numpy()
    assert (positions >= np.maximum(-0.2, LOWER) - 1e-6).all()
    assert (positions <= np.minimum(0.2, UPPER) + 1e-6).all()
    assert np.abs(velocities).max() <= 0.1
    assert velocities.std(axis=0) == pytest.approx([0.1 / math.sqrt(3)] * 21, rel=0.1)
    knees = [name.endswith("knee") for name in NAMES]
    free = positions[:, ~np.array(knees)].std(axis=0)
    assert free == pytest.approx([0.2 / math.sqrt(3)] * 19, rel=0.1)
    # Knees stretch by 2 degrees at most; what is drawn beyond is clamped to that.
    at_limit = np.abs(positions[:, knees] - math.radians(2)) < 1e-6
    assert at_limit.mean() == pytest.approx((0.2 - math.radians(2)) / 0.4, abs=0.05)
    assert (obs[:, 54:108] == 0).all()  # no forces or actions yet


def test_an_old_episodes_forces_and_actions_are_not_seen_by_the_new_one(humanoid):
    env = humanoid(num_envs=2, **{"env.episode_length": 3})
    for _ in range(3):
        result = env.step(torch.ones(2, 21))
    assert result.truncated.all()
    assert not result.terminated.any()
    assert (result.final_obs[:, 87:108] == 1).all()
    assert (result.final_obs[:, 54:87] != 0).all()
    assert (result.obs[:, 54:108] == 0).all()


def test_actions_that_are_no_numbers_end_with_their_episode(humanoid):
    env = humanoid(num_envs=2)
    actions = torch.zeros(2, 21)
    actions[1] = float("nan")
    env.step(actions)
    assert torch.isfinite(env.reset()).all()


def test_a_seed_fixes_an_episode(humanoid):
    def play(seed):
        env = humanoid(num_envs=4, seed=seed)
        generator = torch.Generator().manual_seed(0)
        for _ in range(40):
            result = env.step(torch.rand(4, 21, generator=generator) * 2 - 1)
        return result.obs

    assert torch.equal(play(3), play(3))
    assert not torch.equal(play(3), play(4))


# ---- the observation ----


def test_all_108_numbers_of_a_step_are_what_mujoco_says(humanoid):
    """One physics step in plain MuJoCo from the same state, with feet on the ground."""
    env = humanoid(**{"sim.substeps": 1, "env.power_scale": 0.7})
    random = np.random.default_rng(2)
    pos, vel = random.uniform(-0.2, 0.0, 21), random.uniform(-2, 2, 21)
    angles, velocity, spin = (0.1, -0.05, 2.8), np.array([1, -2, 0.3]), np.array([0.3, -0.4, 0.5])
    position, action = (40.0, -30.0, 1.26), random.uniform(-1, 1, 21)
    put(env, root(position, angles, velocity, spin), pos, vel)
    obs = env.step(torch.tensor(action, dtype=torch.float32)[None]).final_obs[0].double().numpy()

    model = env.sim.batch.model
    data = mujoco.MjData(model)
    torso, start = model.body("0/torso"), matrix(*angles)
    data.qpos = np.concatenate([position, wxyz(start), pos])
    # The root's velocity is that of its centre of mass; MuJoCo's that of its origin, its spin
    # is seen from the torso.
    data.qvel = np.concatenate([velocity - np.cross(spin, start @ torso.ipos), start.T @ spin, vel])
    data.ctrl = 0.7 * GEAR * action
    mujoco.mj_step(model, data)
    assert data.ncon > 0

    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, data.qpos[3:7])
    rotation = rotation.reshape(3, 3)
    spin = data.qvel[3:6]
    to_target = np.array([1000.0, 0.0]) - data.qpos[:2]
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    bearing = math.atan2(to_target[1], to_target[0])
    lower, upper = LOWER, UPPER
    expected = [
        [data.qpos[2]],
        rotation.T @ data.qvel[:3] + np.cross(spin, torso.ipos),
        0.25 * spin,
        [yaw, math.atan2(rotation[2, 1], rotation[2, 2])],
        [math.remainder(bearing - yaw, 2 * math.pi)],
        [rotation[2, 2], rotation[:2, 0] @ to_target / np.linalg.norm(to_target)],
        (2 * data.qpos[7:] - lower - upper) / (upper - lower),
        0.1 * data.qvel[6:],
        0.01 * (data.qfrc_actuator + data.qfrc_passive)[6:],
        0.01 * net_wrench(model, data, "0/right_foot"),
        0.01 * net_wrench(model, data, "0/left_foot"),
        action,
    ]
    assert [len(part) for part in expected] == [1, 3, 3, 2, 1, 2, 21, 21, 21, 6, 6, 21]
    assert np.abs(expected[9][:3]).max() > 0.1  # the ground hits the feet
    assert obs == pytest.approx(np.concatenate(expected), rel=1e-3, abs=2e-4)


def net_wrench(model, data, name):
    """m a and the rate of the angular momentum about the centre of mass, in the body's frame."""
    body, state = model.body(name), data.body(name)
    acceleration, velocity = np.zeros(6), np.zeros(6)
    kind = mujoco.mjtObj.mjOBJ_BODY
    mujoco.mj_objectAcceleration(model, data, kind, body.id, acceleration, 0)
    mujoco.mj_objectVelocity(model, data, kind, body.id, velocity, 0)
    frame = state.ximat.reshape(3, 3)
    inertia = frame @ np.diag(body.inertia) @ frame.T
    spin = velocity[:3]
    force = body.mass * (acceleration[3:] + model.opt.gravity)  # it holds minus gravity
    torque = inertia @ acceleration[:3] + np.cross(spin, inertia @ spin)
    rotation = state.xmat.reshape(3, 3)
    return np.concatenate([rotation.T @ force, rotation.T @ torque])


def test_the_torso_is_seen_from_its_own_frame(humanoid):
    angles = [(0.0, 0.0, 0.0), (0.3, -0.2, 2.5), (-1.0, 0.4, -2.0), (2.0, -1.2, 0.1)]
    velocity, spin = np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.25, -1.0])
    env = humanoid(num_envs=len(angles))
    obs = put(env, [root((3.0, -4.0, 0.9), a, velocity, spin) for a in angles])
    to_target = np.array([997.0, 4.0])
    for row, (roll, pitch, yaw) in zip(obs, angles):
        rotation = matrix(roll, pitch, yaw)
        assert row[0] == pytest.approx(0.9)
        assert row[1:4] == pytest.approx(rotation.T @ velocity, abs=1e-5)
        assert row[4:7] == pytest.approx(0.25 * rotation.T @ spin, abs=1e-5)
        assert row[7:9] == pytest.approx([yaw, roll], abs=1e-5)
        assert row[9] == pytest.approx(math.atan2(4.0, 997.0) - yaw, abs=1e-5)
        assert row[10] == pytest.approx(rotation[2, 2], abs=1e-5)
        heading = rotation[:2, 0] @ to_target / np.linalg.norm(to_target)
        assert row[11] == pytest.approx(heading, abs=1e-5)


def test_angles_run_from_minus_pi_to_pi(humanoid):
    turns = np.linspace(-math.pi + 0.01, math.pi - 0.01, 21)
    env = humanoid(num_envs=21)
    seen = put(env, [root(angles=(0, 0, turn)) for turn in turns])
    assert seen[:, 7] == pytest.approx(turns, abs=1e-5)
    assert seen[:, 9] == pytest.approx(-turns, abs=1e-5)
    seen = put(env, [root(angles=(turn, 0, 0)) for turn in turns])
    assert seen[:, 8] == pytest.approx(turns, abs=1e-5)
    # A target 0.3 to the left, seen by one who looks 3 to the right: 3.3 is 2 pi - 3.3 the other
    # way round.
    target = np.array([1000.0, 0.0]) - 100 * np.array([math.cos(0.3), math.sin(0.3)])
    seen = put(env, [root((*target, 2), (0, 0, -3.0))] * 21)
    assert seen[:, 9] == pytest.approx([3.3 - 2 * math.pi] * 21, abs=1e-4)


def test_joints_are_scaled_to_their_range(humanoid):
    env = humanoid(num_envs=3)
    velocities = np.arange(63.0).reshape(3, 21) - 30
    obs = put(env, [root()] * 3, [LOWER, MIDDLE, UPPER], velocities)
    expected = np.repeat([[-1.0], [0.0], [1.0]], 21, axis=1)
    assert obs[:, 12:33] == pytest.approx(expected, abs=1e-5)
    assert obs[:, 33:54] == pytest.approx(0.1 * velocities, abs=1e-5)


# ---- the reward ----


def test_standing_still_and_facing_the_target_earns_what_was_published(humanoid):
    env = humanoid()
    put(env, root())
    assert reward(env) == pytest.approx([2.0 + 0.1 + 0.5])  # alive, upright, heading


@pytest.mark.parametrize(
    ("angles", "upright", "heading"),
    [
        ((0.3, 0.0, 0.0), 0.1, 0.5),  # cos 0.3 = 0.955
        ((0.4, 0.0, 0.0), 0.0, 0.5),  # cos 0.4 = 0.921
        ((0.0, 0.0, 0.6), 0.1, 0.5),  # cos 0.6 = 0.825
        ((0.0, 0.0, 1.0), 0.1, 0.5 * math.cos(1.0) / 0.8),
        ((0.0, 0.0, 3.0), 0.1, 0.5 * math.cos(3.0) / 0.8),
    ],
)
def test_posture_terms(humanoid, angles, upright, heading):
    env = humanoid()
    put(env, root(angles=angles))
    assert reward(env) == pytest.approx([2.0 + upright + heading], abs=1e-5)


def test_costs_of_actions_and_of_power(humanoid):
    env = humanoid()
    actions, velocities = np.linspace(-1, 1, 21), np.linspace(7, -9, 21)
    put(env, root(), dof_vel=velocities)
    env.actions.copy_(torch.tensor(actions, dtype=torch.float32)[None])
    power = (np.abs(actions * 0.1 * velocities) * STRENGTH).sum()
    expected = 2.6 - 0.01 * (actions**2).sum() - 0.05 * power
    assert reward(env) == pytest.approx([expected], abs=1e-5)


@pytest.mark.parametrize(
    ("scaled", "cost"), [(0.979, 0.0), (0.99, 0.125), (1.0, 0.25), (-1.0, 0.25), (1.04, 0.75)]
)
@pytest.mark.parametrize(
    ("joint", "strength"), [("left_hip_y", 1.0), ("right_knee", 2 / 3), ("left_ankle_x", 1 / 6)]
)
def test_joints_near_either_limit_cost_by_their_motors_strength(
    humanoid, joint, strength, scaled, cost
):
    env, number = humanoid(), NAMES.index(joint)
    positions = MIDDLE.copy()
    positions[number] += scaled * (UPPER - LOWER)[number] / 2
    put(env, root(), positions)
    assert reward(env) == pytest.approx([2.6 - cost * strength], abs=1e-4)


@pytest.mark.parametrize("x", [0.0, 100.0, 300.0, -300.0])
@pytest.mark.parametrize("moved", [(0.05, 0.0), (0.004, 0.0), (-0.03, 0.02)])
def test_progress_is_the_speed_towards_the_target(humanoid, x, moved):
    """To 1e-5 of the speed, though both distances are of some hundred metres."""
    env = humanoid()
    put(env, root((x, 7.0, 2.0)))
    before = env.root_states[0, :2].tolist()
    env.root_states[0, 0] += moved[0]
    env.root_states[0, 1] += moved[1]
    after = env.root_states[0, :2].tolist()  # as float32 has it
    expected = (math.dist(before, (1000, 0)) - math.dist(after, (1000, 0))) / DT
    assert reward(env) == pytest.approx([2.6 + expected], abs=1e-4)
    assert env.progress().item() == 0.0  # it counts from the last position


def test_progress_over_real_steps_adds_up_to_the_way(humanoid):
    env = humanoid()
    put(env, root((300.0, 0.0, 1.4), velocity=(1.0, 0.0, 0.0)))
    start, earned = env.root_states[0, 0].item(), 0.0
    for _ in range(10):
        before = env.last_distance.item()
        env.step(torch.zeros(1, 21))
        earned += before - env.last_distance.item()
    assert earned == pytest.approx(env.root_states[0, 0].item() - start, abs=1e-4)
    assert earned > 0.1


def test_a_new_episode_makes_no_progress_from_the_old_ones_place(humanoid):
    env = humanoid(num_envs=2)
    put(env, [root((300.0, 0.0, height)) for height in (2.0, 0.5)])
    result = env.step(torch.zeros(2, 21))
    assert result.terminated.tolist() == [False, True]
    # The first goes on where it was, the second is at the start again.
    assert env.last_distance.tolist() == pytest.approx([700.0, 1000.0], abs=0.1)
    assert env.step(torch.zeros(2, 21)).reward.abs().max() < 5.0


def test_falling_ends_it_with_the_death_cost(humanoid):
    env = humanoid(num_envs=3)
    put(env, [root((0, 0, height)) for height in (0.799, 0.801, 0.1)])
    assert reward(env) == pytest.approx([-1.0, 2.6, -1.0])
    assert env.terminated_buf.tolist() == [True, False, True]
