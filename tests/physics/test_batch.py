"""What every engine promises, on MuJoCo C and on MuJoCo Warp, against MuJoCo and closed forms."""

import math

import mujoco
import pytest
import torch

from rofunc_isaac.physics.batch import Batch
from rofunc_isaac.physics.errors import PhysicsError


def test_each_world_follows_plain_mujoco(make_batch, pendulum):
    batch = make_batch(pendulum, num_envs=3)
    qpos, ctrl = batch.view("qpos"), batch.view("ctrl")
    angles, torques = torch.tensor([0.1, -0.5, 1.0]), torch.tensor([0.0, 2.0, -1.0])
    qpos[:, 0], ctrl[:, 0] = angles, torques
    batch.step(50)
    batch.step(50)
    for angle, torque, reached in zip(angles, torques, qpos[:, 0], strict=True):
        data = mujoco.MjData(pendulum)
        data.qpos[0], data.ctrl[0] = float(angle), float(torque)
        for _ in range(100):
            mujoco.mj_step(pendulum, data)
        assert float(reached) == pytest.approx(data.qpos[0], abs=1e-6)


def test_a_small_swing_has_the_period_of_a_pendulum(make_batch, pendulum):
    batch = make_batch(pendulum, num_envs=1)
    qpos = batch.view("qpos")
    qpos[0, 0] = 0.01
    # A point mass at 1 m; the sphere's own inertia adds 2/5 r^2 = 0.00016 m^2.
    period = 2 * math.pi * math.sqrt((1 + 0.4 * 0.02**2) / 9.81)
    batch.step(round(period / 0.005))
    assert float(qpos[0, 0]) == pytest.approx(0.01, rel=1e-3)


def test_parameters_differ_by_world(make_batch, box):
    batch = make_batch(box, num_envs=2)
    qpos = batch.view("qpos")
    gravity = batch.parameter("gravity")
    gravity[1] = torch.tensor([0.0, 0.0, 2.0])
    batch.step(10)
    time = 10 * box.opt.timestep
    # Semi-implicit Euler falls by g h^2 n (n + 1) / 2.
    fall = [g * box.opt.timestep**2 * 10 * 11 / 2 for g in (-9.81, 2.0)]
    assert qpos[:, 2].tolist() == pytest.approx([0.3 + fall[0], 0.3 + fall[1]], abs=1e-6)
    assert time < 0.1


def test_set_const_recomputes_what_follows_from_a_parameter(make_batch, box):
    batch = make_batch(box, num_envs=2)
    batch.parameter("body_mass")[1, 1] = 8.0
    batch.parameter("body_subtreemass")
    batch.set_const()
    mass = 0.2**3 * 500
    assert batch.parameter("body_subtreemass")[:, 0].tolist() == pytest.approx([mass, 8.0])


def test_reset_by_mask_leaves_the_other_worlds_alone(make_batch, box):
    batch = make_batch(box, num_envs=3)
    qpos = batch.view("qpos")
    batch.step(20)
    fallen = qpos[0].clone()
    batch.reset(torch.tensor([False, True, False]))
    assert qpos[1, 2] == pytest.approx(0.3)
    assert torch.equal(qpos[0], fallen)
    assert torch.equal(qpos[2], fallen)


def test_writing_a_view_moves_the_world_at_the_next_step(make_batch, box):
    batch = make_batch(box, num_envs=2)
    qpos, qvel = batch.view("qpos"), batch.view("qvel")
    batch.step(1)
    qpos[0, 2], qvel[0] = 5.0, 0.0
    batch.step(1)
    assert float(qpos[0, 2]) == pytest.approx(5.0 - 9.81 * 0.004**2, abs=1e-6)


def test_derived_fields_lag_a_step_unless_forward_is_asked_for(make_batch, box):
    lagging, current = make_batch(box, 1), make_batch(box, 1, forward=True)
    for batch in (lagging, current):
        batch.view("xpos"), batch.view("qpos")
        batch.step(2)
    assert torch.equal(current.view("xpos")[0, 1], current.view("qpos")[0, :3])
    assert lagging.view("xpos")[0, 1, 2] > lagging.view("qpos")[0, 2]
    lagging.forward()
    assert torch.equal(lagging.view("xpos")[0, 1], lagging.view("qpos")[0, :3])


def contact_rich(batch: Batch, steps: int) -> list[torch.Tensor]:
    """Drops boxes of various spin, resetting one of them now and then; returns all views."""
    qpos, qvel, xpos = (batch.view(name) for name in ("qpos", "qvel", "xpos"))
    seen = []
    for step in range(steps):
        if step % 7 == 3:
            mask = torch.arange(batch.num_envs) == step % batch.num_envs
            qpos.copy_(torch.where(mask[:, None], qpos + 0.05, qpos))
            qvel.copy_(torch.where(mask[:, None], torch.full_like(qvel, 0.3), qvel))
        batch.step(2)
        seen += [qpos.clone(), qvel.clone(), xpos.clone()]
    return seen


def test_a_restored_batch_goes_on_bit_for_bit(make_batch, box):
    batch = make_batch(box, num_envs=5)
    batch.parameter("geom_friction")[:, 1, 0] = torch.linspace(0.2, 1.0, 5)
    contact_rich(batch, 40)
    snapshot = batch.snapshot()
    expected = contact_rich(batch, 40)

    other = make_batch(box, num_envs=5)
    for name in ("qpos", "qvel", "xpos"):
        other.view(name)
    other.restore(snapshot)
    assert torch.equal(other.view("xpos"), snapshot["views"]["xpos"])
    assert all(map(torch.equal, contact_rich(other, 40), expected))
    batch.restore(snapshot)
    assert all(map(torch.equal, contact_rich(batch, 40), expected))


def test_writes_from_before_a_restore_leave_no_trace(make_batch, box):
    batch = make_batch(box, num_envs=3)
    contact_rich(batch, 20)
    snapshot = batch.snapshot()
    expected = contact_rich(batch, 20)
    other = make_batch(box, num_envs=3)
    for name in ("qpos", "qvel", "xpos"):
        other.view(name)
    other.step(1)
    other.view("qpos")[1:] += 0.1  # no step has taken it up
    other.restore(snapshot)
    assert all(map(torch.equal, contact_rich(other, 20), expected))


def test_a_reset_straight_after_a_restore_takes_effect(make_batch, box):
    batch = make_batch(box, num_envs=2)
    qpos = batch.view("qpos")
    start = qpos.clone()
    start[:] = torch.tensor(box.qpos0)
    batch.step(30)
    snapshot = batch.snapshot()
    other = make_batch(box, num_envs=2)
    other_qpos, other_qvel = other.view("qpos"), other.view("qvel")
    other.restore(snapshot)
    # The value that the fresh batch's copy held before the restore: it must not be swallowed.
    other_qpos[0], other_qvel[0] = start[0], 0.0
    other.step(1)
    assert float(other_qpos[0, 2]) == pytest.approx(0.3 - 9.81 * 0.004**2, abs=1e-6)
    assert float(other_qpos[1, 2]) < 0.29


def test_snapshots_load_with_weights_only(make_batch, box, tmp_path):
    batch = make_batch(box, num_envs=2)
    batch.view("qpos")
    torch.save(batch.snapshot(), tmp_path / "snapshot.pt")
    batch.restore(torch.load(tmp_path / "snapshot.pt", weights_only=True))


def test_a_snapshot_of_other_worlds_is_refused(make_batch, box, pendulum):
    snapshot = make_batch(box, num_envs=2).snapshot()
    with pytest.raises(PhysicsError, match="2 worlds"):
        make_batch(box, num_envs=3).restore(snapshot)
    with pytest.raises(PhysicsError, match="another model"):
        make_batch(pendulum, num_envs=2).restore(snapshot)
