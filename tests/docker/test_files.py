"""docker's files, as far as they can be checked without building an image."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from rofunc_isaac.cli.compose import compose

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"


@pytest.fixture(scope="module")
def services() -> dict:
    return yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]


def test_every_service_has_the_gpus_it_trains_on(services):
    for name, gpus in (("train", 1), ("train-on-two-gpus", 2)):
        (device,) = services[name]["deploy"]["resources"]["reservations"]["devices"]
        assert device == {"driver": "nvidia", "count": gpus, "capabilities": ["gpu"]}
    assert f"--nproc-per-node={gpus}" in services[name]["entrypoint"]


def test_services_keep_the_runs_and_pass_the_key(services):
    for service in services.values():
        assert service["volumes"] == ["../runs:/workspace/runs"]
        assert "WANDB_API_KEY" in service["environment"]


def test_words_of_services_are_words_of_train(services, monkeypatch):
    monkeypatch.setenv("RANK", "0")  # as torchrun does
    for service in services.values():
        entrypoint = service.get("entrypoint", [])
        words = [word for word in [*entrypoint, *service["command"]] if "=" in word]
        compose([word for word in words if not word.startswith("--")])


def test_the_base_has_the_cuda_of_the_pinned_torch():
    # torch 2.13.0 asks for cuda-toolkit==13.0.3, as `pip install` shows.
    assert "torch==2.13.0" in (ROOT / "requirements.lock").read_text()
    assert "\nFROM nvidia/cuda:13.0.3-base-ubuntu24.04\n" in (DOCKER / "Dockerfile").read_text()


def install_isaacgym(tarball: Path) -> subprocess.CompletedProcess[str]:
    program = DOCKER / "isaacgym/install_isaacgym.sh"
    return subprocess.run([program, tarball], capture_output=True, text=True, check=False)


def test_without_nvidias_file_the_build_says_where_it_comes_from(tmp_path):
    done = install_isaacgym(tmp_path / "IsaacGym_Preview_4_Package.tar.gz")
    assert done.returncode == 2
    assert "there is no IsaacGym_Preview_4_Package.tar.gz" in done.stderr
    assert "https://developer.nvidia.com/isaac-gym" in done.stderr


def test_another_file_is_refused(tmp_path):
    page = tmp_path / "page.tar.gz"
    page.write_text("<html>Please log in</html>")
    other = tmp_path / "other.tar.gz"
    with tarfile.open(other, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("isaacgym/docs"), io.BytesIO())
    for file in (page, other):
        done = install_isaacgym(file)
        assert done.returncode == 2
        assert f"{file.name} has no isaacgym/python/setup.py" in done.stderr
