from __future__ import annotations

import os

import pytest

from rofunc_isaac.files import atomic_write


def test_writes_bytes_and_what_a_function_writes(tmp_path):
    path = tmp_path / "a.bin"
    atomic_write(path, b"one")
    assert path.read_bytes() == b"one"
    atomic_write(path, lambda file: file.write(b"two"))
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.bin"
    atomic_write(path, b"old")

    def write_half(file):
        file.write(b"ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomic_write(path, write_half)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_the_file_has_the_usual_permissions(tmp_path):
    atomic_write(tmp_path / "a", b"")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
