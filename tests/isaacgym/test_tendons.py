"""Fixed tendons: their springs and limits, on both engines."""

from __future__ import annotations

import io

import pytest
import torch

from rofunc_isaac.isaacgym import gymutil
from rofunc_isaac.isaacgym.errors import GymError

REST = (0.0, 0.0, 0.0)

# Two carts of 1 and 2 kg; the tendon's length is a + 2 b.
COUPLED = """
<mujoco><worldbody><body name="base">
  <body name="a"><joint name="a" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="1" contype="0" conaffinity="0"/></body>
  <body name="b"><joint name="b" type="slide" axis="1 0 0"/>
    <geom type="sphere" size="0.05" mass="2" contype="0" conaffinity="0"/></body>
</body></worldbody>
<tendon><fixed name="sum" limited="true" range="-0.3 0.3">
  <joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon></mujoco>"""


def coupled(new_world, envs=2):
    world = new_world(gravity=REST)
    asset = world.asset(COUPLED, fixed=True)
    for _ in range(envs):
        world.add_env()
        world.add_actor(asset)
    return world


def set_tendon(world, env, **values):
    (tendon,) = world.gym.get_actor_tendon_properties(world.envs[env], 0)
    for name, value in values.items():
        setattr(tendon, name, value)
    assert world.gym.set_actor_tendon_properties(world.envs[env], 0, [tendon])


def test_what_is_read_is_what_the_file_says(new_world):
    world = coupled(new_world)
    (tendon,) = world.gym.get_actor_tendon_properties(world.envs[0], 0)
    assert tendon.is_fixed_limited
    assert (tendon.fixed_lower_limit, tendon.fixed_upper_limit) == pytest.approx((-0.3, 0.3))
    assert (tendon.num_joints, tendon.limit_stiffness) == (2, 1.0)
    assert world.gym.get_actor_tendon_name(world.envs[0], 0, 0) == "sum"
    asset = world.gym.get_actor_asset(world.envs[0], 0)
    assert world.gym.get_asset_fixed_tendon_joint_coefficients(asset, 0) == [1.0, 2.0]
    gym, env = world.gym, world.envs[1]
    assert gym.get_actor_fixed_tendon_joint_coefficients(env, 0, 0) == [1.0, 2.0]
    assert gym.get_actor_fixed_tendon_joint_name(env, 0, 0, 1) == "b"
    assert gym.find_actor_fixed_tendon_joint_index(env, 0, 0, "b") == 1
    assert gym.find_actor_fixed_tendon_joint_index(env, 0, 0, "c") == -1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_spring_of_one_environment(each_engine, new_world, when):
    """Its force on a cart is the coefficient times stiffness times length."""
    world = coupled(new_world)
    if when == "before":
        set_tendon(world, 1, stiffness=5.0)
    world.prepare()
    if when == "after":
        world.step(1)
        set_tendon(world, 1, stiffness=5.0)
    world.set_dof(torch.tensor([[[0.1, 0.0], [0.05, 0.0]]] * 2))
    world.step(1)
    force = -5.0 * (0.1 + 2 * 0.05)
    expected = torch.tensor([[0.0, 0.0], [force * 0.01, 2 * force / 2.0 * 0.01]])
    torch.testing.assert_close(world.dof[..., 1], expected, atol=1e-6, rtol=1e-3)


def test_coefficients_of_one_environment(each_engine, new_world):
    """With 3 a - b the spring pulls otherwise; such an environment is of another model."""
    world = coupled(new_world)
    for env in range(2):
        set_tendon(world, env, stiffness=5.0, is_fixed_limited=False)
    assert world.gym.set_actor_fixed_tendon_joint_coefficients(world.envs[1], 0, 0, [3.0, -1.0])
    assert world.gym.get_actor_fixed_tendon_joint_coefficients(world.envs[1], 0, 0) == [3.0, -1.0]
    world.prepare()
    world.set_dof(torch.tensor([[[0.1, 0.0], [0.05, 0.0]]] * 2))
    world.step(1)
    expected = []
    for a, b in ((1.0, 2.0), (3.0, -1.0)):
        force = -5.0 * (a * 0.1 + b * 0.05)
        expected.append([a * force / 1.0 * 0.01, b * force / 2.0 * 0.01])
    torch.testing.assert_close(world.dof[..., 1], torch.tensor(expected), atol=1e-6, rtol=1e-3)
    with pytest.raises(GymError, match="before prepare_sim"):
        world.gym.set_actor_fixed_tendon_joint_coefficients(world.envs[1], 0, 0, [1.0, 2.0])


def test_coefficients_of_an_asset_reach_later_actors(new_world):
    world = new_world(gravity=REST)
    asset = world.asset(COUPLED, fixed=True)
    with pytest.raises(GymError, match="given 1 coefficients, the tendon has 2 joints"):
        world.gym.set_asset_fixed_tendon_joint_coefficients(asset, 0, [1.0])
    assert world.gym.set_asset_fixed_tendon_joint_coefficients(asset, 0, [1.0, 4.0])
    assert world.gym.get_asset_fixed_tendon_joint_coefficients(asset, 0) == [1.0, 4.0]
    env = world.add_env()
    world.add_actor(asset)
    assert world.gym.get_actor_fixed_tendon_joint_coefficients(env, 0, 0) == [1.0, 4.0]
    world.prepare()
    assert world.sim.batch.model.wrap_prm.tolist() == [1.0, 4.0]


def test_an_offset_makes_one_tendon_longer(each_engine, new_world):
    """Where the carts stand at 0, its length is 0.1: the spring pulls as far."""
    world = coupled(new_world)
    for env in range(2):
        set_tendon(world, env, stiffness=5.0)
    assert world.gym.get_actor_tendon_offset(world.envs[1], 0, 0) == 0.0
    assert world.gym.set_actor_tendon_offset(world.envs[1], 0, 0, 0.1)
    assert world.gym.get_actor_tendon_offset(world.envs[1], 0, 0) == 0.1
    world.prepare()
    world.step(1)
    force = -5.0 * 0.1
    expected = torch.tensor([[0.0, 0.0], [force * 0.01, 2 * force / 2.0 * 0.01]])
    torch.testing.assert_close(world.dof[..., 1], expected, atol=1e-6, rtol=1e-3)


def test_a_limit_is_a_spring_beyond_the_range(each_engine, new_world):
    """A push of 3 N on cart a: the tendon gives 3 N / limit_stiffness beyond its range."""
    world = coupled(new_world)
    for env, stiffness in enumerate((30.0, 300.0)):
        set_tendon(world, env, limit_stiffness=stiffness, damping=20.0)
        world.set_dof_properties(env, 0, damping=[5.0, 1e6])
    world.prepare().step(1500, effort=[3.0, 0.0])
    lengths = world.dof[:, 0, 0] + 2 * world.dof[:, 1, 0]
    expected = torch.tensor([0.3 + 3.0 / 30.0, 0.3 + 3.0 / 300.0])
    torch.testing.assert_close(lengths, expected, atol=2e-3, rtol=0)


def test_properties_of_an_asset_reach_actors_created_later(new_world):
    world = coupled(new_world, envs=1)
    gym, asset = world.gym, world.gym.get_actor_asset(world.envs[0], 0)
    (tendon,) = gym.get_asset_tendon_properties(asset)
    tendon.stiffness = 7.0
    assert gym.set_asset_tendon_properties(asset, [tendon])
    world.add_env()
    world.add_actor(asset)
    found = [gym.get_actor_tendon_properties(env, 0)[0].stiffness for env in world.envs]
    assert found == [0.0, 7.0]
    world.prepare()
    assert world.sim.batch.parameter("tendon_stiffness")[:, 0].tolist() == [0.0, 7.0]


def test_a_snapshot_holds_them(new_world):
    world = coupled(new_world).prepare()
    world.step(1)
    set_tendon(world, 1, stiffness=5.0, limit_stiffness=50.0)
    world.step(1)
    file = io.BytesIO()
    torch.save(world.sim.snapshot(), file)
    file.seek(0)
    other = coupled(new_world).prepare()
    other.sim.restore(torch.load(file, weights_only=True))
    (tendon,) = other.gym.get_actor_tendon_properties(other.envs[1], 0)
    assert (tendon.stiffness, tendon.limit_stiffness) == (5.0, 50.0)
    for one in (world, other):
        one.set_dof(torch.tensor([[[0.1, 0.0], [0.2, 0.0]]] * 2))
        one.step(3)
    assert torch.equal(other.dof, world.dof)


def test_limits_are_the_same_ones_everywhere(new_world):
    world = coupled(new_world)
    set_tendon(world, 1, is_fixed_limited=False)
    with pytest.raises(GymError, match="which tendons are limited"):
        world.prepare()
    world = coupled(new_world).prepare()
    with pytest.raises(GymError, match="cannot change once"):
        set_tendon(world, 1, is_fixed_limited=False)


def test_randomisation_finds_the_calls_of_tendons(new_world):
    gym = new_world().gym
    assert gymutil.get_property_getter_map(gym)["tendon_properties"] == (
        gym.get_actor_tendon_properties
    )
    assert gymutil.get_property_setter_map(gym)["tendon_properties"] == (
        gym.set_actor_tendon_properties
    )
