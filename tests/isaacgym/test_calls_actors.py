"""Names, numbers and indices of actors' parts, in every domain."""

from __future__ import annotations

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym.errors import GymError

ACTOR, ENV, SIM = gymapi.DOMAIN_ACTOR, gymapi.DOMAIN_ENV, gymapi.DOMAIN_SIM

GRIPPER = """
<robot name="gripper">
  <link name="palm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="mount"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="finger"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="a_weld" type="fixed"><parent link="palm"/><child link="mount"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="b_slide" type="prismatic"><parent link="mount"/><child link="finger"/>
    <axis xyz="1 0 0"/><origin xyz="0 2 0" rpy="0 0 1.5707963267948966"/>
    <limit lower="-1" upper="1"/></joint>
</robot>"""


@pytest.fixture
def scene(new_world):
    """Two environments with a walker (3 bodies, 2 DOFs) and a gripper (3 bodies, 1 DOF) each."""
    world = new_world()
    walker, gripper = world.asset("walker"), world.asset(GRIPPER, fixed=True)
    for _ in range(2):
        world.add_env()
        world.add_actor(walker, name="walker")
        turned = gymapi.Quat(0.0, 0.0, 1.0, 0.0)  # half a turn about z
        world.add_actor(gripper, (5.0, 0.0, 0.0), turned, name="gripper")
    return world


@pytest.mark.parametrize(
    ("kind", "name", "within_actor", "within_env", "within_sim"),
    [
        ("dof", "b_slide", 0, 2, 5),
        ("joint", "b_slide", 1, 3, 7),
        ("joint", "a_weld", 0, 2, 6),
        ("rigid_body", "finger", 2, 5, 11),
    ],
)
def test_indices_count_within_their_domain(scene, kind, name, within_actor, within_env, within_sim):
    gym, env, expected = scene.gym, scene.envs[1], (within_actor, within_env, within_sim)
    find = getattr(gym, f"find_actor_{kind}_index")
    get = getattr(gym, f"get_actor_{kind}_index")
    for domain, index in zip((ACTOR, ENV, SIM), expected, strict=True):
        assert find(env, 1, name, domain) == index
        assert get(env, 1, within_actor, domain) == index
    assert getattr(gym, f"find_actor_{kind}_handle")(env, 1, name) == within_env
    assert getattr(gym, f"get_actor_{kind}_handle")(env, 1, within_actor) == within_env
    assert getattr(gym, f"get_actor_{kind}_dict")(env, 1)[name] == within_actor
    names = getattr(gym, f"get_actor_{kind}_names")(env, 1)
    assert names[within_actor] == name
    assert len(names) == getattr(gym, f"get_actor_{kind}_count")(env, 1)


def test_what_is_not_there_has_an_invalid_handle(scene):
    gym, env = scene.gym, scene.envs[0]
    assert gym.find_actor_dof_handle(env, 0, "b_slide") == gymapi.INVALID_HANDLE
    assert gym.get_actor_rigid_body_index(env, 0, 3, SIM) == gymapi.INVALID_HANDLE
    assert gym.find_actor_index(env, "cat", SIM) == gymapi.INVALID_HANDLE
    with pytest.raises(GymError, match="unknown index domain 9"):
        gym.find_actor_dof_index(env, 0, "left", 9)


def test_actors_are_found_by_name(scene):
    gym = scene.gym
    assert gym.find_actor_index(scene.envs[1], "gripper", ENV) == 1
    assert gym.find_actor_index(scene.envs[1], "gripper", SIM) == 3


def test_fixed_joints_are_joints(scene):
    assert scene.gym.get_actor_joint_dict(scene.envs[0], 1) == {"a_weld": 0, "b_slide": 1}


def test_shapes_are_listed_by_body(scene):
    ranges = scene.gym.get_actor_rigid_body_shape_indices(scene.envs[0], 1)
    assert [(r.start, r.count) for r in ranges] == [(0, 0), (0, 0), (0, 2)]
    ranges = scene.gym.get_actor_rigid_body_shape_indices(scene.envs[0], 0)
    assert [(r.start, r.count) for r in ranges] == [(0, 1), (1, 1), (2, 1)]


def pose(transform):
    p, r = transform.p, transform.r
    return [p.x, p.y, p.z, r.x, r.y, r.z, r.w]


def test_poses_are_known_before_and_after_prepare_sim(each_engine, scene):
    """The gripper stands half turned at x = 5, its finger a quarter turned on a 2 m long arm."""
    gym, env, half = scene.gym, scene.envs[1], 0.5**0.5
    finger = gym.find_actor_rigid_body_handle(env, 1, "finger")
    start = [5.0, -2.0, 1.0, 0.0, 0.0, half, -half]
    found = pose(gym.get_rigid_transform(env, finger))
    assert found == pytest.approx(start, abs=1e-6) or found[3:] == pytest.approx(
        [-x for x in start[3:]], abs=1e-6
    )
    scene.prepare()
    states = scene.dof.clone()
    states[1, 2, 0] = 0.5  # along the finger's x axis, which points to -y of the env
    scene.set_dof(states)
    moved = pose(gym.get_rigid_transform(env, finger))
    assert moved[:3] == pytest.approx([5.0, -2.5, 1.0], abs=1e-5)
    with pytest.raises(GymError, match="no body 6"):
        gym.get_rigid_transform(env, 6)


def test_an_asset_can_be_printed(scene, capsys, tmp_path):
    gym = scene.gym
    asset = gym.get_actor_asset(scene.envs[0], 1)
    gym.debug_print_asset(asset)
    assert "palm (1 kg)\n  mount (1 kg)\n    finger (1 kg)\n" in capsys.readouterr().out
    gym.debug_print_asset(asset, str(tmp_path / "tree.txt"))
    assert "joint b_slide: JOINT_PRISMATIC" in (tmp_path / "tree.txt").read_text()


def test_without_a_viewer_its_calls_do_nothing(scene):
    gym, sim = scene.gym, scene.sim
    gym.subscribe_viewer_keyboard_event(None, gymapi.KEY_ESCAPE, "QUIT")
    gym.viewer_camera_look_at(None, None, gymapi.Vec3(), gymapi.Vec3())
    assert gym.query_viewer_has_closed(None) is False
    assert gym.query_viewer_action_events(None) == []
    gym.step_graphics(sim)
    gym.draw_viewer(None, sim, True)
    gym.sync_frame_time(sim)
    white = gymapi.Vec3(1.0, 1.0, 1.0)
    gym.set_light_parameters(sim, 0, white, white, white)
    with pytest.raises(GymError, match="headless=True"):
        gym.create_viewer(sim, gymapi.CameraProperties())


def test_there_are_no_soft_bodies(scene):
    gym, env = scene.gym, scene.envs[0]
    assert gym.get_actor_soft_body_count(env, 0) == 0
    assert gym.get_asset_soft_body_count(gym.get_actor_asset(env, 0)) == 0
    assert gym.get_sim_tetrahedra_count(scene.sim) == gym.get_sim_triangle_count(scene.sim) == 0


def test_aggregates_change_nothing(scene):
    env = scene.add_env()
    assert scene.gym.begin_aggregate(env, 4, 4, True)
    assert scene.gym.end_aggregate(env)
