"""The benchmark of Isaac Gym's interface, on a few worlds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import isaacgym_api
from benchmarks.ant_programs import AntCalls
from rofunc_isaac.isaacgym import gymapi

CALLS = {
    *("set_dof_actuation_force_tensor", "simulate", "fetch_results", "refresh_dof_state_tensor"),
    *("refresh_actor_root_state_tensor", "refresh_force_sensor_tensor"),
}
RESETS = {"set_actor_root_state_tensor_indexed", "set_dof_state_tensor_indexed"}


@pytest.fixture
def one_torch_thread():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_raw_worlds_go_where_the_simulation_goes() -> None:
    """So both do the same work: not a bit apart but for states rounded to float32."""
    torch.manual_seed(0)
    program = AntCalls(gymapi.acquire_gym(), num_envs=8, threads=1)
    raw = isaacgym_api.RawWorlds(program.sim, threads=1)
    for _ in range(30):
        raw.adopt("qpos", "qvel", "qacc_warmstart")
        program.step()
        raw.adopt("ctrl")
        raw.step()
    reached = torch.from_numpy(raw._fields["qpos"])
    torch.testing.assert_close(reached, program.sim.batch.view("qpos"), atol=1e-4, rtol=1e-4)


def test_every_call_is_counted(tmp_path: Path, one_torch_thread: None, capsys) -> None:
    path = tmp_path / "api.json"
    words = ["num_envs=16", "threads=1", "frames=4", "repeats=2", f"json={path}"]
    assert isaacgym_api.main(words) == 0
    found = json.loads(path.read_text())
    assert CALLS <= set(found["calls_ms"]) <= CALLS | RESETS
    assert found["interface_ms"] >= max(found["calls_ms"].values())
    assert found["to_raw"]["min"] <= found["to_raw"]["median"] <= found["to_raw"]["max"]
    assert found["creation_processor_s"] > 0
    assert "| raw stepping |" in capsys.readouterr().out


def test_mistakes_are_named(capsys) -> None:
    assert isaacgym_api.main(["program=theirs"]) == 2
    assert "must be ours or isaacgymenvs" in capsys.readouterr().err
    assert isaacgym_api.main(["task=Ant"]) == 2
    assert "task=Ant is no option here" in capsys.readouterr().err
