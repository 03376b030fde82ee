"""What may be typed on the command line, and how is a mistake reported? In one line, exit code 2."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from autograph_lite import config

PROG = "autograph-lite"

_DESCRIPTION = """\
Shows what autograph_lite makes of plain Python: the generated code, its difference from
the source, the jaxpr, or the optimised HLO; and what became of each statement, and why."""

_TARGET = """\
TARGET is one of
  FILE.py:FUNC            a function, or a name that a lambda is assigned to
  FILE.py:Class.method    a method; also a static or class method, or a property
  FILE.py:Class           all methods of a class
  MODULE:Class.method     the same in an importable module
  FILE.py                 every function and method of the file, in order"""

_ARGUMENTS = """\
ARG is an example argument, for explain, report, --jaxpr and --hlo
  'f32[3,4]' 'i32[]' 'bool[8]' 'key[]'    an array: its dtype and shape
  '2.5' '[1, 2]' '"relu"' 'None'          a Python literal, fixed in the program
  '(f32[3], f32[3])' '{"w": f32[3,4]}'    tuples, lists and dicts of both
  'n=10' 'key=u32[2]'                     a keyword argument"""

_EXAMPLES = f"""\
examples:
  {PROG} to-code model.py:step
  {PROG} to-code model.py:step --diff
  {PROG} to-code model.py --after jumps
  {PROG} to-code model.py:step --jaxpr 'f32[3,4]' 'i32[]' n=10
  {PROG} explain model.py:step 'f32[3,4]' 'i32[]' n=10
  {PROG} report model.py:step 'f32[3,4]' 'i32[]' n=10 -o report.html
  {PROG} to-code package.model:Model.loss --color always | less -R
  {PROG} error CarryMismatchError
  {PROG} doctor"""

_EXIT_CODES = """\
exit codes: 0 done; 1 the code could not be converted or traced, or the doctor has found a problem;
            2 the command line or the file is wrong"""


class UsageError(Exception):
    """What the user typed, or the file it names, is wrong; the message says it in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


class _ShowVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"{PROG} {config.version(PROG, '(not installed)')}")
        parser.exit()


def parse_command(argv: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line.

    Returns:
      `command`; for "error" `name`, a text or None; for those that show code `target`, `arguments` (texts of example
      arguments), `after` (a pass's name or None), `view` ("code", "diff", "jaxpr", "hlo", "explain" or "report"), `color`
      ("auto", "always" or "never"), and for a report `output`, a path.

    Raises:
      UsageError: an unknown command or option, a missing target, or options that exclude each other.
    """
    # argparse gives a '*' positional nothing where an option precedes it; what is left over belongs there.
    given, left_over = _parser().parse_known_args(argv)
    if given.command in {"doctor", "error"} and not left_over:
        return given
    for text in left_over:
        if re.match(r"-[^\d.]", text):
            raise UsageError(f"unknown option {text!r} (see {PROG} {given.command} --help)")
    if given.command == "doctor":
        raise UsageError(f"doctor takes no arguments, such as {left_over[0]!r}")
    if given.command == "error":
        raise UsageError(f"error takes one name, and {left_over[0]!r} is another")
    given.arguments = [*given.arguments, *getattr(given, "args", []), *left_over]
    if given.arguments and given.view in {"code", "diff"}:
        raise UsageError(f"example arguments such as {given.arguments[0]!r} need --jaxpr or --hlo")
    if given.after and given.view in {"jaxpr", "hlo"}:
        raise UsageError(f"--after shows code, and --{given.view} needs all passes: use one of them")
    return given


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog=PROG,
        description=_DESCRIPTION,
        epilog=f"{_EXAMPLES}\n\n{_EXIT_CODES}",
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    what = "show versions, devices and caches, test the installation, and name known incompatibilities"
    commands.add_parser("doctor", help=what, description=what.capitalize() + ".", formatter_class=layout)
    what = "show what an error means, with a program that fails and one that works; without NAME, list them"
    error = commands.add_parser("error", help=what, description=what + ".", formatter_class=layout)
    error.add_argument("name", metavar="NAME", nargs="?", help="the class of the error, or of a warning")
    to_code, explain, report = (
        commands.add_parser(
            name,
            help=shown,
            description=f"{_DESCRIPTION}\n\n{_TARGET}\n\n{_ARGUMENTS}",
            epilog=f"{_EXAMPLES}\n\n{_EXIT_CODES}",
            formatter_class=layout,
            allow_abbrev=False,
        )
        for name, shown in [
            ("to-code", "show the generated code of a function, a class or a file"),
            ("explain", "show what became of each statement of a function, and why"),
            ("report", "write a page with source, generated code, jaxpr and HLO, line by line"),
        ]
    )
    for command in (to_code, explain, report):
        command.add_argument("target", metavar="TARGET", help="what to show, see above")
        command.add_argument(
            "arguments", metavar="ARG", nargs="*", default=[], help="example arguments, see above"
        )
        command.add_argument(
            "--color",
            choices=["auto", "always", "never"],
            default="auto",
            help="auto (the default): on a terminal, unless NO_COLOR is set",
        )
    report.add_argument("--args", metavar="ARG", nargs="+", default=[], help="example arguments, as well")
    where = "where to write the page; - for stdout"
    report.add_argument("-o", "--output", metavar="FILE", required=True, help=where)
    to_code.add_argument("--after", metavar="PASS", help="stop after this pass; a wrong name lists them")
    view = to_code.add_mutually_exclusive_group()
    for name, shown in [
        ("diff", "the unified diff from the source to the generated code"),
        ("jaxpr", "the jaxpr that the arguments give"),
        ("hlo", "the optimised HLO that the arguments give on this machine"),
    ]:
        view.add_argument(f"--{name}", dest="view", action="store_const", const=name, help=f"show {shown}")
    to_code.set_defaults(view="code")
    explain.set_defaults(view="explain", after=None)
    report.set_defaults(view="report", after=None)
    return parser
