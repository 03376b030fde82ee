"""Which module does `FILE.py:NAME` or `MODULE:NAME` name? Imports it as `import` would, or says why it can't.

A file is imported as a module and never as `__main__`; its folder is on sys.path, and a file inside a package
is imported as part of that package, so that its relative imports work.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from autograph_lite.cli.usage import PROG, UsageError


def split_target(target: str) -> tuple[str, str]:
    r"""The file or module of a target, and the name in it ("" for all of it).

    >>> split_target("model.py:Model.step")
    ('model.py', 'Model.step')
    >>> split_target("model.py")
    ('model.py', '')
    >>> split_target(r"C:\code\model.py")
    ('C:\\code\\model.py', '')
    """
    place, colon, name = target.rpartition(":")
    if not colon or Path(target).is_file() or (len(place) == 1 and name[:1] in {"\\", "/"}):
        return target, ""
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"{target!r} is not of the form FILE.py:NAME or MODULE:NAME (see {PROG} --help)")
    return place, name


def import_target(place: str) -> ModuleType:
    """Imports the file or module `place`.

    What it prints while it is imported goes to stderr, so that stdout holds the generated code only.

    Raises:
      UsageError: there is no such file or module, or importing it raised.
    """
    is_file = place.endswith(".py") or "/" in place or os.sep in place or Path(place).is_file()
    with contextlib.redirect_stdout(sys.stderr):
        return _import_file(Path(place)) if is_file else _import_module(place)


def _import_module(name: str) -> ModuleType:
    _search_first(Path.cwd())  # `python -m` does so, and the installed command shall do the same
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"{name!r} is neither a file nor a module's name")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise UsageError(f"no module named {error.name!r}") from error
        raise UsageError(_import_failure(name, error)) from error
    except (Exception, SystemExit) as error:
        raise UsageError(_import_failure(name, error)) from error


def _import_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise UsageError(f"{path} is a directory; give one of its files")
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    name, root = _module_name(path.absolute())
    _search_first(path.absolute().parent)
    _search_first(root)
    try:
        return _import_from(name, path.absolute())
    except (Exception, SystemExit) as error:
        raise UsageError(_import_failure(str(path), error, path)) from error


def _module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of the module in `path`, and the folder that holds its outermost package."""
    folder = path.parent
    parts = [] if path.stem == "__init__" else [path.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.stem, folder


def _import_from(name: str, path: Path) -> ModuleType:
    if "." in name:
        importlib.import_module(name.rpartition(".")[0])
    present = sys.modules.get(name)
    if present and path.samefile(getattr(present, "__file__", None) or os.devnull):
        return present
    if present:  # such as a user's `types.py`: the module of that name must stay what others imported
        name = f"{name} ({path})"
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec, "a spec is always made where the loader is given"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _no_bytecode():
        loader.exec_module(module)
    return module


@contextlib.contextmanager
def _no_bytecode() -> Iterator[None]:
    """Keeps __pycache__ out of the folder of a file that was only to be looked at."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _search_first(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _import_failure(shown: str, error: BaseException, path: Path | None = None) -> str:
    """One line for an error that importing `shown` raised: where in the user's code, and what."""
    return f"{where_raised(error, path) or shown}: cannot be imported: {summary(error)}"


def where_raised(error: BaseException, path: Path | None = None) -> str:
    """The innermost place of `error` in the file `path`, else in any file that is not ours: "FILE:LINE"."""
    if isinstance(error, SyntaxError) and error.filename:
        same = path and os.path.realpath(error.filename) == os.path.realpath(path)
        return f"{path if same else error.filename}:{error.lineno}"
    ours = str(Path(__file__).parents[1])
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if path and os.path.realpath(frame.filename) == os.path.realpath(path):
            return f"{path}:{frame.lineno}"
        if not path and not frame.filename.startswith((ours, "<frozen", importlib.__file__)):
            return f"{frame.filename}:{frame.lineno}"
    return ""


def summary(error: BaseException) -> str:
    """An error's type and message in one line."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {message}".rstrip(": ")
