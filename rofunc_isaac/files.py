"""Files that are either whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Callable, Union


def atomic_write(
    path: Union[str, os.PathLike[str]], content: Union[bytes, Callable[[BinaryIO], object]]
) -> None:
    """Put `content` at `path`, whole or not at all.

    The bytes go to a hidden file in the same folder, are flushed to the disk, and take the name
    in one step; whoever reads `path` meanwhile, or after a crash, finds the old file or the new.

    Args:
        path: where the file shall stand; its folder must exist.
        content: the bytes, or a function that writes them to the open (seekable) binary file
            that it is given, as `lambda file: torch.save(state, file)`.

    Raises:
        OSError: when the disk is full or the folder cannot be written. `path` is untouched then,
            as it is when `content` itself raises.
    """
    target = Path(path)
    # The process id keeps two writers of one path out of each other's temporary file.
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:  # also at Ctrl-C: leave no half-written file behind
        if temporary.exists():
            temporary.unlink()
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make the new name itself outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
