"""Command-line arguments, simulation configurations and line drawings."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import gymapi, gymutil


@pytest.fixture
def parse(monkeypatch):
    def parse(*words, cuda=True, **options):
        monkeypatch.setattr(sys, "argv", ["program", *words])
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        return gymutil.parse_arguments(**options)

    return parse


@pytest.mark.parametrize(
    ("word", "expected"),
    [("cpu", ("cpu", 0)), ("cuda", ("cuda", 0)), ("cuda:3", ("cuda", 3)), ("cpu:0", ("cpu", 0))],
)
def test_device_strings(word, expected):
    assert gymutil.parse_device_str(word) == expected


@pytest.mark.parametrize("word", ["gpu", "cuda:", "cuda:x", "cuda:-1", "", "cuda:0:1"])
def test_wrong_device_strings_are_refused(word):
    with pytest.raises(ValueError, match="is not a device"):
        gymutil.parse_device_str(word)


def test_defaults_on_a_machine_with_a_gpu(parse):
    assert vars(parse()) == {
        "compute_device_id": 0,
        "flex": False,
        "graphics_device_id": 0,
        "num_threads": 0,
        "physics_engine": gymapi.SIM_PHYSX,
        "physx": False,
        "pipeline": "gpu",
        "sim_device": "cuda:0",
        "sim_device_type": "cuda",
        "slices": 0,
        "subscenes": 0,
        "use_gpu": True,
        "use_gpu_pipeline": True,
    }


def test_defaults_on_a_machine_without_one(parse):
    args = parse(cuda=False)
    assert (args.sim_device, args.sim_device_type, args.pipeline) == ("cpu", "cpu", "cpu")
    assert (args.use_gpu, args.use_gpu_pipeline, args.compute_device_id) == (False, False, 0)


def test_given_arguments(parse):
    args = parse("--sim_device=cuda:2", "--pipeline=CPU", "--subscenes=4", "--num_threads=8")
    assert (args.compute_device_id, args.use_gpu, args.use_gpu_pipeline) == (2, True, False)
    assert (args.subscenes, args.slices, args.num_threads) == (4, 4, 8)
    assert parse("--subscenes=4", "--slices=2").slices == 2


def test_a_gpu_pipeline_needs_a_gpu_simulation(parse):
    with pytest.warns(UserWarning, match="the physics runs on cpu; using the CPU pipeline"):
        args = parse("--sim_device=cpu", "--pipeline=gpu")
    assert (args.pipeline, args.use_gpu_pipeline) == ("cpu", False)
    with pytest.warns(UserWarning, match="FleX has none"):
        args = parse("--flex", "--pipeline=gpu")
    assert args.physics_engine == gymapi.SIM_FLEX


def test_custom_parameters_and_flags(parse):
    parameters = [
        {"name": "--num_envs", "type": int, "default": 256, "help": "envs"},
        {"name": "--test", "action": "store_true"},
        {"name": "--mode", "choices": ["a", "b"]},
    ]
    args = parse("--num_envs=3", "--mode=b", custom_parameters=parameters, headless=True)
    assert (args.num_envs, args.test, args.mode, args.headless) == (3, False, "b", False)
    assert parse("--nographics", headless=True, no_graphics=True).headless
    with pytest.raises(ValueError, match="needs a name"):
        parse(custom_parameters=[{"type": int}])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sim_device=gpu"], "is not a device"),
        (["--pipeline=fast"], 'neither "cpu" nor "gpu"'),
        (["--flex", "--physx"], "not allowed with"),
        (["--num_env=3"], "unrecognized"),
    ],
)
def test_wrong_arguments_end_the_program(parse, capsys, words, message):
    with pytest.raises(SystemExit, match="2"):
        parse(*words)
    assert message in capsys.readouterr().err


def test_sim_config_as_legged_gym_writes_it():
    params = gymapi.SimParams()
    config = {
        "dt": 0.005,
        "substeps": 1,
        "gravity": [0.0, 0.0, -9.81],
        "up_axis": 1,
        "physx": {"num_threads": 10, "solver_type": 1, "contact_collection": 2},
    }
    gymutil.parse_sim_config(config, params)
    assert (params.dt, params.substeps, params.up_axis) == (0.005, 1, gymapi.UP_AXIS_Z)
    assert params.gravity == gymapi.Vec3(0, 0, -9.81)
    assert params.physx.num_threads == 10
    assert params.physx.contact_collection is gymapi.CC_ALL_SUBSTEPS


def test_sim_config_axes_by_name_and_mistakes():
    params = gymapi.SimParams()
    gymutil.parse_sim_config({"up_axis": "z"}, params)
    assert params.up_axis is gymapi.UP_AXIS_Z
    with pytest.raises(ValueError, match='up_axis "x"'):
        gymutil.parse_sim_config({"up_axis": "x"}, params)
    with pytest.warns(UserWarning, match="'substep' is not a simulation parameter"):
        gymutil.parse_sim_config({"substep": 3}, params)
    with pytest.raises(AttributeError, match="num_theads"):
        gymutil.parse_sim_config({"physx": {"num_theads": 3}}, params)


class RecordingGym:
    """Keeps what it is asked to draw."""

    def __init__(self):
        self.calls = []

    def add_lines(self, viewer, env, num_lines, vertices, colors):
        self.calls.append((viewer, env, num_lines, vertices, colors))


def floats(vectors: np.ndarray) -> np.ndarray:
    return np.stack([vectors[name] for name in "xyz"], axis=-1)


def test_axes_are_drawn_at_the_pose():
    gym, pose = RecordingGym(), gymapi.Transform(gymapi.Vec3(1, 2, 3))
    # A quarter turn about z takes x to y and y to -x.
    pose.r = gymapi.Quat.from_axis_angle(gymapi.Vec3(0, 0, 1), 0.5 * np.pi)
    gymutil.draw_lines(gymutil.AxesGeometry(0.5), gym, "viewer", "env", pose)
    ((viewer, env, num_lines, vertices, colors),) = gym.calls
    assert (viewer, env, num_lines) == ("viewer", "env", 3)
    assert vertices.dtype == colors.dtype == gymapi.Vec3.dtype
    ends = [[1, 2.5, 3], [0.5, 2, 3], [1, 2, 3.5]]
    expected = [[[1, 2, 3], end] for end in ends]
    np.testing.assert_allclose(floats(vertices), expected, atol=1e-6)
    np.testing.assert_array_equal(floats(colors), np.eye(3))


def test_box_edges():
    box = gymutil.WireframeBoxGeometry(2.0, 4.0, 6.0, color=(0, 1, 0))
    ends = floats(box.vertices())
    assert box.num_lines() == 12
    assert ends.shape == (12, 2, 3)
    np.testing.assert_array_equal(np.abs(ends), np.broadcast_to([1.0, 2.0, 3.0], (12, 2, 3)))
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1)
    assert sorted(lengths) == [2.0] * 4 + [4.0] * 4 + [6.0] * 4
    assert len({tuple(sorted(map(tuple, pair))) for pair in ends.tolist()}) == 12
    same = gymutil.WireframeBBoxGeometry([[-1, -2, -3], [1, 2, 3]])
    np.testing.assert_array_equal(floats(same.vertices()), ends)


def test_sphere_lines_lie_on_the_sphere():
    pose = gymapi.Transform(gymapi.Vec3(1, 0, 0))
    sphere = gymutil.WireframeSphereGeometry(0.3, 6, 8, pose, color=(1, 1, 0), color2=(0, 0, 1))
    ends = floats(sphere.vertices())
    np.testing.assert_allclose(np.linalg.norm(ends - [1, 0, 0], axis=-1), 0.3, atol=1e-6)
    assert sphere.num_lines() == len(sphere.colors()) == 6 * 8 + 5 * 8
    assert (np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1) > 1e-3).all()


def test_geometries_of_one_line_and_of_users():
    gym = RecordingGym()
    gymutil.draw_line(
        gymapi.Vec3(1, 0, 0), gymapi.Vec3(0, 2, 0), gymapi.Vec3(1, 1, 0), gym, None, 7
    )
    (_, env, num_lines, vertices, colors) = gym.calls[0]
    assert (env, num_lines) == (7, 1)
    assert floats(vertices).tolist() == [[[1, 0, 0], [0, 2, 0]]]
    assert floats(colors).tolist() == [[1, 1, 0]]

    class Arrow(gymutil.LineGeometry):
        def vertices(self):
            return np.zeros((5, 2), dtype=gymapi.Vec3.dtype)

    assert Arrow().num_lines() == 5
    with pytest.raises(NotImplementedError, match="Arrow defines no colors"):
        Arrow().colors()


def test_xml_is_indented_for_the_tasks_that_write_robots():
    root = ET.fromstring("<mujoco><worldbody><body><geom/><geom/></body></worldbody></mujoco>")
    gymutil._indent_xml(root)
    assert ET.tostring(root).decode().splitlines() == [
        "<mujoco>",
        "  <worldbody>",
        "    <body>",
        "      <geom />",
        "      <geom />",
        "    </body>",
        "  </worldbody>",
        "</mujoco>",
    ]
