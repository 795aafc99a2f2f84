"""The folder that a run writes to: who may use it, and what stands where."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import rofunc_isaac
from rofunc_isaac.errors import UserError
from rofunc_isaac.files import atomic_write

_RECORDS = ("config.yaml", "overrides.yaml", "environment.json")

_PACKAGES = ("torch", "mujoco", "mjbatch", "mujoco-warp", "numpy", "hydra-core", "wandb")


class RunFolderError(UserError):
    """A run folder that can't be used as asked."""


class FolderTakenError(RunFolderError):
    """A folder where another run stands."""


class RunFolder:
    """One run's folder, held by this process until it ends or `release` is called.

    Make one with `open_run_folder`.

    Attributes:
        path: the folder.
        resumed: True when the folder holds a checkpoint to go on from.
        metrics: path of metrics.jsonl.
        last: path of checkpoints/last.pt.
        best: path of checkpoints/best.pt.
    """

    def __init__(
        self, path: Path, lock: Optional[int], resumed: bool, made: Sequence[Path] = ()
    ) -> None:
        self.path = path
        self._made = made
        self.resumed = resumed
        self.metrics = path / "metrics.jsonl"
        self.last = last_checkpoint(path)
        self.logged_until = path / ".logged_until"
        self.best = path / "checkpoints" / "best.pt"
        self._lock = lock

    def record(self, config_yaml: str, overrides: Sequence[str]) -> None:
        """Write config.yaml, overrides.yaml and environment.json.

        A resumed run keeps the first ones: its own are config_2.yaml and so on, the next resume's
        config_3.yaml.

        Args:
            config_yaml: the composed configuration.
            overrides: the words of the command line that changed it.
        """
        start = 1 + len(_sessions(self.path, "config.yaml")) if self.resumed else 1
        # Any JSON string is a YAML string too.
        lines = [f"- {json.dumps(word, ensure_ascii=False)}\n" for word in overrides]
        texts = {
            "overrides.yaml": "".join(lines) or "[]\n",
            "environment.json": json.dumps(describe_environment(), indent=2) + "\n",
            # Last, since config.yaml is what says that the folder holds a run.
            "config.yaml": config_yaml,
        }
        for name, text in texts.items():
            atomic_write(self.path / _numbered(name, start), text.encode())

    def set_aside(self) -> Optional[Path]:
        """Make room for a start over what a run left that ended before its first checkpoint.

        Returns:
            The folder where it is now: attempt_1, attempt_2, ... below this one. None where the run
            goes on from a checkpoint, or nothing is there.
        """
        records = [file for name in _RECORDS for file in _sessions(self.path, name)]
        left = [*records, *filter(Path.exists, (self.metrics, self.logged_until, self.best))]
        if self.resumed or not left:
            return None
        aside = _make_new(self.path, "attempt_1", "attempt_{}")
        # Copied, since a start that is killed before `record` must leave the words to the next.
        words = self.path / "overrides.yaml"
        if words in left:
            left.remove(words)
            shutil.copy2(words, aside)
        for file in left:
            file.rename(aside / file.name)
        return aside

    def discard(self) -> None:
        """Remove what was made for a run that never began, and let the folder go.

        A folder that holds a run is left as it is.
        """
        if not _holds_a_run(self.path):
            with contextlib.suppress(OSError):  # there is something of somebody else's
                (self.path / ".lock").unlink()
                (self.path / "checkpoints").rmdir()
                for folder in self._made:
                    folder.rmdir()
        self.release()

    def release(self) -> None:
        """Let other processes have the folder; a second call does nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def open_run_folder(
    task: str,
    experiment: Optional[str] = None,
    run_dir: Union[str, os.PathLike[str], None] = None,
    resume: Union[bool, str] = False,
    root: Union[str, os.PathLike[str]] = "runs",
) -> RunFolder:
    """Make a new run's folder, or take an old one to go on with it.

    Args:
        task: the task's name; the folder is `root/<task>_<YYYY-mm-dd_HH-MM-SS>`, with -2, -3, ...
            where another run has that name.
        experiment: a name instead: `root/<experiment>`.
        run_dir: the whole path instead.
        resume: False starts a run, and refuses a folder that holds one. True goes on from
            checkpoints/last.pt. "auto" goes on where there is a last.pt, and starts otherwise,
            also where a run ended before its first checkpoint; see `RunFolder.set_aside`.
        root: where runs stand.

    Raises:
        RunFolderError: when the folder holds a run already, lacks what a resume needs, is in use
            by another process, or can't be written. No file of a run is changed.
    """
    if resume not in (False, True, "auto"):
        raise RunFolderError(f"resume={resume}: it is False, True or auto.")
    if experiment is not None and run_dir is not None:
        raise RunFolderError("experiment and run_dir both name the run folder: give one of them.")
    if experiment is not None and (experiment in ("", ".", "..") or "/" in experiment):
        raise RunFolderError(
            f"experiment={experiment!r}: a name without slashes. For a path use run_dir=PATH."
        )
    if experiment is None and run_dir is None:
        if resume:
            raise RunFolderError(
                f"resume={resume} needs the folder of the run: add run_dir=PATH or experiment=NAME."
            )
        made = _missing(Path(root))
        name = f"{task}_{datetime.now():%Y-%m-%d_%H-%M-%S}"
        path = _make_new(Path(root), name, name + "-{}")
        made.insert(0, path)
        argument = f"run_dir={path}"
    elif run_dir is not None:
        path = Path(run_dir).expanduser()
        argument = f"run_dir={shlex.quote(str(path))}"
    else:
        assert experiment is not None
        path = Path(root) / experiment
        argument = f"experiment={shlex.quote(experiment)}"
    if resume is True:
        _check_resumable(path)
    if experiment is not None or run_dir is not None:
        made = _missing(path)
    lock = _claim(path)
    try:
        has_checkpoint = last_checkpoint(path).exists()
        if not resume and _holds_a_run(path):
            mend = (
                f"go on with it (resume=True run_dir={shlex.quote(str(path))}), or choose another "
                "folder (run_dir=PATH, experiment=NAME, or neither for a new one)"
                if has_checkpoint
                else "it ended before its first checkpoint: start it anew (resume=auto "
                f"run_dir={shlex.quote(str(path))}), delete the folder, or choose another"
            )
            raise FolderTakenError(f"{argument} already holds a run. Nothing was changed; {mend}.")
        _make(path / "checkpoints")
    except BaseException:
        os.close(lock)
        raise
    return RunFolder(path, lock, bool(resume) and has_checkpoint, made)


def open_free_folder(path: str) -> RunFolder:
    """Make a new run's folder: `path`, or the first of path-2, path-3, ... where no run stands.

    Raises:
        RunFolderError: it can't be written.
    """
    number = 1
    while True:
        try:
            return open_run_folder("", run_dir=path if number == 1 else f"{path}-{number}")
        except FolderTakenError:
            number += 1


def last_checkpoint(path: Path) -> Path:
    """What the run in the folder `path` goes on from."""
    return path / "checkpoints" / "last.pt"


def latest_overrides(path: Path) -> Optional[Path]:
    """The record of overrides of the last session in the run folder `path`, if there is one."""
    found = _sessions(path, "overrides.yaml")
    return found[-1] if found else None


def describe_environment() -> Dict[str, Any]:
    """What a run ran on: command, versions, platform, and the checkout's git commit.

    A package that isn't installed has the version null; `git` is null when rofunc_isaac wasn't
    imported from a git checkout, and `git.dirty` counts files that git doesn't know yet.
    """
    return {
        "started_at": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": " ".join(shlex.quote(word) for word in [sys.executable, *sys.argv]),
        "folder": os.getcwd(),
        "python": platform.python_version(),
        "rofunc_isaac": rofunc_isaac.__version__,
        "packages": {name: _version(name) for name in _PACKAGES},
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpu_count": os.cpu_count(),
        "git": _git_state(Path(rofunc_isaac.__file__).resolve().parents[1]),
    }


def _make_new(root: Path, first: str, others: str) -> Path:
    """Make `root/first`, or the first folder named `others`, with 2, 3, ..., that nobody has."""
    _make(root)
    number = 1
    while True:
        path = root / (first if number == 1 else others.format(number))
        try:
            path.mkdir()
            return path
        except FileExistsError:
            number += 1
        except OSError as error:
            raise RunFolderError(f"Can't make the folder {path}: {error.strerror}.") from error


def _missing(path: Path) -> List[Path]:
    """`path` and the folders above it that are not there yet, the innermost first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


def _make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"Can't make the folder {path}: {error.strerror}.") from error


def _claim(path: Path) -> int:
    """Lock the folder for this process; the system unlocks it however the process ends."""
    _make(path)
    try:
        lock = os.open(path / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise RunFolderError(f"Can't write in the run folder {path}: {error.strerror}.") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise FolderTakenError(
            f"The run folder {path} is in use by another process: wait for it to end, or choose "
            "another folder (run_dir=PATH or experiment=NAME)."
        ) from None
    except OSError as error:
        os.close(lock)
        raise RunFolderError(
            f"Can't lock the run folder {path}: {error.strerror}. Choose one on a disk that has "
            "file locks (run_dir=PATH)."
        ) from error
    return lock


def _holds_a_run(path: Path) -> bool:
    names = ("config.yaml", "metrics.jsonl", "checkpoints/last.pt", "checkpoints/best.pt")
    return any((path / name).exists() for name in names)


def _check_resumable(path: Path) -> None:
    if not path.is_dir():
        raise RunFolderError(
            f"resume=True: there is no folder {path}. Without resume a new run starts there."
        )
    missing = [n for n in ("config.yaml", "checkpoints/last.pt") if not (path / n).exists()]
    if missing:
        raise RunFolderError(
            f"resume=True: {path} has no {' and no '.join(missing)}, so there is no run to go on "
            "with. Check run_dir; resume=auto starts one where there is none."
        )


def _sessions(path: Path, name: str) -> List[Path]:
    """The files `name` of each session in a run folder that are there, in their order."""
    found: List[Path] = []
    while (path / _numbered(name, len(found) + 1)).exists():
        found.append(path / _numbered(name, len(found) + 1))
    return found


def _numbered(name: str, number: int) -> str:
    stem, suffix = os.path.splitext(name)
    return name if number == 1 else f"{stem}_{number}{suffix}"


def _version(package: str) -> Optional[str]:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _git_state(checkout: Path) -> Optional[Dict[str, Any]]:
    # Not git's own search upwards: it would find the repository of whoever has us in a venv.
    if not (checkout / ".git").exists():
        return None
    commit = _git(checkout, "rev-parse", "HEAD")
    changes = _git(checkout, "status", "--porcelain")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}


def _git(checkout: Path, *words: str) -> Optional[str]:
    """git's answer, None when there is no git or it fails or takes longer than 10 s."""
    try:
        done = subprocess.run(
            ["git", "-C", str(checkout), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()
