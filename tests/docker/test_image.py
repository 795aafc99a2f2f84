"""The image as docker/Dockerfile builds it, and what it does as a user runs it, without a GPU.

buildah builds and runs in chroots, so that no docker engine is needed: as root,
`apt install buildah debootstrap`. Under the name of NVIDIA's base image stands a fresh Debian 12,
or the suite that IMAGE_SUITE names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = os.environ.get("IMAGE_SUITE", "bookworm")
MIRROR = os.environ.get("IMAGE_MIRROR", "http://deb.debian.org/debian")

can_build = shutil.which("buildah") and shutil.which("debootstrap") and os.geteuid() == 0
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not can_build, reason="needs root, buildah and debootstrap"),
]


class Image:
    """An image in a store of its own, which goes with the folder."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name

    def buildah(self, *words: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        store = ["--root", self.folder / "store", "--runroot", self.folder / "state"]
        done = subprocess.run(
            ["buildah", *store, *words], capture_output=True, text=True, timeout=3000, check=False
        )
        if check and done.returncode != 0:
            raise AssertionError(f"buildah {words}:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
        return done

    def config(self) -> dict:
        return json.loads(self.buildah("inspect", self.name).stdout)["OCIv1"]["config"]

    def run(
        self, *words: str, runs: Path, user: str | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """As `docker run --rm -v RUNS:/workspace/runs IMAGE WORDS`."""
        container = self.buildah("from", "--pull-never", self.name).stdout.strip()
        options = ["--isolation=chroot", "--volume", f"{runs}:/workspace/runs"]
        if user is not None:
            options += ["--user", user]
        entrypoint = self.config()["Entrypoint"]
        try:
            return self.buildah("run", *options, container, "--", *entrypoint, *words, check=check)
        finally:
            self.buildah("rm", container)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("image")
    image = Image(folder, "rofunc-isaac")
    base = re.search(r"^FROM (\S+)$", (ROOT / "docker/Dockerfile").read_text(), re.M)
    assert base is not None
    subprocess.run(
        ["debootstrap", "--variant=minbase", SUITE, folder / "base", MIRROR],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    scratch = image.buildah("from", "scratch").stdout.strip()
    image.buildah("add", scratch, folder / "base", "/")
    image.buildah("commit", "--rm", scratch, base[1])
    image.buildah(
        *("build", "--isolation=chroot", "--pull-never", *pip_as_here(folder)),
        *("--file", ROOT / "docker/Dockerfile", "--tag", image.name, committed_files(folder)),
    )
    yield image
    image.buildah("rmi", "--all", "--force")


def committed_files(folder: Path) -> Path:
    """A copy of the checkout with what a `git clone` would hold, as the build's context."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if not (ROOT / name).is_symlink() and not (ROOT / name).exists():
            continue  # deleted, not yet committed
        (folder / "context" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / "context" / name, follow_symlinks=False)
    return folder / "context"


def pip_as_here(folder: Path) -> list[str]:
    """Options that let pip in the build find and trust what PIP_FIND_LINKS and PIP_CERT name."""
    settings = {"[global]": ""}
    volumes = []
    for variable, key in (("PIP_FIND_LINKS", "find-links"), ("PIP_CERT", "cert")):
        path = os.environ.get(variable, "")
        if Path(path).is_absolute():
            inside = f"/mnt/{key}"
            settings[key] = f" = {inside}"
            volumes.append(f"--volume={path}:{inside}:ro")
    conf = folder / "pip.conf"
    conf.write_text("".join(f"{key}{value}\n" for key, value in settings.items()))
    return [*volumes, f"--volume={conf}:/etc/pip.conf:ro"]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """As `mkdir -p runs` by user 1000 leaves it."""
    folder = tmp_path / "runs"
    folder.mkdir()
    os.chown(folder, 1000, 1000)
    return folder


def test_it_runs_as_a_user_and_holds_the_product_alone(image, runs):
    assert image.config()["User"] == "1000:1000"
    listed = image.run("bash", "-c", "ls -A; id -u", runs=runs).stdout.split()
    assert listed[-1] == "1000"
    assert {"train.py", "play.py", "rofunc_isaac", "cfg", "tasks", "runs"} <= set(listed)
    assert not {".git", ".venv", "tests", "docs"} & set(listed)


def test_ant_trains_and_plays(image, runs):
    words = ["task=Ant", "num_envs=64", "wandb_activate=False"]
    # Compiled, though so short a run would not be: the compiler must be in the image.
    train = [*words, "max_iterations=2", "train.compile=true", "run_dir=runs/short"]
    said = image.run(*train, runs=runs)
    assert "64 envs on cpu" in said.stdout
    assert "compile" not in said.stderr
    lines = (runs / "short/metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["iteration"] for line in lines] == [1, 2]
    last = runs / "short/checkpoints/last.pt"
    assert last.stat().st_uid == 1000

    played = image.run("play", *words, "checkpoint=runs/short/checkpoints/last.pt", runs=runs)
    assert json.loads(played.stdout.splitlines()[-1])["count"] >= 64


def test_any_user_may_train_in_a_folder_of_their_own(image, runs):
    os.chown(runs, 4321, 4321)
    words = ["task=Cartpole", "num_envs=16", "max_iterations=2", "wandb_activate=True"]
    image.run(*words, "run_dir=runs/theirs", runs=runs, user="4321:4321")
    assert (runs / "theirs/checkpoints/last.pt").stat().st_uid == 4321
    assert list((runs / "theirs").glob("wandb/offline-run-*"))


def test_a_folder_that_docker_made_is_refused_with_the_mend(image, runs):
    os.chown(runs, 0, 0)
    refused = image.run("task=Cartpole", runs=runs, check=False)
    assert refused.returncode == 2
    assert "user 1000 may not write to /workspace/runs" in refused.stderr
    assert "mkdir -p runs" in refused.stderr
    assert "rofunc-isaac task=Cartpole" in refused.stderr


RED_BALL = """
import mujoco
world = "<light pos=\\"0 0 3\\"/><geom size=\\"1\\" rgba=\\"1 0 0 1\\"/>"
model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{world}</worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 48, 64)
renderer.update_scene(data)
print("reddest", renderer.render()[..., 0].max())
"""


@pytest.mark.parametrize("library", ["egl", "osmesa"])
def test_it_renders_without_a_screen(image, runs, library):
    said = image.run("bash", "-c", f"MUJOCO_GL={library} python -c '{RED_BALL}'", runs=runs)
    assert int(re.search(r"reddest (\d+)", said.stdout)[1]) > 100
