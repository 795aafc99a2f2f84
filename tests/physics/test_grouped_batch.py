"""Worlds of other models in one batch, against batches of each model alone."""

from __future__ import annotations

import mujoco
import pytest
import torch

from rofunc_isaac.physics.errors import PhysicsError
from rofunc_isaac.physics.grouped_batch import GroupedBatch
from tests.physics.conftest import interleaved

FIELDS = ("qpos", "qvel", "xpos", "cvel", "qacc_warmstart", "xfrc_applied")


def thing(shapes: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"""
<mujoco><option timestep="0.004"/><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body name="thing" pos="0 0 0.3"><freejoint/>{shapes}</body>
</worldbody></mujoco>""")


@pytest.fixture
def things() -> list[mujoco.MjModel]:
    """A ball, a heavier box, and a dumb-bell of three geoms."""
    return [
        thing('<geom type="sphere" size="0.1" mass="1"/>'),
        thing('<geom type="box" size="0.1 0.05 0.2" mass="3"/>'),
        thing(
            '<geom type="sphere" size="0.1" pos="0.2 0 0"/><geom type="sphere" size="0.06"'
            ' pos="-0.2 0 0"/><geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.02"/>'
        ),
    ]


def throw(batch, start, pushes):
    """Every field after each of 40 steps, in which worlds are pushed and one of them reset."""
    views = {name: batch.view(name) for name in FIELDS}
    views["qvel"].copy_(start)
    seen = []
    for step, push in enumerate(pushes):
        views["xfrc_applied"][:, 1] = push
        if step == 20:
            batch.reset(torch.arange(batch.num_envs) == 1)
        batch.step(2)
        seen.append({name: view.clone() for name, view in views.items()})
    return seen


def test_each_group_moves_as_its_batch_does_alone(make_plain_batch, things):
    generator = torch.Generator().manual_seed(3)
    starts = torch.randn(3, 2, 6, generator=generator)
    pushes = torch.randn(40, 3, 2, 6, generator=generator)
    # A reset of the joined batch's world 1, which is world 0 of the second group, resets one
    # world of one group; here no group resets any other.
    alone = []
    for group, model in enumerate(things):
        batch = make_plain_batch(model, 2, forward=True)
        views = {name: batch.view(name) for name in FIELDS}
        views["qvel"].copy_(starts[group])
        seen = []
        for step in range(40):
            views["xfrc_applied"][:, 1] = pushes[step, group]
            if step == 20 and group == 1:
                batch.reset(torch.tensor([True, False]))
            batch.step(2)
            seen.append({name: view.clone() for name, view in views.items()})
        alone.append(seen)
    joined = interleaved([make_plain_batch(model, 2, forward=True) for model in things])
    in_turn = pushes.transpose(1, 2).reshape(40, 6, 6)
    together = throw(joined, starts.transpose(0, 1).reshape(6, 6), in_turn)
    for step in range(40):
        for name in FIELDS:
            of_all = together[step][name].unflatten(0, (2, 3))
            for group in range(3):
                assert torch.equal(of_all[:, group], alone[group][step][name]), (step, name)


def test_what_the_models_have_in_other_numbers_is_asked_of_the_groups(make_plain_batch, things):
    batch = interleaved([make_plain_batch(model, 2) for model in things])
    with pytest.raises(PhysicsError, match="'geom_size' has other shapes"):
        batch.parameter("geom_size")
    assert [tuple(group.parameter("geom_size").shape) for group in batch.groups] == [
        (2, 2, 3),
        (2, 2, 3),
        (2, 4, 3),
    ]


def test_a_parameter_reaches_the_worlds_of_its_rows(make_plain_batch, things):
    batch = interleaved([make_plain_batch(model, 2) for model in things])
    qvel = batch.view("qvel")
    gravity = batch.parameter("gravity")
    assert gravity[:, 2].tolist() == pytest.approx([-9.81] * 6)
    gravity[:, 2] = -torch.arange(6.0)
    batch.step(5)
    torch.testing.assert_close(qvel[:, 2], -torch.arange(6.0) * 5 * 0.004)


def test_constants_that_follow_from_parameters_are_collected(make_plain_batch, things):
    batch = interleaved([make_plain_batch(model, 1) for model in things])
    mass, below = batch.parameter("body_mass"), batch.parameter("body_subtreemass")
    mass[:, 1] = torch.tensor([2.0, 5.0, 7.0])
    batch.set_const()
    assert below[:, 0].tolist() == pytest.approx([2.0, 5.0, 7.0])


def test_worlds_that_break_down_are_told_by_their_numbers(make_plain_batch, things):
    batch = interleaved([make_plain_batch(model, 2) for model in things])
    batch.view("qvel")[4, 3] = 1e5
    batch.step(1)
    assert batch.unstable.tolist() == [False, False, False, False, True, False]
    batch.step(1)
    assert not batch.unstable.any()
    assert batch.unstable_resets.tolist() == [0, 0, 0, 0, 1, 0]
    assert batch.warning_counts.sum(dim=1).tolist() == [0, 0, 0, 0, 1, 0]


def test_rows_are_the_numbers_of_the_worlds(make_plain_batch, things):
    batches = [make_plain_batch(model, 2) for model in things[:2]]
    with pytest.raises(PhysicsError, match="each once"):
        GroupedBatch(batches, [torch.tensor([0, 1]), torch.tensor([1, 2])])


def test_a_snapshot_of_other_groups_is_refused(make_plain_batch, things):
    batches = [make_plain_batch(model, 2) for model in things[:2]]
    snapshot = GroupedBatch(batches, [torch.tensor([0, 1]), torch.tensor([2, 3])]).snapshot()
    with pytest.raises(PhysicsError, match="4 worlds in 2 groups"):
        GroupedBatch(batches, [torch.tensor([0, 2]), torch.tensor([1, 3])]).restore(snapshot)


def test_a_snapshot_of_one_model_is_refused_by_groups_and_the_reverse(make_plain_batch, things):
    plain = make_plain_batch(things[0], 4)
    grouped = interleaved([make_plain_batch(model, 2) for model in things[:2]])
    with pytest.raises(PhysicsError, match="all worlds share a model, in this one groups"):
        grouped.restore(plain.snapshot())
    with pytest.raises(PhysicsError, match="have a model each, in this one all"):
        plain.restore(grouped.snapshot())
