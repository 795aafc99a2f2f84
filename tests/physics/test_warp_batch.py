"""What is MuJoCo Warp's own: its agreement with MuJoCo C, its fixed room, what it lacks."""

from __future__ import annotations

import logging

import mujoco
import pytest
import torch

from rofunc_isaac.physics import warp_batch
from rofunc_isaac.physics.capacity import Capacity, probe
from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.mujoco_batch import MujocoBatch
from rofunc_isaac.physics.warp_batch import WarpBatch, bytes_per_world, check_memory

CPU = torch.device("cpu")
CONTACTS, CONSTRAINTS = mujoco.mjtWarning.mjWARN_CONTACTFULL, mujoco.mjtWarning.mjWARN_CNSTRFULL

EVERYTHING = """
<mujoco>
  <option timestep="0.004"/>
  <asset><hfield name="hills" nrow="4" ncol="4" size="2 2 0.3 0.1"
    elevation="0 1 0 1  1 0 1 0  0 1 0 1  1 0 1 0"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hills"/>
    <body name="handle" mocap="true" pos="0 0 2">
      <geom size="0.05" contype="0" conaffinity="0"/></body>
    <body name="ball" pos="0.3 0.1 0.8"><freejoint/><geom name="ball" size="0.1" density="500"/>
      <site name="middle"/></body>
    <body name="arm" pos="0 0 2">
      <joint name="swing" type="ball" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" contype="0" conaffinity="0"/>
      <body pos="0.4 0 0">
        <joint name="reach" type="slide" axis="1 0 0" range="-0.1 0.1" stiffness="20"
          armature="0.1" frictionloss="0.05"/>
        <geom size="0.05" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <equality><weld body1="handle" body2="arm" relpose="0 0 0 1 0 0 0" active="false"/></equality>
  <actuator><motor name="push" joint="reach" gear="3"/>
    <position joint="reach" kp="5" kv="1" forcerange="-2 2"/></actuator>
  <sensor><accelerometer site="middle"/><gyro site="middle"/><framelinvel objtype="body"
    objname="ball"/><jointpos joint="reach"/><actuatorfrc actuator="push"/></sensor>
</mujoco>
"""
FIELDS = (
    *("qpos", "qvel", "xpos", "xquat", "xmat", "xipos", "cvel", "subtree_com", "site_xpos"),
    *("sensordata", "qfrc_actuator", "qfrc_passive", "qfrc_constraint", "actuator_force", "qacc"),
)


def assert_close(warp: WarpBatch, c: MujocoBatch, relative: float) -> None:
    for name in FIELDS:
        own, reference = warp.view(name), c.view(name)
        scale = max(1.0, float(reference.abs().max()))
        assert own.shape == reference.shape, name
        assert float((own - reference).abs().max()) <= relative * scale, name


def test_every_field_follows_mujoco_c_through_contact_forces_and_resets():
    """50 steps, each from the same state: float32 against float64, free of chaos."""
    model = mujoco.MjModel.from_xml_string(EVERYTHING)
    c, warp = MujocoBatch(model, 4, num_threads=1), WarpBatch(model, 4, CPU)
    inputs = ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
    for batch in (c, warp):
        for name in (*FIELDS, *inputs, "qacc_warmstart"):
            batch.view(name)
    generator = torch.Generator().manual_seed(0)
    contacts = 0
    for step in range(50):
        for name in (*inputs[2:5], "mocap_pos"):
            field = c.view(name)
            field.copy_(torch.rand(field.shape, generator=generator) - 0.5)
        for name in (*inputs, "qacc_warmstart"):
            warp.view(name).copy_(c.view(name))
        for batch in (c, warp):
            batch.step(2)
        assert_close(warp, c, 2e-4)
        contacts += int((c.view("sensordata")[:, :3].norm(dim=1) > 20).sum())
        if step % 10 == 9:
            mask = torch.rand(4, generator=generator) < 0.5
            for batch in (c, warp):
                batch.reset(mask)
            assert torch.equal(c.view("qpos")[mask], warp.view("qpos")[mask])
    assert contacts > 10, "the ball hit the ground"


def test_parameters_and_what_follows_from_them_agree_with_mujoco_c(box):
    c, warp = MujocoBatch(box, 3, num_threads=1), WarpBatch(box, 3, CPU)
    for batch in (c, warp):
        batch.view("qpos"), batch.view("qvel")
        batch.parameter("body_mass")[:, 1] = torch.tensor([4.0, 2.0, 8.0])
        batch.parameter("geom_friction")[:, 1, 0] = torch.tensor([0.1, 0.5, 1.0])
        batch.parameter("gravity")[:, 0] = torch.tensor([3.0, 4.0, 5.0])
        for name in ("body_subtreemass", "dof_invweight0", "body_invweight0"):
            batch.parameter(name)
        batch.set_const()
    for name in ("body_subtreemass", "dof_invweight0", "body_invweight0"):
        assert torch.allclose(c.parameter(name), warp.parameter(name), rtol=1e-5), name
    for batch in (c, warp):
        batch.step(100)
    assert torch.allclose(c.view("qpos"), warp.view("qpos"), atol=1e-4)
    # They slide, the farther the more slippery and the steeper it is.
    assert len({round(float(x), 2) for x in warp.view("qpos")[:, 0]}) == 3


# ---- its room for contacts ----


def test_the_probe_finds_what_a_box_on_the_floor_needs(box):
    capacity = probe(box)
    # Eight corners at the most; a pyramidal cone has four edges a contact.
    assert 4 * 2 <= capacity.contacts <= 24
    assert 16 * 2 <= capacity.constraints <= 72


def test_what_is_lost_is_counted_and_told_with_the_setting(box, caplog):
    batch = WarpBatch(box, 2, CPU, capacity=Capacity(contacts=1, constraints=64))
    with caplog.at_level(logging.WARNING):
        batch.maintain()
        assert not caplog.records
        batch.step(60)  # it lands after 0.2 s, on four corners
        batch.maintain()
        batch.maintain()
    assert batch.warning_counts[:, CONTACTS].sum() > 0
    (record,) = caplog.records
    assert "too little room for contacts (1 a world)" in record.getMessage()
    assert "simulator.max_contacts" in record.getMessage()
    assert batch.capacity == Capacity(1, 64)


def test_constraints_that_are_lost_are_counted_too(box):
    batch = WarpBatch(box, 2, CPU, capacity=Capacity(contacts=8, constraints=8))
    batch.step(60)
    assert batch.warning_counts[:, CONSTRAINTS].tolist() != [0, 0]
    assert batch.warning_counts[:, CONTACTS].tolist() == [0, 0]


def test_left_to_itself_it_makes_room_and_goes_on(box, monkeypatch, caplog):
    monkeypatch.setattr(warp_batch, "probe", lambda model: Capacity(contacts=1, constraints=4))
    batch, c = WarpBatch(box, 2, CPU), MujocoBatch(box, 2, num_threads=1)
    qpos, qvel = batch.view("qpos"), batch.view("qvel")
    address = qpos.data_ptr()
    for _ in range(5):
        batch.step(20)
        batch.maintain()
    assert batch.capacity.contacts >= 4
    assert batch.capacity.constraints >= 16
    assert any("there is twice as much now" in r.getMessage() for r in caplog.records)
    lost = batch.warning_counts.clone()
    # The same memory, and physics that miss nothing any more.
    assert qpos.data_ptr() == address == batch.view("qpos").data_ptr()
    c.view("qpos").copy_(qpos), c.view("qvel").copy_(qvel)
    c.view("qacc_warmstart").copy_(batch.view("qacc_warmstart"))
    for one in (batch, c):
        one.step(50)
    assert torch.allclose(qpos, c.view("qpos"), atol=1e-4)
    assert torch.equal(batch.warning_counts, lost)


def test_a_snapshot_keeps_the_room_that_was_made(box, monkeypatch):
    monkeypatch.setattr(warp_batch, "probe", lambda model: Capacity(contacts=1, constraints=4))
    batch = WarpBatch(box, 2, CPU)
    for _ in range(5):
        batch.step(20)
        batch.maintain()
    other = WarpBatch(box, 2, CPU)
    other.restore(batch.snapshot())
    other.maintain()  # what was lost before has been answered before
    assert other.capacity == batch.capacity
    for one in (batch, other):
        one.step(30)
    assert torch.equal(batch.view("qpos"), other.view("qpos"))


# ---- what can't be had ----


def test_views_are_warps_own_memory(box):
    batch = WarpBatch(box, 2, CPU)
    batch.view("qpos")[1, 2] = 5.0
    assert batch._data.qpos.numpy()[1, 2] == 5.0
    batch.parameter("body_mass")[1, 1] = 3.0
    assert batch._model.body_mass.numpy()[1, 1] == 3.0


def test_three_vectors_are_no_matrix():
    body = "<body><freejoint/><geom size='1'/></body>"
    text = f"<mujoco><worldbody>{body}{body}</worldbody></mujoco>"
    batch = WarpBatch(mujoco.MjModel.from_xml_string(text), 2, CPU)
    assert batch.view("xpos").shape == (2, 3, 3)
    assert batch.view("xmat").shape == (2, 3, 9)


def test_a_model_with_what_it_lacks_is_refused():
    text = "<mujoco><option noslip_iterations='3'/><worldbody><geom size='1'/></worldbody></mujoco>"
    with pytest.raises(PhysicsError, match=r"noslip.*simulator=mujoco sim_device=cpu"):
        WarpBatch(mujoco.MjModel.from_xml_string(text), 2, CPU)


def test_a_parameter_that_all_worlds_share_is_refused(box):
    with pytest.raises(PhysicsError, match="no field 'geom_contype' for each world"):
        WarpBatch(box, 2, CPU).parameter("geom_contype")


def test_too_little_memory_names_the_number_that_fits(box):
    per_world = bytes_per_world(box, Capacity(8, 32))
    assert per_world > 8 * 4 * 3 * 3  # a frame of each contact alone
    assert bytes_per_world(box, Capacity(80, 320)) > 3 * per_world
    free = 1000 * per_world
    check_memory(per_world, 800, free)
    with pytest.raises(PhysicsError, match=r"num_envs=801 needs .* num_envs=800 would fit"):
        check_memory(per_world, 801, free)


GPU = pytest.param(
    "cuda:0",
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU"),
    ],
)


@pytest.mark.parametrize("name", ["cpu", GPU])
def test_a_captured_step_equals_an_eager_one(box, name):
    device = torch.device(name)
    batch, reference = WarpBatch(box, 64, device), WarpBatch(box, 64, device)
    spin = torch.linspace(-3.0, 3.0, 64, device=device)
    for one in (batch, reference):
        one.view("qvel")[:, 3] = spin
    captures = set()
    for step in range(60):
        if step == 30:  # what a graph reads has moved: it is captured again
            for one in (batch, reference):
                one.parameter("geom_friction")[:, 1, 0] = 0.3
        batch.step(2)
        captures.add(batch._graphs[2])
        reference._graphs.clear()  # always eager
        reference.step(2)
        assert torch.allclose(batch.view("qpos"), reference.view("qpos"), atol=1e-5)
    assert len(captures - {None}) == 2


@pytest.mark.parametrize("name", ["cpu", GPU])
def test_a_captured_forward_pass_follows_the_state(box, name):
    batch = WarpBatch(box, 3, torch.device(name))
    qpos, xpos = batch.view("qpos"), batch.view("xpos")
    for height in (1.0, 2.0, 3.0):
        qpos[:, 2] = height
        batch.forward()
        assert xpos[:, 1, 2].tolist() == [height] * 3
    assert batch._graphs[0] is not None
