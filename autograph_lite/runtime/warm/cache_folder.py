"""Where are compiled programs kept? In a folder that nobody else can write to: to load a program is to run it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from autograph_lite.errors import CacheFolderError


def private(folder: str | os.PathLike[str] | None) -> Path:
    """The folder, made if there is none; for None, the user's. Raises CacheFolderError: somebody else may write to it."""
    path = Path(folder) if folder is not None else default()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    refuse_shared(path)
    return path


def default() -> Path:
    """The folder that is used where none is given."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autograph_lite"


def refuse_shared(path: Path) -> None:
    """Raises CacheFolderError if others could put files in the folder."""
    found = path.stat()
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.filemode(found.st_mode)
        raise _shared(path, f"Its mode is {mode}.", "give a folder of your own, of mode 700.")
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        raise _shared(path, f"It belongs to the user {found.st_uid}.", "give a folder of your own.")


def _shared(path: Path, why: str, fix: str) -> CacheFolderError:
    return CacheFolderError(
        f"Others can write to '{path}', and programs that are loaded from it run here.", why=why, fix=fix
    )


def is_own_file(path: Path) -> bool:
    """Whether a file is there that this user has written, and nobody else may write to."""
    try:
        found = path.lstat()
    except OSError:
        return False
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return own and stat.S_ISREG(found.st_mode) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
