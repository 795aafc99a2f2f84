from __future__ import annotations

import json

import pytest

from benchmarks.results import summarize, table
from benchmarks.worker import Segment


def _segments(*seconds: float) -> list[Segment]:
    """Two iterations each; a quarter of the time is rollout, half is update."""
    return [Segment(2, s, s / 4, s / 2, 10**6 * (100 + i)) for i, s in enumerate(seconds)]


def _result(*, with_peers: bool = True):
    segments = {"ours": _segments(1.0, 2.0, 1.0)}
    if with_peers:
        segments["slow"] = _segments(4.0, 4.0, 4.0)
        segments["rl_games"] = _segments(2.0, 3.0, 4.0)
    # Physics alone is timed in its rollouts: 1, 1 and 2 seconds.
    raw = _segments(4.0, 4.0, 8.0)
    numerics = dict.fromkeys(segments, "float32")
    return summarize(segments, raw, 100, {"rl_games", "slow"} & set(segments), numerics)


def test_rates_are_medians_and_ratios_are_taken_within_a_repeat() -> None:
    result = _result()
    ours = result.trainers["ours"]
    assert ours.env_steps_per_s_by_repeat == [200.0, 100.0, 200.0]
    assert ours.env_steps_per_s == 200.0
    assert ours.rollout_env_steps_per_s == 800.0
    assert ours.update_env_steps_per_s == 400.0
    assert ours.peak_memory_mb == 102.0
    assert result.raw_physics_env_steps_per_s == 200.0
    # 200 by 200, 100 by 200, 200 by 100
    assert ours.of_raw_physics.__dict__ == {"median": 1.0, "min": 0.5, "max": 2.0}
    # The best peer makes 100, 66.7 and 50: 2, 1.5 and 4 times.
    assert result.best_peer == "rl_games"
    assert ours.to_best_peer is not None
    assert ours.to_best_peer.__dict__ == pytest.approx({"median": 2.0, "min": 1.5, "max": 4.0})
    peer = result.trainers["rl_games"].to_best_peer
    assert peer is not None
    assert peer.__dict__ == {"median": 1.0, "min": 1.0, "max": 1.0}


def test_json_layout() -> None:
    found = json.loads(json.dumps(_result().as_dict(), allow_nan=False))
    assert found["raw_physics_env_steps_per_s"] == 200.0
    assert set(found["trainers"]) == {"ours", "slow", "rl_games"}
    assert found["trainers"]["ours"]["env_steps_per_s"] == 200.0
    assert found["trainers"]["ours"]["to_best_peer"]["median"] == 2.0


def test_table_has_a_line_a_trainer_and_one_for_physics() -> None:
    lines = table(_result()).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [
        *("ours", "slow", "rl_games"),
        "raw physics",
    ]
    assert len({len(line) for line in lines}) == 1
    assert "| 2.00 (1.50 to 4.00) |" in lines[2]
    assert "by rl_games" in lines[0]


def test_without_a_peer_there_is_no_ratio() -> None:
    result = _result(with_peers=False)
    assert result.best_peer is None
    assert result.trainers["ours"].to_best_peer is None
    assert "| - |" in " ".join(table(result).split())
