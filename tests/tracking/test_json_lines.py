from __future__ import annotations

import json

import pytest

from rofunc_isaac.tracking.json_lines import (
    JsonLines,
    MetricsFileError,
    last_env_steps,
    read_updates,
)


def strict(text):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def write(path, iterations, resume_after_iteration=None):
    lines = JsonLines(path, resume_after_iteration)
    for i in iterations:
        lines.log({"iteration": i, "env_steps": 10 * i, "train/lr": 0.5}, [(0.25 * i, 0.5)])
    lines.close("finished")


def iterations(path):
    return [line["iteration"] for line in strict(path.read_text())]


def test_a_line_is_there_as_soon_as_it_is_logged(tmp_path):
    path = tmp_path / "metrics.jsonl"
    lines = JsonLines(path)
    lines.log({"iteration": 1, "train/return_mean": None}, [(0.1, 0.2), (0.3, 0.4)])
    assert strict(path.read_text()) == [
        {"iteration": 1, "train/return_mean": None, "updates": [[0.1, 0.2], [0.3, 0.4]]}
    ]
    lines.close("finished")


def test_what_is_not_finite_is_null_and_named(tmp_path):
    path = tmp_path / "metrics.jsonl"
    lines = JsonLines(path)
    metrics = {"iteration": 1, "a": float("nan"), "b": float("-inf"), "c": 1.5, "d": None}
    lines.log(metrics, [(float("inf"), 0.2)])
    lines.close("finished")
    assert strict(path.read_text()) == [
        {
            "iteration": 1,
            "a": None,
            "b": None,
            "c": 1.5,
            "d": None,
            "updates": [[None, 0.2]],
            "non_finite": ["a", "b", "updates"],
        }
    ]


def test_a_new_run_overwrites_no_file(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, [1, 2])
    with pytest.raises(FileExistsError):
        JsonLines(path)
    assert iterations(path) == [1, 2]


def test_a_resume_repeats_no_iteration(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, [1, 2, 3, 4, 5])
    write(path, [4, 5, 6], resume_after_iteration=3)
    assert iterations(path) == [1, 2, 3, 4, 5, 6]
    write(path, [1], resume_after_iteration=0)
    assert iterations(path) == [1]


@pytest.mark.parametrize("torn", ['{"iteration": 3, "env_', '{"iteration": 3}', "\x00\x00\x00\n"])
def test_a_torn_last_line_is_cut_off(tmp_path, torn):
    path = tmp_path / "metrics.jsonl"
    write(path, [1, 2])
    with open(path, "a") as file:
        file.write(torn)
    write(path, [3], resume_after_iteration=2)
    assert iterations(path) == [1, 2, 3]


def test_a_last_line_without_its_end_is_not_glued_to_the_next(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, [1])
    with open(path, "a") as file:
        file.write('{"iteration": 2}')
    write(path, [3], resume_after_iteration=2)
    assert iterations(path) == [1, 3]


def test_a_resume_without_a_file_makes_one(tmp_path):
    write(tmp_path / "metrics.jsonl", [3], resume_after_iteration=2)
    assert iterations(tmp_path / "metrics.jsonl") == [3]


def test_a_broken_line_in_the_middle_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"iteration": 1}\nrubbish\n{"iteration": 3}\n')
    with pytest.raises(MetricsFileError, match=r"metrics\.jsonl, line 2"):
        JsonLines(path, resume_after_iteration=3)
    assert path.read_text() == '{"iteration": 1}\nrubbish\n{"iteration": 3}\n'


def test_updates_read_back(tmp_path):
    path = tmp_path / "metrics.jsonl"
    lines = JsonLines(path)
    lines.log({"iteration": 1, "env_steps": 8}, [(0.1, 0.2), (float("nan"), 0.2)])
    lines.log({"iteration": 2, "env_steps": 16}, [(0.3, 0.4)])
    lines.close("finished")
    assert read_updates(path) == [(8, 0.1, 0.2), (16, 0.3, 0.4)]


def test_the_last_env_steps(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text("")
    assert last_env_steps(path) == 0
    path.write_text('{"iteration": 1, "env_steps": 64}\n{"iteration": 2, "env_steps": 128}\n{"ite')
    assert last_env_steps(path) == 128
