"""Environments that hold other assets, against simulations in which all hold the same."""

from __future__ import annotations

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.physics.grouped_batch import GroupedBatch
from tests.isaacgym.test_snapshot import through_a_file

BALL = """
<mujoco><worldbody><body name="thing">
  <geom name="ball" type="sphere" size="0.1" mass="1.5"/>
</body></worldbody></mujoco>"""

DUMBBELL = """
<mujoco><worldbody><body name="thing">
  <geom name="left" type="sphere" size="0.08" pos="0 -0.15 0" mass="1"/>
  <geom name="right" type="sphere" size="0.06" pos="0 0.15 0" mass="0.5"/>
  <geom name="bar" type="capsule" fromto="0 -0.15 0 0 0.15 0" size="0.02" mass="0.1"/>
</body></worldbody></mujoco>"""

WEDGE = """
<robot name="wedge"><link name="thing">
  <inertial><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="wedge.obj"/></geometry></collision>
</link></robot>"""

WEDGE_MESH = """
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v -0.1 0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 -0.1 0.1
v -0.1 0.1 0.1
f 1 3 4 2
f 1 5 6 3
f 1 2 5
f 3 6 4
f 2 4 6 5
"""

KINDS = (BALL, DUMBBELL, WEDGE)


def box(x: float, y: float, z: float, pos: str = "0 0 0") -> str:
    return f"""
<robot name="object"><link name="thing">
  <inertial><density value="500"/></inertial>
  <collision><origin xyz="{pos}"/><geometry><box size="{x} {y} {z}"/></geometry></collision>
</link></robot>"""


BOXES = (
    *(box(0.2, 0.2, 0.2), box(0.1, 0.2, 0.3), box(0.3, 0.2, 0.1), box(0.2, 0.4, 0.1)),
    box(0.1, 0.1, 0.2, pos="0.05 0 0.02"),
)


@pytest.fixture
def arm_and(new_world, tmp_path):
    """`arm_and(kinds)`: an arm in the way of a falling thing, one kind for each environment."""

    def build(kinds):
        (tmp_path / "wedge.obj").write_text(WEDGE_MESH)
        world = new_world(ground=0.8, substeps=2)
        arm = world.asset("arm", fixed=True)
        things = {kind: world.asset(kind, angular_damping=0.5) for kind in kinds}
        for index, kind in enumerate(kinds):
            env = world.add_env()
            handle = world.add_actor(arm, (0.0, 0.0, 0.3), name="arm")
            world.gym.enable_actor_dof_force_sensors(env, handle)
            world.set_dof_properties(index, damping=0.2)
            world.add_actor(things[kind], (0.5, 0.02, 0.62), name="thing")
        world.jacobian = gymtorch.wrap_tensor(world.gym.acquire_jacobian_tensor(world.sim, "thing"))
        return world.prepare(bodies=True, contacts=True)

    return build


def run(world, starts, efforts):
    """What all tensors show in every frame. Halfway the things are put back, spinning."""
    gym, count = world.gym, len(world.envs)
    state = world.root.clone()
    state[:, 1, 7:13] = starts
    indices = torch.arange(1, 2 * count, 2, dtype=torch.int32)
    seen = []
    for frame, effort in enumerate(efforts):
        if frame in (0, len(efforts) // 2):
            handles = (gymtorch.unwrap_tensor(state), gymtorch.unwrap_tensor(indices), count)
            assert gym.set_actor_root_state_tensor_indexed(world.sim, *handles)
        world.step(1, effort=effort[:, None])
        gym.refresh_jacobian_tensors(world.sim)
        tensors = (world.root, world.dof, world.dof_force, world.body, world.contact)
        seen.append([tensor.clone() for tensor in (*tensors, world.jacobian)])
    return seen


def pushes(count, frames=40):
    generator = torch.Generator().manual_seed(5)
    starts = 0.5 * torch.randn(count, 6, generator=generator)
    return starts, 3.0 * torch.randn(frames, count, generator=generator)


def test_each_environment_goes_as_in_a_simulation_of_its_kind(each_engine, arm_and):
    in_turn = KINDS * 2
    starts, efforts = pushes(len(in_turn))
    differing = arm_and(in_turn)
    assert isinstance(differing.sim.batch, GroupedBatch)
    together = run(differing, starts, efforts)
    for number, kind in enumerate(KINDS):
        rows = torch.arange(number, len(in_turn), len(KINDS))
        alone = run(arm_and([kind] * len(rows)), starts[rows], efforts[:, rows])
        for frame, (some, all_of_kind) in enumerate(zip(together, alone, strict=True)):
            for joined, own in zip(some, all_of_kind, strict=True):
                assert torch.equal(joined[rows], own), (number, frame)
    assert float(together[-1][4].abs().max()) > 0.0, "nothing touched anything"


def test_boxes_of_other_sizes_share_a_model_and_go_as_they_would_alone(each_engine, arm_and):
    starts, efforts = pushes(len(BOXES), frames=12)
    differing = arm_and(BOXES)
    assert not isinstance(differing.sim.batch, GroupedBatch)
    together = run(differing, starts, efforts)
    for number, kind in enumerate(BOXES):
        alone = run(arm_and([kind]), starts[[number]], efforts[:, [number]])
        for some, of_kind in zip(together, alone, strict=True):
            for joined, own in zip(some, of_kind, strict=True):
                # Sizes of worlds are float32.
                torch.testing.assert_close(joined[[number]], own, atol=2e-3, rtol=2e-3)


def test_boxes_rest_on_their_own_faces_and_weigh_their_own(each_engine, new_world):
    world = new_world(ground=1.0)
    sides = [(0.2, 0.2, 0.1), (0.2, 0.3, 0.2), (0.4, 0.2, 0.3)]
    for side in sides:
        world.add_env()
        world.add_actor(world.asset(box(*side)), (0.0, 0.0, side[2] / 2 + 0.01))
    world.prepare(contacts=True).step(100)
    heights = torch.tensor([z / 2 for _, _, z in sides])
    torch.testing.assert_close(world.root[:, 0, 2], heights, atol=1e-3, rtol=0)
    weights = torch.tensor([500.0 * x * y * z * 10.0 for x, y, z in sides])
    torch.testing.assert_close(world.contact[:, 0, 2], weights, atol=1e-2, rtol=1e-3)


def test_masses_and_frictions_of_boxes_that_share_a_model_can_be_set(each_engine, new_world):
    world = new_world(ground=1.0)
    sides = [(0.2, 0.2, 0.1), (0.3, 0.2, 0.1)]
    for side in sides:
        world.add_env()
        world.add_actor(world.asset(box(*side)), (0.0, 0.0, side[2] / 2))
    world.prepare(contacts=True).step(20)
    (body,) = world.gym.get_actor_rigid_body_properties(world.envs[1], 0)
    assert body.mass == pytest.approx(3.0)
    body.mass = 1.5
    world.gym.set_actor_rigid_body_properties(world.envs[1], 0, [body], True)
    (shape,) = world.gym.get_actor_rigid_shape_properties(world.envs[0], 0)
    shape.friction = 0.0
    world.gym.set_actor_rigid_shape_properties(world.envs[0], 0, [shape])
    world.step(30)
    assert world.contact[:, 0, 2].tolist() == pytest.approx([20.0, 15.0], rel=1e-3)
    # The mean of both surfaces' friction holds 10 N of the first, and 15 N of the second.
    force = torch.tensor([12.0, 0.0, 0.0]).expand(2, 1, 3).contiguous()
    for _ in range(10):
        world.gym.apply_rigid_body_force_tensors(world.sim, gymtorch.unwrap_tensor(force))
        world.step(1)
    assert world.root[:, 0, 7].tolist() == pytest.approx([0.1, 0.0], abs=0.04)


def test_links_of_an_object_may_stand_elsewhere(new_world):
    """Two links of 1 kg and their distance: it turns about the middle of them."""

    def hammer(distance):
        return f"""
<robot name="hammer">
  <link name="handle"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="head"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="neck" type="fixed"><origin xyz="{distance} 0 0"/>
    <parent link="handle"/><child link="head"/></joint>
</robot>"""

    world = new_world(gravity=(0.0, 0.0, 0.0))
    distances = (0.2, 0.6)
    for distance in distances:
        world.add_env()
        world.add_actor(world.asset(hammer(distance)))
    world.prepare(bodies=True)
    assert not isinstance(world.sim.batch, GroupedBatch)
    force = torch.zeros(2, 2, 3)
    force[:, 1, 1] = 1.0
    world.gym.apply_rigid_body_force_tensors(world.sim, gymtorch.unwrap_tensor(force))
    world.step(1)
    assert world.body[:, 1, 0].tolist() == pytest.approx(distances)
    # The force acts at half the distance from the middle.
    spins = [0.01 * (d / 2) / (2 * 0.01 + 2 * (d / 2) ** 2) for d in distances]
    assert world.root[:, 0, 12].tolist() == pytest.approx(spins, rel=1e-4)


def test_properties_are_those_of_each_environments_asset(arm_and):
    world = arm_and((BALL, DUMBBELL, BALL))
    gym, sim = world.gym, world.sim
    masses = [gym.get_actor_rigid_body_properties(env, 1)[0].mass for env in world.envs]
    assert masses == pytest.approx([1.5, 1.6, 1.5])
    assert [gym.get_actor_rigid_shape_count(env, 1) for env in world.envs] == [1, 3, 1]
    bodies = gym.get_actor_rigid_body_properties(world.envs[1], 1)
    bodies[0].mass = 3.2
    gym.set_actor_rigid_body_properties(world.envs[1], 1, bodies, True)
    world.set_dof_properties(2, damping=0.0, armature=1.0)
    # In flight nothing but the weight acts: forces of 1 N along y give a velocity of dt / m.
    state = world.root.clone()
    state[:, 1, 2], state[:, 1, 7:13] = 5.0, 0.0
    world.set_root(state)
    force = torch.zeros(3, 3, 3)
    force[:, 2, 1] = 1.0
    gym.apply_rigid_body_force_tensors(sim, gymtorch.unwrap_tensor(force))
    world.step(1, effort=torch.ones(3, 1))
    speeds = [world.dt / mass for mass in (1.5, 3.2, 1.5)]
    assert world.root[:, 1, 8].tolist() == pytest.approx(speeds, rel=1e-4)
    assert float(world.dof[2, 0, 1]) < 0.5 * float(world.dof[0, 0, 1])


def test_targets_of_attractors_in_environments_that_differ(new_world):
    world = new_world(gravity=(0.0, 0.0, 0.0))
    for kind in (BALL, DUMBBELL):
        env = world.add_env()
        world.add_actor(world.asset(kind))
        properties = gymapi.AttractorProperties()
        properties.rigid_handle, properties.axes = 0, gymapi.AXIS_TRANSLATION
        properties.stiffness, properties.damping = 200.0, 40.0
        properties.target.p.x = 1.0 + env.index
        world.gym.create_rigid_body_attractor(env, properties)
    world.prepare().step(300)
    assert world.root[:, 0, 0].tolist() == pytest.approx([1.0, 2.0], abs=1e-2)


def test_filters_may_differ(new_world):
    """Two boxes side by side, too near: those that share a filter bit stay."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    asset = world.asset("box")
    for second in (1, 2, 1):
        world.add_env()
        world.add_actor(asset, (0.0, 0.0, 0.0), filter=1)
        world.add_actor(asset, (0.19, 0.0, 0.0), filter=second)
    world.prepare().step(20)
    moved = world.root[:, 1, 0] > 0.191
    assert moved.tolist() == [False, True, False]


def test_robots_loaded_anew_for_every_environment_are_one_robot(new_world):
    world = new_world()
    for _ in range(3):
        world.add_env()
        world.add_actor(world.asset("walker"), (0.0, 0.0, 2.0))
    world.prepare()
    assert not isinstance(world.sim.batch, GroupedBatch)


def test_a_simulation_of_differing_environments_goes_on_from_a_snapshot(arm_and):
    in_turn = KINDS * 2
    starts, efforts = pushes(len(in_turn))
    world = arm_and(in_turn)
    run(world, starts, efforts[:15])
    bodies = world.gym.get_actor_rigid_body_properties(world.envs[4], 1)
    bodies[0].mass = 3.2
    world.gym.set_actor_rigid_body_properties(world.envs[4], 1, bodies, True)
    snapshot = through_a_file(world.sim.snapshot())
    expected = run(world, starts, efforts)
    other = arm_and(in_turn)
    other.sim.restore(snapshot)
    assert other.gym.get_actor_rigid_body_properties(other.envs[4], 1)[0].mass == 3.2
    for was, now in zip(expected, run(other, starts, efforts), strict=True):
        for first, second in zip(was, now, strict=True):
            assert torch.equal(first, second)


def test_a_tensor_acquired_after_prepare_sim_makes_the_worlds_anew(arm_and, new_world):
    world = new_world(ground=1.0)
    for kind in (BALL, DUMBBELL):
        world.add_env()
        world.add_actor(world.asset(kind), (0.0, 0.0, 1.0))
    world.prepare()
    state = world.root.clone()
    state[:, 0, 2] = torch.tensor([2.0, 3.0])
    world.set_root(state)
    bodies = gymtorch.wrap_tensor(world.gym.acquire_rigid_body_state_tensor(world.sim))
    world.step(1)
    assert bodies[:, 2].tolist() == pytest.approx([2.0 - 0.001, 3.0 - 0.001], abs=1e-5)


def test_trees_that_differ_are_refused(new_world):
    chain = """
<mujoco><worldbody><body name="base">
  <body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1"/>
    <body name="b"><joint name="b" axis="0 1 0"/><geom size="0.1"/></body></body>
</body></worldbody></mujoco>"""
    pair = """
<mujoco><worldbody><body name="base">
  <body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1"/></body>
  <body name="b"><joint name="b" axis="0 1 0"/><geom size="0.1"/></body>
</body></worldbody></mujoco>"""
    world = new_world()
    for robot in (chain, chain, pair):
        world.add_env()
        world.add_actor(world.asset(robot, fixed=True))
    with pytest.raises(GymError, match="env 2 and env 0 .* not the same trees"):
        world.prepare()


def test_a_root_that_is_held_beside_one_that_is_not_is_refused(new_world):
    world = new_world()
    for fixed in (True, False):
        world.add_env()
        world.add_actor(world.asset("box", fixed=fixed))
    with pytest.raises(GymError, match="not the same trees"):
        world.prepare()
