"""A simulation that goes on from a snapshot, with what was set on its actors."""

from __future__ import annotations

import io

import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch
from rofunc_isaac.physics.errors import PhysicsError

PENDULUM = """
<mujoco><worldbody><body name="base"><body name="arm">
  <joint name="hinge" type="hinge" axis="0 1 0"/>
  <geom name="bob" type="sphere" size="0.05" pos="0 0 -1" mass="1"/>
</body></body></worldbody></mujoco>"""


def through_a_file(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.fixture
def pendulums(tmp_path):
    """`pendulums(num_envs)`: gym, sim, its envs and the DOF state tensor."""
    (tmp_path / "pendulum.xml").write_text(PENDULUM)

    def build(num_envs=2):
        gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.dt, params.substeps, params.up_axis = 0.02, 2, gymapi.UP_AXIS_Z
        params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
        sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        options = gymapi.AssetOptions()
        options.fix_base_link = True
        asset = gym.load_asset(sim, str(tmp_path), "pendulum.xml", options)
        envs = []
        for index in range(num_envs):
            envs.append(gym.create_env(sim, gymapi.Vec3(), gymapi.Vec3(1, 1, 1), 2))
            gym.create_actor(envs[-1], asset, gymapi.Transform(), "pendulum", index, 1, 0)
            properties = gym.get_actor_dof_properties(envs[-1], 0)
            properties["driveMode"], properties["stiffness"] = gymapi.DOF_MODE_POS, 40.0
            properties["damping"] = 1.0
            gym.set_actor_dof_properties(envs[-1], 0, properties)
        gym.prepare_sim(sim)
        return gym, sim, envs, gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))

    return build


def set_dof(gym, env, **values):
    properties = gym.get_actor_dof_properties(env, 0)
    for name, value in values.items():
        properties[name] = value
    gym.set_actor_dof_properties(env, 0, properties)


def states(gym, sim, dofs, frames):
    seen = []
    for _ in range(frames):
        gym.simulate(sim)
        gym.refresh_dof_state_tensor(sim)
        seen.append(dofs.clone())
    return torch.stack(seen)


def test_targets_and_properties_that_were_set_since_are_taken_over(pendulums):
    gym, sim, envs, dofs = pendulums()
    targets = torch.tensor([0.4, -0.2])
    gym.set_dof_position_target_tensor(sim, gymtorch.unwrap_tensor(targets))
    states(gym, sim, dofs, 5)
    set_dof(gym, envs[1], stiffness=90.0, damping=3.0, armature=0.5)
    states(gym, sim, dofs, 5)
    snapshot = through_a_file(sim.snapshot())
    expected = states(gym, sim, dofs, 20)

    gym, other, other_envs, dofs = pendulums()
    other.restore(snapshot)
    assert torch.equal(states(gym, other, dofs, 20), expected)
    assert gym.get_actor_dof_properties(other_envs[1], 0)["stiffness"][0] == 90.0
    assert gym.get_actor_dof_properties(other_envs[0], 0)["stiffness"][0] == 40.0
    assert gym.get_frame_count(other) == 30


def test_a_property_set_after_a_restore_leaves_the_others_as_they_were(pendulums):
    gym, sim, envs, dofs = pendulums()
    set_dof(gym, envs[1], damping=3.0, armature=0.5)
    states(gym, sim, dofs, 1)
    snapshot = through_a_file(sim.snapshot())
    set_dof(gym, envs[0], stiffness=10.0)
    gym.set_dof_position_target_tensor(sim, gymtorch.unwrap_tensor(torch.tensor([0.4, -0.2])))
    expected = states(gym, sim, dofs, 20)

    gym, other, other_envs, dofs = pendulums()
    other.restore(snapshot)
    set_dof(gym, other_envs[0], stiffness=10.0)
    gym.set_dof_position_target_tensor(other, gymtorch.unwrap_tensor(torch.tensor([0.4, -0.2])))
    assert torch.equal(states(gym, other, dofs, 20), expected)


def test_a_property_that_no_frame_has_seen_yet_is_taken_over(pendulums):
    gym, sim, envs, dofs = pendulums()
    states(gym, sim, dofs, 2)
    set_dof(gym, envs[0], armature=2.0)
    snapshot = through_a_file(sim.snapshot())
    expected = states(gym, sim, dofs, 10)
    gym, other, _, dofs = pendulums()
    other.restore(snapshot)
    assert torch.equal(states(gym, other, dofs, 10), expected)


def test_friction_of_the_shapes_comes_back(pendulums):
    gym, sim, envs, dofs = pendulums()
    states(gym, sim, dofs, 1)
    (shape,) = gym.get_actor_rigid_shape_properties(envs[1], 0)
    shape.friction = 0.25
    gym.set_actor_rigid_shape_properties(envs[1], 0, [shape])
    states(gym, sim, dofs, 1)
    snapshot = through_a_file(sim.snapshot())
    gym, other, other_envs, _ = pendulums()
    other.restore(snapshot)
    frictions = [gym.get_actor_rigid_shape_properties(env, 0)[0].friction for env in other_envs]
    assert frictions == [1.0, 0.25]
    saved, own = snapshot["batch"]["parameters"], other.batch.parameter("geom_friction")
    assert torch.equal(own, saved["geom_friction"])
    assert len(set(own[:, -1, 0].tolist())) == 2


def test_everything_at_once_goes_on_to_the_last_bit(one_robot):
    """Body states, contacts, Jacobians, targets of single actors and forces that still pend."""

    def build():
        world = one_robot(
            "walker",
            envs=3,
            pos=(0.0, 0.0, 0.45),
            ground=1.0,
            bodies=True,
            contacts=True,
            dof={"driveMode": gymapi.DOF_MODE_POS, "stiffness": 20.0, "damping": 1.0},
        )
        gym, sim = world.gym, world.sim
        acquired = [gym.acquire_jacobian_tensor(sim, "actor")]
        acquired.append(gym.acquire_mass_matrix_tensor(sim, "actor"))
        return world, [gymtorch.wrap_tensor(handle) for handle in acquired]

    def push(world):
        forces = torch.zeros(3, 3, 3)
        forces[1, 0, 0], forces[2, 1, 2] = 3.0, 20.0
        handle = gymtorch.unwrap_tensor(forces)
        world.gym.apply_rigid_body_force_tensors(world.sim, handle, None, gymapi.LOCAL_SPACE)

    def go_on(world, extra):
        seen = []
        for frame in range(12):
            if frame % 3:
                push(world)
            world.step(1)
            world.gym.refresh_jacobian_tensors(world.sim)
            world.gym.refresh_mass_matrix_tensors(world.sim)
            tensors = (world.root, world.dof, world.dof_force, world.body, world.contact, *extra)
            seen.append([tensor.clone() for tensor in tensors])
        return seen

    world, extra = build()
    targets = gymtorch.unwrap_tensor(torch.linspace(-0.5, 0.5, 6))
    actors = gymtorch.unwrap_tensor(torch.tensor([0, 2], dtype=torch.int32))
    world.gym.set_dof_position_target_tensor_indexed(world.sim, targets, actors, 2)
    world.step(7)
    push(world)
    snapshot = through_a_file(world.sim.snapshot())
    expected = go_on(world, extra)
    other, extra = build()
    other.sim.restore(snapshot)
    for was, now in zip(expected, go_on(other, extra), strict=True):
        for first, second in zip(was, now, strict=True):
            assert torch.equal(first, second)


def test_gravity_comes_back(pendulums):
    gym, sim, _, dofs = pendulums()
    params = gym.get_sim_params(sim)
    params.gravity = gymapi.Vec3(0.0, 0.0, -1.0)
    gym.set_sim_params(sim, params)
    states(gym, sim, dofs, 3)
    snapshot = through_a_file(sim.snapshot())
    expected = states(gym, sim, dofs, 5)
    gym, other, _, dofs = pendulums()
    other.restore(snapshot)
    assert gym.get_sim_params(other).gravity.z == -1.0
    assert torch.equal(states(gym, other, dofs, 5), expected)


def test_another_number_of_envs_is_refused(pendulums):
    _, sim, _, _ = pendulums(num_envs=3)
    _, other, _, _ = pendulums(num_envs=2)
    with pytest.raises(PhysicsError, match="3 worlds"):
        other.restore(sim.snapshot())
