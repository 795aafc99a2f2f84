"""Images of camera sensors against the geometry of simple scenes, on both engines."""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymtorch, image_renderer
from rofunc_isaac.isaacgym.cameras import look_at
from rofunc_isaac.isaacgym.errors import GymError
from rofunc_isaac.isaacgym.gymapi import IMAGE_COLOR, IMAGE_DEPTH, IMAGE_SEGMENTATION, Vec3

REST = (0.0, 0.0, 0.0)
WIDTH, HEIGHT = 64, 48
CUBE = """
<mujoco><worldbody><body name="cube">
  <geom type="box" size="0.5 0.5 0.5" mass="1" rgba="0.2 0.4 0.6 1"/>
</body></worldbody></mujoco>"""


@pytest.fixture(autouse=True)
def opengl():
    try:
        image_renderer.open_gl(8, 8)
    except GymError as error:
        pytest.skip(str(error))


def camera_properties(**changes):
    """90 degrees wide: the edge of the image is as far to the side as forward."""
    properties = gymapi.CameraProperties()
    properties.width, properties.height = WIDTH, HEIGHT
    properties.horizontal_fov, properties.enable_tensors = 90.0, True
    for name, value in changes.items():
        setattr(properties, name, value)
    return properties


class Studio:
    """Cubes with edges of 1 m, 3 m in front of a camera that stands 1 m above the ground."""

    def __init__(self, new_world, envs=1, ground=True, robot=CUBE, **camera):
        self.world = new_world(gravity=REST)
        self.gym, self.sim = self.world.gym, self.world.sim
        params = self.gym.get_sim_params(self.sim)
        params.up_axis = gymapi.UP_AXIS_Z
        self.gym.set_sim_params(self.sim, params)
        if ground:
            plane = gymapi.PlaneParams()
            plane.normal, plane.segmentation_id = Vec3(0.0, 0.0, 1.0), 7
            self.gym.add_ground(self.sim, plane)
        asset = self.world.asset(robot)
        for index in range(envs):
            env = self.world.add_env()
            pose = gymapi.Transform(Vec3(3.0, 0.0, 1.0))
            self.gym.create_actor(env, asset, pose, "cube", index, 0, 3)
            self.gym.create_camera_sensor(env, camera_properties(**camera))
            self.gym.set_camera_location(0, env, Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 1.0))
        self.envs = self.world.envs

    def prepare(self):
        self.gym.prepare_sim(self.sim)
        return self

    def image(self, kind, env=0, camera=0):
        return self.gym.get_camera_image(self.sim, self.envs[env], camera, kind)

    def render(self):
        self.gym.step_graphics(self.sim)
        self.gym.render_all_camera_sensors(self.sim)

    def move(self, env=0, **position):
        states = self.gym.get_actor_rigid_body_states(self.envs[env], 0, gymapi.STATE_ALL)
        for axis, value in position.items():
            states["pose"]["p"][axis] = value
        self.gym.set_actor_rigid_body_states(self.envs[env], 0, states, gymapi.STATE_ALL)


@pytest.fixture
def studio(new_world):
    return lambda **arguments: Studio(new_world, **arguments)


def extent(mask):
    """First and last row, first and last column of what is true."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return rows[0], rows[-1], columns[0], columns[-1]


def test_a_cube_is_where_the_perspective_puts_it(each_engine, studio):
    ids = studio().prepare().image(IMAGE_SEGMENTATION)
    assert (ids.shape, ids.dtype) == ((HEIGHT, WIDTH), np.int32)
    # Its face is 2.5 m away: half an edge is 0.5 / 2.5 of half the image, 6.4 pixels.
    assert extent(ids == 3) == (18, 29, 26, 37)
    # Above the horizon there is nothing, below there is ground.
    assert (ids[:15] == 0).all()
    assert (ids[35:] == 7).all()


def test_depth_is_along_the_axis_and_negative(each_engine, studio):
    depth = studio().prepare().image(IMAGE_DEPTH)
    assert (depth.shape, depth.dtype) == ((HEIGHT, WIDTH), np.float32)
    np.testing.assert_allclose(depth[20:28, 28:36], -2.5, rtol=1e-4)
    assert (depth[:15] == -np.inf).all()
    # The row's middle is as far below the axis as this share of its distance.
    below = (HEIGHT - 0.5 - HEIGHT / 2) / (WIDTH / 2)
    np.testing.assert_allclose(depth[-1], -1.0 / below, rtol=1e-3)


def test_points_come_back_from_depth_and_matrices(new_world):
    """As programs make point clouds: pixels to the camera, and from there to the global frame."""
    made = Studio(new_world, envs=2)
    made.prepare()
    gym, sim, env = made.gym, made.sim, made.envs[1]
    assert gym.get_env_origin(env).x == 2.0
    gym.set_camera_location(0, env, Vec3(0.5, -2.0, 2.5), Vec3(3.0, 0.0, 1.0))
    depth, ids = made.image(IMAGE_DEPTH, env=1), made.image(IMAGE_SEGMENTATION, env=1)
    view = gym.get_camera_view_matrix(sim, env, 0)
    projection = gym.get_camera_proj_matrix(sim, env, 0)
    assert view.dtype == projection.dtype == np.float32
    rows, columns = np.nonzero(ids == 3)
    distance = -depth[rows, columns]
    across = 2.0 * (columns + 0.5) / WIDTH - 1.0
    upward = 1.0 - 2.0 * (rows + 0.5) / HEIGHT
    points = np.stack([across / projection[0, 0] * distance, upward / projection[1, 1] * distance,
                       -distance, np.ones_like(distance)], axis=1)  # fmt: skip
    globally = (points @ np.linalg.inv(view))[:, :3]
    from_center = np.abs(globally - [2.0 + 3.0, 0.0, 1.0])
    # All of them lie on the cube's surface.
    np.testing.assert_allclose(from_center.max(axis=1), 0.5, atol=2e-3)
    # The projection of the cube's centre is the middle of the image.
    clip = np.array([5.0, 0.0, 1.0, 1.0]) @ view @ projection
    np.testing.assert_allclose(clip[:2] / clip[3], 0.0, atol=1e-5)


def test_colours_of_bodies(studio):
    made = studio(envs=2, ground=False).prepare()
    gym, env = made.gym, made.envs[1]
    visual = gymapi.MESH_VISUAL
    found = gym.get_rigid_body_color(env, 0, 0, visual)
    assert [found.x, found.y, found.z] == pytest.approx([0.2, 0.4, 0.6])
    gym.set_rigid_body_color(env, 0, 0, gymapi.MESH_VISUAL_AND_COLLISION, Vec3(1.0, 0.0, 0.0))
    assert gym.get_rigid_body_color(env, 0, 0, visual) == Vec3(1.0, 0.0, 0.0)
    red, blue = (made.image(IMAGE_COLOR, env=index) for index in (1, 0))
    assert (red.shape, red.dtype) == ((HEIGHT, 4 * WIDTH), np.uint8)
    red, blue = (pixels.reshape(HEIGHT, WIDTH, 4) for pixels in (red, blue))
    middle = red[24, 32].astype(int)
    assert middle[0] > middle[1] + 100
    assert middle[3] == 255
    assert blue[24, 32, 2] > blue[24, 32, 0] + 50
    assert (blue[0, 0, :3] == 0).all()
    gym.reset_actor_materials(env, 0, visual)
    assert gym.get_rigid_body_color(env, 0, 0, visual).z == pytest.approx(0.6)


def test_segmentation_ids_of_actors_and_bodies(studio):
    made = studio(envs=2).prepare()
    gym = made.gym
    assert gym.get_rigid_body_segmentation_id(made.envs[1], 0, 0) == 3
    gym.set_rigid_body_segmentation_id(made.envs[1], 0, 0, 12)
    assert gym.get_rigid_body_segmentation_id(made.envs[1], 0, 0) == 12
    assert set(np.unique(made.image(IMAGE_SEGMENTATION, env=1))) == {0, 7, 12}
    assert set(np.unique(made.image(IMAGE_SEGMENTATION, env=0))) == {0, 3, 7}


def test_images_and_tensors_are_of_the_last_rendering(each_engine, studio):
    made = studio(envs=2, ground=False).prepare()
    gym = made.gym
    tensors = [
        gymtorch.wrap_tensor(gym.get_camera_image_gpu_tensor(made.sim, env, 0, IMAGE_DEPTH))
        for env in made.envs
    ]
    assert [tuple(tensor.shape) for tensor in tensors] == [(HEIGHT, WIDTH)] * 2
    made.move(env=1, x=4.0)
    assert float(tensors[1][24, 32]) == pytest.approx(-2.5, rel=1e-4)
    assert made.image(IMAGE_DEPTH, env=1)[24, 32] == pytest.approx(-2.5, rel=1e-4)
    made.render()
    gym.start_access_image_tensors(made.sim)
    assert float(tensors[1][24, 32]) == pytest.approx(-3.5, rel=1e-4)
    assert float(tensors[0][24, 32]) == pytest.approx(-2.5, rel=1e-4)
    gym.end_access_image_tensors(made.sim)
    color = gym.get_camera_image_gpu_tensor(made.sim, made.envs[0], 0, IMAGE_COLOR)
    color = gymtorch.wrap_tensor(color)
    assert (tuple(color.shape), color.dtype) == ((HEIGHT, WIDTH, 4), torch.uint8)
    timers = gym.create_performance_timers(made.sim)
    made.render()
    assert gym.get_performance_timers(made.sim, timers).graphics_sensor_rendering > 0.0


def test_tensors_are_there_while_the_scene_is_created(studio):
    made = studio(ground=False)
    gym, sim, env = made.gym, made.sim, made.envs[0]
    kinds = (IMAGE_COLOR, IMAGE_DEPTH, IMAGE_SEGMENTATION)
    color, depth, ids = (
        gymtorch.wrap_tensor(gym.get_camera_image_gpu_tensor(sim, env, 0, kind)) for kind in kinds
    )
    assert not color.any()
    assert (depth.dtype, ids.dtype) == (torch.float32, torch.int32)
    made.world.add_env()  # more can be created all the same
    gym.create_actor(made.envs[1], gym.get_actor_asset(env, 0), gymapi.Transform(), "cube", 1, 0)
    made.prepare()
    made.render()
    assert float(depth[24, 32]) == pytest.approx(-2.5, rel=1e-4)
    assert int(ids[24, 32]) == 3
    assert color[24, 32, 2] > 50


def test_cameras_that_follow_a_body(studio):
    """On a turned cube, looking back along its x axis at another one."""
    made = studio(ground=False)
    gym, env = made.gym, made.envs[0]
    camera = gym.create_camera_sensor(env, camera_properties())
    made.prepare()
    pose = gymapi.Transform(Vec3(3.0, 0.0, 1.0), gymapi.Quat(0.0, 0.0, 0.5**0.5, 0.5**0.5))
    gym.set_rigid_transform(env, 0, pose)
    ahead = gymapi.Transform(Vec3(2.0, 0.0, 0.0))
    gym.attach_camera_to_body(camera, env, 0, ahead, gymapi.FOLLOW_TRANSFORM)
    found = gym.get_camera_transform(made.sim, env, camera)
    assert (found.p.x, found.p.y, found.p.z) == pytest.approx((3.0, 2.0, 1.0), abs=1e-6)
    assert found.r.rotate(Vec3(1.0, 0.0, 0.0)).y == pytest.approx(1.0)
    gym.attach_camera_to_body(camera, env, 0, ahead, gymapi.FOLLOW_POSITION)
    found = gym.get_camera_transform(made.sim, env, camera)
    assert (found.p.x, found.p.y) == pytest.approx((5.0, 0.0), abs=1e-6)
    assert found.r == gymapi.Quat()
    # Behind it, and looking at it: half a metre from its face.
    behind = gymapi.Transform(Vec3(-1.0, 0.0, 0.0))
    gym.attach_camera_to_body(camera, env, 0, behind, gymapi.FOLLOW_TRANSFORM)
    depth = made.image(IMAGE_DEPTH, camera=camera)
    assert depth[24, 32] == pytest.approx(-0.5, rel=1e-3)
    gym.set_camera_transform(camera, env, gymapi.Transform(Vec3(-3.0, 0.0, 0.0)))
    made.render()
    assert made.image(IMAGE_DEPTH, camera=camera)[24, 32] == pytest.approx(-2.5, rel=1e-3)
    gym.set_camera_location(camera, env, Vec3(3.0, 0.0, 5.0), Vec3(3.0, 0.0, 0.0))
    made.render()
    assert made.image(IMAGE_DEPTH, camera=camera)[24, 32] == pytest.approx(-3.5, rel=1e-3)


SHELL = """
<mujoco><worldbody><body name="cube">
  <geom type="box" size="0.5 0.5 0.5" mass="1" group="3"/>
  <geom type="box" size="0.25 0.25 0.25" mass="0" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize(("collision", "half"), [(False, 0.25), (True, 0.5)])
def test_visual_or_collision_geometry(studio, collision, half):
    made = studio(ground=False, robot=SHELL, use_collision_geometry=collision).prepare()
    assert made.image(IMAGE_DEPTH)[24, 32] == pytest.approx(-(3.0 - half), rel=1e-3)


def test_the_up_axis_is_the_simulations(studio):
    """With y up the same camera is rolled: the ground is a wall to its left."""
    made = studio()
    params = made.gym.get_sim_params(made.sim)
    params.up_axis = gymapi.UP_AXIS_Y
    made.gym.set_sim_params(made.sim, params)
    made.gym.set_camera_location(0, made.envs[0], Vec3(0, 0, 1), Vec3(1, 0, 1))
    ids = made.prepare().image(IMAGE_SEGMENTATION)
    assert (ids[:, :25] == 7).all()
    assert (ids[:, 40:] == 0).all()


def test_near_and_far_planes(studio):
    made = studio(ground=False, far_plane=2.4).prepare()
    assert (made.image(IMAGE_DEPTH) == -np.inf).all()
    assert (made.image(IMAGE_SEGMENTATION) == 0).all()


@pytest.mark.parametrize("channels", [3, 4])
def test_textures(studio, channels):
    """A box whose texture is green all over, in one of two environments."""
    made = studio(envs=2, ground=False)
    gym, env, visual = made.gym, made.envs[1], gymapi.MESH_VISUAL
    pixels = np.zeros((4, 2, channels), np.uint8)
    pixels[..., 1] = 255
    texture = gym.create_texture_from_buffer(made.sim, 2, 4, pixels.reshape(4, -1))
    file = made.world.folder / "texture.png"
    file.write_bytes(png(np.full((2, 2, 3), (0, 0, 255), np.uint8)))
    other = gym.create_texture_from_file(made.sim, str(file))
    assert (texture, other) == (0, 1)
    assert gym.get_rigid_body_texture(env, 0, 0, visual) == gymapi.INVALID_HANDLE
    gym.set_rigid_body_color(env, 0, 0, visual, Vec3(1.0, 1.0, 1.0))
    gym.set_rigid_body_texture(env, 0, 0, visual, texture)
    assert gym.get_rigid_body_texture(env, 0, 0, visual) == texture
    made.prepare()
    green = made.image(IMAGE_COLOR, env=1).reshape(HEIGHT, WIDTH, 4)[24, 32].astype(int)
    assert green[1] > green[0] + 100
    assert green[1] > green[2] + 100
    gym.set_rigid_body_texture(env, 0, 0, visual, other)
    made.render()
    blue = made.image(IMAGE_COLOR, env=1).reshape(HEIGHT, WIDTH, 4)[24, 32].astype(int)
    assert blue[2] > blue[1] + 100
    with pytest.raises(GymError, match="there is no texture 2, 2 were created"):
        gym.set_rigid_body_texture(env, 0, 0, visual, 2)
    with pytest.raises(GymError, match="create textures before prepare_sim"):
        gym.create_texture_from_file(made.sim, str(file))


def test_lights_shine_from_their_direction(studio):
    made = studio(ground=False).prepare()
    gym, dark = made.gym, Vec3()
    white, away = Vec3(1.0, 1.0, 1.0), Vec3(1.0, 0.0, 0.0)
    gym.set_light_parameters(made.sim, 0, white, dark, Vec3(-1.0, 0.0, 0.0))
    lit = made.image(IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)[24, 32, :3].astype(int)
    gym.set_light_parameters(made.sim, 0, white, dark, away)
    made.render()
    unlit = made.image(IMAGE_COLOR).reshape(HEIGHT, WIDTH, 4)[24, 32, :3].astype(int)
    assert lit.max() > 100
    assert unlit.max() < 20
    with pytest.raises(GymError, match="light 4 is not one of 4"):
        gym.set_light_parameters(made.sim, 4, white, dark, away)


def png(pixels):
    """Another way to the same format, for files to be read."""
    from rofunc_isaac.isaacgym.images import to_png

    opaque = np.full((*pixels.shape[:2], 1), 255, np.uint8)
    return to_png(np.concatenate([pixels, opaque], axis=-1))


def decoded(file, channels):
    """The pixels of an unfiltered PNG."""
    content = file.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    position, data = 8, b""
    while position < len(content):
        (size,) = struct.unpack(">I", content[position : position + 4])
        name, body = content[position + 4 : position + 8], content[position + 8 :][:size]
        (checksum,) = struct.unpack(">I", content[position + 8 + size :][:4])
        assert checksum == zlib.crc32(name + body)
        data += body if name == b"IDAT" else b""
        position += size + 12
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(HEIGHT, 1 + WIDTH * channels)
    assert not lines[:, 0].any()
    return lines[:, 1:]


def test_images_in_files(studio):
    made = studio().prepare()
    gym, env, file = made.gym, made.envs[0], made.world.folder / "image.png"
    gym.write_camera_image_to_file(made.sim, env, 0, IMAGE_COLOR, str(file))
    assert np.array_equal(decoded(file, 4), made.image(IMAGE_COLOR))
    gym.write_camera_image_to_file(made.sim, env, 0, IMAGE_SEGMENTATION, str(file))
    assert np.array_equal(decoded(file, 1), made.image(IMAGE_SEGMENTATION))
    gym.write_camera_image_to_file(made.sim, env, 0, IMAGE_DEPTH, str(file))
    grey, depth = decoded(file, 1), made.image(IMAGE_DEPTH)
    assert grey.max() == grey[-1, 0] == 255
    assert grey[24, 32] == round(255 * float(depth.max() / depth[24, 32]))
    assert (grey[depth == -np.inf] == 0).all()


def test_cameras_of_other_sizes_and_no_prepare_sim(studio):
    made = studio(ground=False)
    large = camera_properties(width=300, height=100)
    camera = made.gym.create_camera_sensor(made.envs[0], large)
    made.gym.set_camera_location(camera, made.envs[0], Vec3(0, 0, 1), Vec3(1, 0, 1))
    assert made.image(IMAGE_DEPTH).shape == (HEIGHT, WIDTH)
    assert not made.image(IMAGE_DEPTH, camera=camera).any()
    made.gym.simulate(made.sim)
    made.render()
    depth = made.image(IMAGE_DEPTH, camera=camera)
    assert depth.shape == (100, 300)
    assert extent(np.isfinite(depth)) == (20, 79, 120, 179)


@pytest.mark.parametrize("target", [(4.0, -1.0, 0.5), (1.0, 2.0, -7.0), (1.0, 2.0, 9.0)])
@pytest.mark.parametrize("up", [Vec3(0.0, 0.0, 1.0), Vec3(0.0, 1.0, 0.0)])
def test_looking_at_something(target, up):
    pose = look_at(Vec3(1.0, 2.0, 3.0), Vec3(*target), up)
    towards = (Vec3(*target) - pose.p).normalize()
    forward = pose.r.rotate(Vec3(1.0, 0.0, 0.0))
    assert forward.dot(towards) == pytest.approx(1.0)
    upward, left = pose.r.rotate(Vec3(0.0, 0.0, 1.0)), pose.r.rotate(Vec3(0.0, 1.0, 0.0))
    assert abs(left.dot(up)) < 1e-6 or abs(forward.dot(up)) == pytest.approx(1.0)
    assert upward.dot(up) >= -1e-6
    assert math.isclose(upward.length(), 1.0)


def test_what_cameras_cannot_do(studio):
    made = studio(enable_tensors=False).prepare()
    gym, sim, env = made.gym, made.sim, made.envs[0]
    with pytest.raises(GymError, match="IMAGE_OPTICAL_FLOW is not available"):
        gym.get_camera_image(sim, env, 0, gymapi.IMAGE_OPTICAL_FLOW)
    with pytest.raises(GymError, match="enable_tensors = True"):
        gym.get_camera_image_gpu_tensor(sim, env, 0, IMAGE_COLOR)
    with pytest.raises(GymError, match="get_camera_image: env 0 has no camera 1"):
        gym.get_camera_image(sim, env, 1, IMAGE_COLOR)
    with pytest.raises(GymError, match="attach_camera_to_body: env 0 has no body 5"):
        gym.attach_camera_to_body(0, env, 5, gymapi.Transform(), gymapi.FOLLOW_TRANSFORM)
    gym.destroy_camera_sensor(sim, env, 0)
    with pytest.raises(GymError, match="get_camera_image: env 0 has no camera 0"):
        gym.get_camera_image(sim, env, 0, IMAGE_COLOR)


def test_the_library_is_chosen_by_the_environment(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "OSMesa")
    assert image_renderer.gl_library() == "osmesa"
    monkeypatch.setenv("MUJOCO_GL", "disable")
    assert image_renderer.gl_library() in image_renderer._LIBRARIES


def test_without_opengl_the_mend_is_named(studio, monkeypatch):
    made = studio().prepare()
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setitem(image_renderer._LIBRARIES, "egl", "mujoco.nowhere")
    with pytest.raises(GymError, match=r"nowhere.* apt install libegl1 .* MUJOCO_GL=osmesa"):
        made.image(IMAGE_COLOR)
