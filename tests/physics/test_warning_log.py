"""A world that leaves the finite numbers is reset, counted, and said in one line."""

import logging
import subprocess
import sys

import mujoco
import pytest
import torch

from rofunc_isaac.physics.mujoco_batch import MujocoBatch

BADQPOS, BADQVEL = mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL


def test_an_unstable_world_is_reset_and_counted(box):
    batch = MujocoBatch(box, num_envs=4)
    qpos, qvel = batch.view("qpos"), batch.view("qvel")
    batch.step(10)
    qpos[2, 0], qvel[3, 1] = float("nan"), 1e15
    batch.step(1)
    assert batch.unstable.tolist() == [False, False, True, True]
    assert torch.isfinite(qpos).all()
    assert qpos[2, 2] > qpos[0, 2], "put back to the start, where it is higher"
    batch.step(1)
    assert not batch.unstable.any()
    qpos[2, 0] = float("inf")
    batch.step(1)
    assert batch.unstable_resets.tolist() == [0, 0, 2, 1]
    assert batch.warning_counts[2, BADQPOS] == 2
    assert batch.warning_counts[3, BADQVEL] == 1


def test_a_world_that_runs_away_is_reset_long_before_mujoco_minds(box):
    batch = MujocoBatch(box, num_envs=4)
    qpos, qvel = batch.view("qpos"), batch.view("qvel")
    batch.step(10)
    qvel[:, 0] = torch.tensor([990.0, 1010.0, -1010.0, 0.0])
    batch.step(1)
    assert batch.unstable.tolist() == [False, True, True, False]
    assert qpos[0, 0] == pytest.approx(990 * 0.004, rel=1e-3)
    assert qpos[1:3].tolist() == [[0.0, 0.0, pytest.approx(0.3), 1.0, 0.0, 0.0, 0.0]] * 2
    assert qvel[1:3].abs().max() == 0.0
    assert qvel[0, 0] == pytest.approx(990, rel=1e-3)
    assert batch.warning_counts[:, BADQVEL].tolist() == [0, 1, 1, 0]
    qvel[0, 0] = 0.0
    batch.step(1)
    assert not batch.unstable.any()
    # The world goes on from the start like any other.
    assert qpos[1, 2] == pytest.approx(0.3 - 9.81 * 0.004**2, abs=1e-6)


def test_worlds_are_called_by_the_numbers_that_they_were_given(box, caplog):
    batch = MujocoBatch(box, num_envs=2, env_numbers=[3, 8])
    batch.view("qpos")[1, 0] = float("nan")
    with caplog.at_level(logging.WARNING):
        batch.step(1)
    assert "MuJoCo in env 8: " in caplog.text


def test_worlds_without_a_degree_of_freedom_have_none_to_run_away():
    fixed = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"
    batch = MujocoBatch(mujoco.MjModel.from_xml_string(fixed), num_envs=2)
    batch.step(1)
    assert batch.unstable.tolist() == [False, False]


def test_each_kind_is_logged_once_per_tenfold(box, caplog):
    batch = MujocoBatch(box, num_envs=3)
    qpos = batch.view("qpos")
    with caplog.at_level(logging.WARNING):
        for _ in range(12):
            qpos[1:, 0] = float("nan")
            batch.step(1)
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "MuJoCo in env 1 and 1 other envs: a position was not finite or huge, "
        "the world was reset (2 so far)",
        "MuJoCo in env 1 and 1 other envs: a position was not finite or huge, "
        "the world was reset (10 so far)",
    ]


def test_nothing_reaches_stderr_or_a_log_file(tmp_path):
    program = (
        "import mujoco, torch\n"
        "from rofunc_isaac.physics.mujoco_batch import MujocoBatch\n"
        "model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><body><freejoint/>"
        '<geom size="1"/></body></worldbody></mujoco>\')\n'
        "batch = MujocoBatch(model, 64)\n"
        "for _ in range(20):\n"
        "    batch.view('qvel')[:] = float('nan')\n"
        "    batch.step(2)\n"
        "print(int(batch.unstable_resets.sum()))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout == "1280\n"
    # Python's logging prints the lines of its own accord: the first 64 resets, then the first
    # totals beyond 100 and 1,000.
    assert [line.split("(")[1] for line in result.stderr.splitlines()] == [
        "64 so far)",
        "128 so far)",
        "1024 so far)",
    ]
    assert list(tmp_path.iterdir()) == []
