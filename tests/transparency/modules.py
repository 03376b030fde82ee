"""Which standard-library modules are converted, and which of CPython's test modules run on them?"""

from __future__ import annotations

import dataclasses
import sys


@dataclasses.dataclass(frozen=True)
class Target:
    """Modules to convert together, and the test modules that exercise them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


def _one(module: str, *tests: str) -> Target:
    return Target((module,), tests or (f"test_{module}",))


_JSON = ("json.scanner", "json.decoder", "json.encoder", "json")
_DECODER_TESTS = tuple(
    f"test_json.test_{name}"
    for name in (
        "decode",
        "default",
        "dump",
        "encode_basestring_ascii",
        "enum",
        "fail",
        "float",
        "indent",
        "pass1",
    )
    + ("pass2", "pass3", "recursion", "scanstring", "separators", "speedups", "unicode")
)
_PACKAGED = sys.version_info >= (
    3,
    12,
)  # the pure forms of decimal and datetime became importable modules of their own

TARGETS: dict[str, Target] = {
    "argparse": _one("argparse"),
    "ast": _one(
        "ast", *(["test_ast.test_ast"] if sys.version_info >= (3, 13) else ["test_ast"]), "test_unparse"
    ),
    "bisect": _one("bisect"),
    "calendar": _one("calendar"),
    "collections": _one(
        "collections", "test_collections", "test_ordered_dict", "test_userdict", "test_userlist"
    ),
    "colorsys": _one("colorsys"),
    "configparser": _one("configparser"),
    "contextlib": _one("contextlib", "test_contextlib", "test_contextlib_async"),
    "copy": _one("copy"),
    "csv": _one("csv"),
    "dataclasses": _one("dataclasses"),
    "datetime": Target(("_pydatetime",) if _PACKAGED else ("datetime",), ("test_datetime",)),
    "decimal": _one("_pydecimal", "test_decimal"),
    "difflib": _one("difflib"),
    "enum": _one("enum"),
    "fnmatch": _one("fnmatch"),
    "fractions": _one("fractions"),
    "functools": _one("functools"),
    "graphlib": _one("graphlib"),
    "gettext": _one("gettext"),
    "heapq": _one("heapq"),
    "html": Target(("html", "html.parser", "_markupbase"), ("test_html", "test_htmlparser")),
    "http.cookies": _one("http.cookies", "test_http_cookies"),
    "ipaddress": _one("ipaddress"),
    "json": Target(_JSON, _DECODER_TESTS),
    "keyword": _one("keyword"),
    "linecache": _one("linecache"),
    "mimetypes": _one("mimetypes"),
    "numbers": _one("numbers", "test_abstract_numbers"),
    "operator": _one("operator"),
    "optparse": _one("optparse"),
    "pickletools": _one("pickletools"),
    "posixpath": Target(("genericpath", "posixpath"), ("test_genericpath", "test_posixpath")),
    "pprint": _one("pprint"),
    "queue": _one("queue"),
    "quopri": _one("quopri"),
    "random": _one("random"),
    "re": Target(("re._parser", "re._compiler", "re"), ("test_re",)),
    "reprlib": _one("reprlib"),
    "sched": _one("sched"),
    "shlex": _one("shlex"),
    "statistics": _one("statistics"),
    "string": _one("string"),
    "stringprep": _one("stringprep"),
    "textwrap": _one("textwrap"),
    "tokenize": _one("tokenize"),
    "types": _one("types"),
    "typing": _one("typing"),
    "urllib.parse": _one("urllib.parse", "test_urlparse"),
    "uuid": _one("uuid"),
    "weakref": Target(("_weakrefset", "weakref"), ("test_weakref", "test_weakset")),
    "zipfile": _one("zipfile", "test_zipfile.test_core" if sys.version_info >= (3, 12) else "test_zipfile"),
}

# Each of these takes a few seconds.
QUICK = ("bisect", "colorsys", "fractions", "graphlib", "heapq", "reprlib", "shlex", "textwrap")
