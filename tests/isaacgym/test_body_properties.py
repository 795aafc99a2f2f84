"""Masses, centres of mass and inertias that differ between environments, on both engines."""

from __future__ import annotations

import io
import math

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)
INERTIA = 2.0 * 0.2**2 / 6  # of the box of 2 kg


def boxes(new_world, robot="box", envs=2, **world):
    made = new_world(**{"gravity": REST, **world})
    asset = made.asset(robot)
    for _ in range(envs):
        made.add_env()
        made.add_actor(asset)
    return made


def set_body(world, env, body=0, recompute=False, **values):
    gym, handle = world.gym, world.envs[env]
    bodies = gym.get_actor_rigid_body_properties(handle, 0)
    for name, value in values.items():
        setattr(bodies[body], name, value)
    assert gym.set_actor_rigid_body_properties(handle, 0, bodies, recompute)


def push(world, force=REST, torque=REST):
    shape = (len(world.envs), world.gym.get_env_rigid_body_count(world.envs[0]), 3)
    handles = [
        gymtorch.unwrap_tensor(torch.tensor(v).repeat(*shape[:2], 1)) for v in (force, torque)
    ]
    world.gym.apply_rigid_body_force_tensors(world.sim, *handles)
    world.step(1)


def diagonal(x, y, z):
    matrix = gymapi.Mat33()
    matrix.x, matrix.y, matrix.z = gymapi.Vec3(x), gymapi.Vec3(0, y), gymapi.Vec3(0, 0, z)
    return matrix


def test_what_is_read_is_what_the_file_says(new_world):
    world = boxes(new_world, "brick", envs=1)
    (brick,) = world.gym.get_actor_rigid_body_properties(world.envs[0], 0)
    assert brick.mass == pytest.approx(3.0)
    assert brick.invMass == pytest.approx(1 / 3.0)
    assert (brick.com.x, brick.com.y, brick.com.z) == pytest.approx((0.3, -0.1, 0.2))
    # A box of edges 0.2, 0.4, 0.6 m: m (b^2 + c^2) / 12.
    inertia = [3.0 * s / 12 for s in (0.4**2 + 0.6**2, 0.2**2 + 0.6**2, 0.2**2 + 0.4**2)]
    assert (brick.inertia.x.x, brick.inertia.y.y, brick.inertia.z.z) == pytest.approx(inertia)
    assert brick.inertia.x.y == pytest.approx(0.0, abs=1e-12)
    assert brick.invInertia.x.x == pytest.approx(1 / inertia[0])


def test_a_heavier_body_is_slower_in_its_environment_alone(each_engine, new_world):
    world = boxes(new_world)
    set_body(world, 1, mass=4.0)
    world.prepare()
    push(world, (2.0, 0.0, 0.0), (0.0, 0.0, 0.1))
    torch.testing.assert_close(world.root[:, 0, 7], torch.tensor([0.01, 0.005]))
    spin = 0.1 * 0.01 / INERTIA
    torch.testing.assert_close(world.root[:, 0, 12], torch.tensor([spin, spin]))
    # And from the next frame on, at run time.
    set_body(world, 0, mass=8.0)
    push(world, (2.0, 0.0, 0.0))
    torch.testing.assert_close(world.root[:, 0, 7], torch.tensor([0.0125, 0.01]))


def test_an_inertia_may_follow_the_mass(new_world):
    world = boxes(new_world)
    set_body(world, 0, recompute=True, mass=4.0)
    set_body(world, 1, inertia=diagonal(INERTIA, INERTIA, 3 * INERTIA / 2))
    world.prepare()
    push(world, torque=(0.0, 0.0, 0.1))
    spins = [0.1 * 0.01 / (2 * INERTIA), 0.1 * 0.01 / (1.5 * INERTIA)]
    torch.testing.assert_close(world.root[:, 0, 12], torch.tensor(spins))
    (body,) = world.gym.get_actor_rigid_body_properties(world.envs[0], 0)
    assert body.inertia.z.z == pytest.approx(2 * INERTIA)


def test_an_inertia_with_turned_axes(new_world):
    """Principal moments 1, 2, 2.5 times INERTIA, the first along the diagonal of x and y."""
    world = boxes(new_world, envs=1)
    a, b = 1.5 * INERTIA, -0.5 * INERTIA
    matrix = diagonal(a, a, 2.5 * INERTIA)
    matrix.x.y = matrix.y.x = b
    set_body(world, 0, inertia=matrix)
    world.prepare()
    push(world, torque=(0.1, 0.1, 0.0))
    # The torque is along the first axis, so the body turns about it.
    spin = 0.1 * 0.01 / INERTIA
    torch.testing.assert_close(
        world.root[0, 0, 10:13], torch.tensor([spin, spin, 0.0]), atol=1e-4, rtol=1e-4
    )


def test_a_moved_centre_of_mass_is_that_of_root_states_and_sensors(each_engine, new_world):
    """A spinning box whose origin stands still has a centre of mass that goes round."""
    world = new_world(gravity=REST, dt=0.001)
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    for _ in range(2):
        world.add_env()
        world.add_actor(asset)
    set_body(world, 1, com=gymapi.Vec3(0.1, 0.0, 0.0), mass=5.0)
    world.prepare(bodies=True)
    state = torch.zeros(2, 1, 13)
    state[..., 6], state[..., 12] = 1.0, 3.0
    state[1, 0, 8] = 0.1 * 3.0  # of the centre of mass: the origin rests
    world.set_root(state)
    world.refresh()
    torch.testing.assert_close(world.root, state)
    push(world, (0.0, 0.0, 2.0))
    # Its centre goes on evenly, so the origin moves round it.
    torch.testing.assert_close(world.root[1, 0, 7:10], torch.tensor([0.0, 0.3, 2.0 / 5.0 * 0.001]))
    torch.testing.assert_close(world.body[1, 0, 7:10], world.root[1, 0, 7:10], atol=1e-5, rtol=0)
    expected = torch.tensor([[0.0, 0.0, 2.0]] * 2)
    torch.testing.assert_close(world.sensor[:, 0, 0:3], expected, atol=1e-3, rtol=1e-3)


def test_a_mass_that_changes_at_run_time_is_that_of_sensors(new_world):
    world = new_world()
    asset = world.asset("box")
    world.gym.create_asset_force_sensor(asset, 0, gymapi.Transform())
    world.add_env()
    world.add_actor(asset)
    world.prepare().step(1)
    assert float(world.sensor[0, 0, 2]) == pytest.approx(-20.0, rel=1e-4)
    set_body(world, 0, mass=5.0)
    world.step(1)
    assert float(world.sensor[0, 0, 2]) == pytest.approx(-50.0, rel=1e-4)


@pytest.mark.parametrize("kind", ["linear", "angular"])
def test_a_damping_in_inverse_seconds_does_not_depend_on_the_mass(new_world, kind):
    world = new_world(gravity=REST)
    asset = world.asset("box", **{f"{kind}_damping": 2.0})
    for _ in range(2):
        world.add_env()
        world.add_actor(asset)
    set_body(world, 1, recompute=True, mass=10.0)
    world.prepare()
    state = torch.zeros(2, 1, 13)
    state[..., 6] = state[..., 7] = state[..., 12] = 1.0
    world.set_root(state)
    world.step(50)
    column = {"linear": 7, "angular": 12}[kind]
    expected = torch.full((2,), math.exp(-2.0 * 0.5))
    torch.testing.assert_close(world.root[:, 0, column], expected, atol=0, rtol=0.02)


def test_properties_come_back_from_a_snapshot(new_world):
    def build():
        world = boxes(new_world)
        set_body(world, 0, mass=3.0)
        return world.prepare()

    world = build()
    world.step(1)
    set_body(world, 1, mass=4.0, com=gymapi.Vec3(0.0, 0.05, 0.0))
    push(world, (2.0, 0.0, 0.0))
    file = io.BytesIO()
    torch.save(world.sim.snapshot(), file)
    file.seek(0)
    other = build()
    other.sim.restore(torch.load(file, weights_only=True))
    masses = [other.gym.get_actor_rigid_body_properties(env, 0)[0].mass for env in other.envs]
    assert masses == pytest.approx([3.0, 4.0])
    for one in (world, other):
        push(one, (0.0, 0.0, 3.0))
    assert torch.equal(other.root, world.root)
    assert torch.equal(
        other.sim.batch.parameter("body_mass"), world.sim.batch.parameter("body_mass")
    )


def test_what_no_body_can_be(new_world):
    world = boxes(new_world)
    with pytest.raises(GymError, match="flags cannot change"):
        set_body(world, 0, flags=gymapi.RIGID_BODY_DISABLE_GRAVITY)
    with pytest.raises(GymError, match="given 0 entries"):
        world.gym.set_actor_rigid_body_properties(world.envs[0], 0, [])
    set_body(world, 1, mass=-1.0)
    with pytest.raises(GymError, match="env 1 actor: body 0 has mass"):
        world.prepare().refresh()


def test_a_centre_of_mass_moves_at_run_time_if_it_was_known_to(new_world):
    world = boxes(new_world).prepare()
    set_body(world, 0, com=gymapi.Vec3(0.1, 0.0, 0.0))
    with pytest.raises(GymError, match="set them once before prepare_sim"):
        world.step(1)
    world = boxes(new_world)
    set_body(world, 1)
    world.prepare().step(1)
    set_body(world, 0, com=gymapi.Vec3(0.0, 0.1, 0.0))
    state = world.root.clone()
    state[..., 12] = 2.0
    world.set_root(state)
    world.step(1)
    # The centre of mass stands still, the origin goes round it.
    assert float(world.root[0, 0, 0]) == pytest.approx(2.0 * 0.1 * 0.01, rel=0.05)
