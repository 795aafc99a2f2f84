"""Older checkpoints, brought up to date."""

from __future__ import annotations

from pathlib import Path

import torch

from rofunc_isaac.ppo import migrations
from rofunc_isaac.ppo.checkpoint import check_fit, load_checkpoint, save_checkpoint
from tests.ppo.toy_env import reach_learner


def test_there_is_a_step_from_every_older_format() -> None:
    assert list(migrations.STEPS) == list(range(1, migrations.FORMAT))


def test_each_step_leads_to_the_next(monkeypatch) -> None:
    steps = {1: lambda c: c["done"].append("a"), 2: lambda c: c["done"].append("b")}
    monkeypatch.setattr(migrations, "STEPS", steps)
    monkeypatch.setattr(migrations, "FORMAT", 3)
    for start, done in [(1, ["a", "b"]), (2, ["b"]), (3, [])]:
        content = {"format": start, "done": []}
        migrations.migrate(content)
        assert content == {"format": 3, "done": done}


def test_a_checkpoint_outlives_the_renaming_of_a_layer(tmp_path: Path, monkeypatch) -> None:
    learner = reach_learner()
    learner.iterate()
    path = tmp_path / "old.pt"
    save_checkpoint(path, learner, "Reach")
    # As if the heads and the whole trunk had had other names in that version.
    content = torch.load(path, weights_only=True)
    old_names = {"mean_head": "mu", "trunk": "body", "log_std": "sigma"}
    migrations.rename_layers(content, old_names)
    assert {"mu.weight", "body.0.bias", "sigma"} < content["learner"]["network"].keys()
    torch.save(content, path)

    new_names = {old: new for new, old in old_names.items()}
    now = migrations.FORMAT
    step = {now: lambda content: migrations.rename_layers(content, new_names)}
    monkeypatch.setattr(migrations, "STEPS", step)
    monkeypatch.setattr(migrations, "FORMAT", now + 1)
    monkeypatch.setattr("rofunc_isaac.ppo.checkpoint.FORMAT", now + 1)
    content = load_checkpoint(path, "Reach")
    other = reach_learner(seed=5)
    check_fit(path, content, other)
    other.load_state_dict(content["learner"])
    for name, value in learner.network.state_dict().items():
        assert torch.equal(other.network.state_dict()[name], value), name


def test_a_name_that_begins_alike_is_another_layer() -> None:
    content = {"learner": {"network": {"head.weight": 1, "header.weight": 2}}}
    migrations.rename_layers(content, {"head": "top"})
    assert content["learner"]["network"] == {"top.weight": 1, "header.weight": 2}


def test_runs_of_format_2_go_on_uncompiled() -> None:
    content = {"format": 2, "learner": {"numerics": {"precision": "float32"}}}
    migrations.migrate(content)
    assert content["learner"]["numerics"]["compile"] is False
