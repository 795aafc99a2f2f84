"""Batched rotations against MuJoCo's functions and closed forms; scripted, compiled, gradients."""

from __future__ import annotations

import math
import types

import mujoco
import numpy as np
import pytest
import torch

from rofunc_isaac.isaacgym import torch_utils
from rofunc_isaac.isaacgym.torch_utils import (
    copysign,
    get_axis_params,
    get_basis_vector,
    get_euler_xyz,
    normalize,
    normalize_angle,
    quat_apply,
    quat_axis,
    quat_conjugate,
    quat_from_angle_axis,
    quat_from_euler_xyz,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
    quat_unit,
    scale,
    tensor_clamp,
    tf_apply,
    tf_combine,
    tf_inverse,
    tf_vector,
    to_torch,
    torch_rand_float,
    torch_random_dir_2,
    unscale,
    unscale_np,
)
from tests.no_sync import NoSync

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")

N = 32


@pytest.fixture
def q() -> torch.Tensor:
    return unit_quats(0)


@pytest.fixture
def v() -> torch.Tensor:
    return torch.randn(N, 3, generator=torch.Generator().manual_seed(1))


def unit_quats(seed: int) -> torch.Tensor:
    quats = torch.randn(N, 4, generator=torch.Generator().manual_seed(seed))
    return torch.nn.functional.normalize(quats, dim=-1)


def wxyz(q: torch.Tensor) -> np.ndarray:
    return q[..., [3, 0, 1, 2]].double().numpy()


def by_mujoco(function, size: int, *rows: np.ndarray) -> np.ndarray:
    """The results (N, size) of a mju_* function, called row by row."""
    out = np.zeros((N, size))
    for i in range(N):
        function(out[i], *(row[i] for row in rows))
    return out


def test_quat_mul_agrees_with_mujoco(q):
    p = unit_quats(2)
    expected = by_mujoco(mujoco.mju_mulQuat, 4, wxyz(q), wxyz(p))
    np.testing.assert_allclose(wxyz(quat_mul(q, p)), expected, atol=1e-6)


def test_quat_conjugate_agrees_with_mujoco(q):
    np.testing.assert_allclose(
        wxyz(quat_conjugate(q)), by_mujoco(mujoco.mju_negQuat, 4, wxyz(q)), atol=1e-7
    )


@pytest.mark.parametrize("rotate", [quat_rotate, quat_apply, get_basis_vector, tf_vector])
def test_rotation_agrees_with_mujoco(rotate, q, v):
    expected = by_mujoco(mujoco.mju_rotVecQuat, 3, v.double().numpy(), wxyz(q))
    np.testing.assert_allclose(rotate(q, v), expected, atol=2e-6)


def test_inverse_rotation_undoes_rotation(q, v):
    torch.testing.assert_close(quat_rotate_inverse(q, quat_rotate(q, v)), v, atol=2e-6, rtol=0)
    torch.testing.assert_close(
        quat_rotate_inverse(q, v), quat_rotate(quat_conjugate(q), v), atol=2e-6, rtol=0
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_quat_axis_is_a_column_of_the_matrix(q, axis):
    matrices = by_mujoco(mujoco.mju_quat2Mat, 9, wxyz(q)).reshape(N, 3, 3)
    np.testing.assert_allclose(quat_axis(q, axis), matrices[:, :, axis], atol=2e-6)


def test_quat_from_angle_axis_agrees_with_mujoco(v):
    angle = torch.linspace(-4.0, 4.0, N)
    axes = torch.nn.functional.normalize(v, dim=-1).double().numpy()
    expected = by_mujoco(mujoco.mju_axisAngle2Quat, 4, axes, angle.double().numpy())
    np.testing.assert_allclose(wxyz(quat_from_angle_axis(angle, v)), expected, atol=1e-6)


def test_euler_angles_agree_with_mujoco_and_invert():
    generator = torch.Generator().manual_seed(3)
    angles = (torch.rand(N, 3, generator=generator) - 0.5) * 3.0
    # MuJoCo's upper-case sequence turns about fixed axes, in the order given.
    expected = by_mujoco(
        lambda out, euler: mujoco.mju_euler2Quat(out, euler, "XYZ"), 4, angles.double().numpy()
    )
    q = quat_from_euler_xyz(*angles.unbind(-1))
    np.testing.assert_allclose(wxyz(q), expected, atol=1e-6)
    found = torch.stack(get_euler_xyz(q), dim=-1)
    assert (found >= 0).all()
    assert (found < 2 * math.pi).all()
    torch.testing.assert_close(normalize_angle(found), angles, atol=2e-5, rtol=0)


def test_euler_angles_at_the_pole_are_finite():
    half = math.sqrt(0.5)
    roll, pitch, yaw = get_euler_xyz(torch.tensor([[0.0, half * 1.0001, 0.0, half * 1.0001]]))
    assert torch.isfinite(torch.stack((roll, yaw))).all()
    assert pitch.item() == pytest.approx(0.5 * math.pi)


def test_normalize_angle():
    turns = torch.tensor([0.1, 0.1 + 2 * math.pi, 0.1 - 2 * math.pi, -3.0 + 20 * math.pi])
    expected = torch.tensor([0.1, 0.1, 0.1, -3.0])
    torch.testing.assert_close(normalize_angle(turns), expected, atol=1e-5, rtol=0)


def test_normalize_and_quat_unit():
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    assert normalize(x).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0]]
    assert normalize(torch.tensor([1e-3]), eps=1.0).item() == pytest.approx(1e-3)
    torch.testing.assert_close(quat_unit(3.0 * unit_quats(0)), unit_quats(0))


def test_transforms(q, v):
    p, t, s = unit_quats(4), v.flip(0), v.roll(1, 0)
    q_inv, t_inv = tf_inverse(q, t)
    torch.testing.assert_close(tf_apply(q_inv, t_inv, tf_apply(q, t, v)), v, atol=5e-6, rtol=0)
    q_both, t_both = tf_combine(q, t, p, s)
    torch.testing.assert_close(
        tf_apply(q_both, t_both, v), tf_apply(q, t, tf_apply(p, s, v)), atol=5e-6, rtol=0
    )


def test_leading_dimensions_are_free_and_broadcast_where_1(q, v):
    grid = quat_rotate(q.view(4, 8, 4), v.view(4, 8, 3))
    torch.testing.assert_close(grid.view(N, 3), quat_rotate(q, v))
    up = torch.tensor([[0.0, 0.0, 1.0]])
    torch.testing.assert_close(quat_rotate(q, up), quat_axis(q, 2))
    torch.testing.assert_close(quat_mul(q[:1], q), quat_mul(q[:1].expand_as(q), q))
    assert quat_rotate(q[0], v[0]).shape == (3,)


def test_quat_apply_matches_rows_whatever_their_grouping(q, v):
    # A terrain task turns K points of each of N robots: (N * K, 4) quaternions, (N, K, 3) points.
    points = v.view(4, 8, 3)
    turned = quat_apply(q, points)
    assert turned.shape == points.shape
    torch.testing.assert_close(turned.view(N, 3), quat_rotate(q, v))
    torch.testing.assert_close(tf_apply(q, points, points), turned + points)


def test_linear_maps():
    lower, upper = torch.tensor([-2.0, 0.0]), torch.tensor([2.0, 10.0])
    assert scale(torch.tensor([[-1.0, 1.0], [0.0, 0.5]]), lower, upper).tolist() == [
        [-2, 10],
        [0, 7.5],
    ]
    assert unscale(torch.tensor([[-2.0, 10.0], [0.0, 7.5]]), lower, upper).tolist() == [
        [-1, 1],
        [0, 0.5],
    ]
    values, expected = np.array([[-2.0, 10.0], [0.0, 7.5]]), [[-1, 1], [0, 0.5]]
    np.testing.assert_allclose(
        unscale_np(values, lower.numpy(), upper.numpy()), expected, atol=1e-6
    )
    clamped = tensor_clamp(torch.tensor([[-5.0, 5.0], [5.0, 50.0]]), lower, upper)
    assert clamped.tolist() == [[-2, 5], [2, 10]]
    assert copysign(-3.0, torch.tensor([2.0, -0.5, 0.0])).tolist() == [3.0, -3.0, 0.0]


def test_random_samples():
    torch.manual_seed(0)
    samples = torch_rand_float(-2.0, 3.0, (2000, 2), "cpu")
    assert samples.shape == (2000, 2)
    assert samples.min() >= -2.0
    assert samples.max() < 3.0
    assert samples.mean().item() == pytest.approx(0.5, abs=0.1)
    directions = torch_random_dir_2((2000, 1), "cpu")
    torch.testing.assert_close(directions.norm(dim=-1), torch.ones(2000))
    assert directions.mean(dim=0).abs().max() < 0.1


def test_get_axis_params():
    assert get_axis_params(-9.8, 2) == [0.0, 0.0, -9.8]
    assert get_axis_params(1.0, 1, x_value=3.0) == [3.0, 1.0, 0.0]
    assert get_axis_params(1.0, 0) == [0.0, 0.0, 0.0]
    assert get_axis_params(2, 3, dtype=int, n_dims=4) == [0, 0, 0, 2]
    with pytest.raises(ValueError, match="axis_idx 3 is not one of the 3 dimensions"):
        get_axis_params(1.0, 3)


def test_to_torch(monkeypatch):
    source = torch.ones(2, dtype=torch.int64)
    copied = to_torch(source, device="cpu")
    assert copied.dtype == torch.float32
    assert copied.tolist() == [1.0, 1.0]
    floats = torch.ones(2)
    to_torch(floats, device="cpu").zero_()
    assert floats.tolist() == [1.0, 1.0]
    assert to_torch([1, 2], dtype=torch.long, device="cpu").dtype == torch.long
    assert to_torch([1.0], device="cpu", requires_grad=True).requires_grad
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert to_torch([1.0]).device.type == "cpu"
    with pytest.raises((RuntimeError, AssertionError)):
        to_torch([1.0], device="cuda:99")


SCRIPTABLE = [
    name
    for name in torch_utils.__all__
    if isinstance(getattr(torch_utils, name), types.FunctionType)
    and name not in ("to_torch", "get_axis_params", "unscale_np")
]


@pytest.mark.parametrize("name", SCRIPTABLE)
def test_every_function_can_be_scripted(name):
    torch.jit.script(getattr(torch_utils, name))


def observe(q: torch.Tensor, p: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """What a locomotion task computes each step, as a user would script or compile it."""
    torso = quat_mul(q, quat_conjugate(p))
    roll, pitch, yaw = get_euler_xyz(torso)
    heading = normalize_angle(torch.atan2(v[:, 1], v[:, 0]) - yaw)
    angles = torch.stack((roll, pitch, heading), dim=-1)
    return torch.cat((quat_rotate_inverse(torso, v), quat_axis(torso, 2), angles), dim=-1)


def test_scripted_and_compiled_callers_get_the_same_numbers(q, v):
    p = unit_quats(5)
    expected = observe(q, p, v)
    torch.testing.assert_close(torch.jit.script(observe)(q, p, v), expected)
    compiled = torch.compile(observe, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(q, p, v), expected)


def test_no_function_waits_for_the_device(q, v):
    with NoSync():
        observe(q, q, v)
        tf_combine(*tf_inverse(q, v), q, v)
        quat_from_angle_axis(v[:, 0], v)
        quat_from_euler_xyz(*v.unbind(-1))
        scale(v, v - 1.0, v + 1.0)
        copysign(2.0, v[:, 0])


def test_gradients_agree_with_finite_differences():
    q = unit_quats(6)[:3].double().requires_grad_()
    v = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    for function in (quat_rotate, quat_rotate_inverse):
        assert torch.autograd.gradcheck(function, (q, v))
    assert torch.autograd.gradcheck(quat_mul, (q, q.detach().flip(0).requires_grad_()))


def test_star_import_brings_what_task_code_relies_on():
    namespace: dict = {}
    exec("from rofunc_isaac.isaacgym.torch_utils import *", namespace)
    assert namespace["np"] is np
    assert namespace["torch"] is torch
