"""What does the command `autograph-lite` do? Shows code, diff, jaxpr, HLO; explains statements and errors; looks for problems.

    autograph-lite to-code model.py:step --diff
    autograph-lite explain model.py:step 'f32[3,4]' n=10
    autograph-lite error CarryMismatchError
    autograph-lite report model.py:step 'f32[3,4]' n=10 -o report.html
    autograph-lite doctor

Results go to stdout and everything else to stderr, so that a script can use both.
"""

from __future__ import annotations

import difflib
import inspect
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from autograph_lite import config, errors
from autograph_lite.cli import showing
from autograph_lite.cli.named_functions import Found, find_functions
from autograph_lite.cli.named_modules import import_target, split_target
from autograph_lite.cli.usage import PROG, UsageError, parse_command
from autograph_lite.errors import AutographError

DONE, FAILED, WRONG_USAGE = 0, 1, 2

_COMMANDS = {"explain", "report"}  # beside `to-code`, which has options for what it shows
_LANGUAGES = {"code": "python", "diff": "diff", "explain": "table", "jaxpr": "haskell", "hlo": "llvm"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
      The exit code: 0 done; 1 a function could not be converted or traced, the output can't be written, or the doctor has
      found a problem; 2 what the user gave is wrong.
    """
    try:
        given = parse_command(argv)
        code = _run(given)
        sys.stdout.flush()
        return code
    except UsageError as error:
        _report(str(error))
        return WRONG_USAGE
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _close_stdout()
        return DONE
    except OSError as error:  # a full disk
        _close_stdout()
        _report(f"cannot write the output: {error.strerror or error}")
        return FAILED


def _run(given: Namespace) -> int:
    if given.command == "doctor":
        return _examine()
    return _tell(given.name) if given.command == "error" else _show_all(given)


def _show_all(given: Namespace) -> int:
    """Shows each function that `given.target` names, even when others of them can't be converted."""
    place, name = split_target(given.target)
    _check_environment()
    _check_pass(given.after)
    functions = find_functions(import_target(place), place, name)
    if len(functions) > 1 and given.view in {"jaxpr", "hlo", *_COMMANDS}:
        names = ", ".join(found.name for found in functions)
        view = given.view if given.view in _COMMANDS else f"--{given.view}"
        raise UsageError(f"{view} shows one function, and {given.target} has several: {names}")
    shown = []
    for found in functions:
        try:
            shown.append((found, _show(found, given)))
        except AutographError as error:
            _report(f"{found.name}: {error}")
    if given.view == "report":
        return _written(shown, given.output)
    path = place if Path(place).is_file() else functions[0].code.co_filename
    text = showing.diff(shown, path) if given.view == "diff" else _listing(shown, path)
    showing.write_colored(text, _LANGUAGES[given.view], color=showing.use_color(given.color))
    return DONE if len(shown) == len(functions) else FAILED


def _examine() -> int:
    """Shows what there is to know about this installation."""
    from autograph_lite import diagnosis

    return DONE if diagnosis.doctor() else FAILED


def _tell(name: str | None) -> int:
    """Shows what an error means."""
    print(error_page(name))
    return DONE


def _check_environment() -> None:
    try:
        config.options()
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check_pass(after: str | None) -> None:
    from autograph_lite.converters import PASSES

    names = [converter.name for converter in PASSES]
    if after is not None and after not in names:
        raise UsageError(f"no pass named {after!r}; the passes are {', '.join(names)}")


def _show(found: Found, given: Namespace) -> str:
    # Importing JAX takes a second, and most uses of this command don't need it.
    if given.view in {"code", "diff"}:
        from autograph_lite import api

        return api.to_code(found.function, after=given.after)
    from autograph_lite.cli import example_traces

    views = {
        "jaxpr": example_traces.jaxpr,
        "hlo": example_traces.hlo,
        "explain": example_traces.decisions_text,
        "report": example_traces.report_page,
    }
    return views[given.view](found, given.arguments)


def _written(shown: list[tuple[Found, str]], output: str) -> int:
    """Writes the page, if there is one, to a file, or with "-" to stdout."""
    for found, text in shown:
        if output == "-":
            showing.write_colored(text, "html", color=False)
            continue
        try:
            Path(output).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(f"cannot write {output}: {error.strerror or error}") from error
        _report(f"wrote what became of {found.name} to {output}")
    return DONE if shown else FAILED


def _listing(shown: list[tuple[Found, str]], path: str) -> str:
    """The texts one after the other, under headings where there are several."""
    if len(shown) == 1:
        return shown[0][1]
    file = Path(path).name
    return "\n\n".join(f"# {found.name}, {file}:{found.line}\n{text.strip()}\n" for found, text in shown)


def _close_stdout() -> None:
    """Lets what is still to be written to stdout go nowhere, so that Python does not fail over it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(message: str) -> None:
    print(f"{PROG}: {message}", file=sys.stderr)


def classes() -> dict[str, type[Exception]]:
    """The errors and warnings that users see, by their names, in the order of the page in docs/."""
    return {
        name: kind
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind is not errors.AutographError
    }


def error_page(name: str | None) -> str:
    """What the command shows for `name`. Raises UsageError: there is no such class."""
    known = classes()
    if name is None:
        width = max(map(len, known))
        return "\n".join(f"{each:{width}}  {_lines(kind)[0]}" for each, kind in known.items())
    name = name.removeprefix("autograph_lite.").removeprefix("errors.")
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "without a name, all are listed"
        raise UsageError(f"no error named {name!r}; {hint}")
    return "\n".join([f"{name}: {_lines(known[name])[0]}", *_lines(known[name])[1:]])


def _lines(kind: type[Exception]) -> list[str]:
    return inspect.cleandoc(kind.__doc__ or "").splitlines()
