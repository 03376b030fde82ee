"""Which standard-library modules are converted, and which of CPython's test modules run on them?"""

from __future__ import annotations

import dataclasses
import sys


@dataclasses.dataclass(frozen=True)
class Target:
    """Modules to convert together, and the test modules that exercise them.

    Attributes:
      long: patterns of tests that would take an hour in the full form, which they are not run in.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    long: tuple[str, ...] = ()


def _one(module: str, *tests: str) -> Target:
    return Target((module,), tests or (f"test_{module}",))


_ASYNCIO = ("asyncio.mixins", "asyncio.locks", "asyncio.queues", "asyncio.taskgroups", "asyncio.timeouts")
_EMAIL = tuple(
    f"email.{name}"
    for name in (
        "errors", "quoprimime", "base64mime", "charset", "header", "headerregistry", "_parseaddr", "utils",
        "_policybase", "_header_value_parser", "policy", "contentmanager", "iterators", "_encoded_words",
        "message", "feedparser", "parser", "generator",
    )
)  # fmt: skip
_TOML = tuple(f"test_tomllib.test_{name}" for name in ("data", "error", "misc"))
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
    "abc": _one("_py_abc", "test_abc"),
    "asyncio": Target(_ASYNCIO, tuple(f"test_{name.replace('.', '.test_')}" for name in _ASYNCIO[1:])),
    "base64": _one("base64"),
    "bisect": _one("bisect"),
    "cmd": _one("cmd"),
    "codeop": _one("codeop"),
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
    "datetime": Target(
        ("_pydatetime",) if _PACKAGED else ("datetime",), ("test_datetime",), ("*ZoneInfoTest*",)
    ),
    "decimal": _one("_pydecimal", "test_decimal"),
    "difflib": _one("difflib"),
    "email": Target(
        _EMAIL, ("test_email.test_email", "test_email.test_message", "test_email.test_headerregistry")
    ),
    "enum": _one("enum"),
    "filecmp": _one("filecmp"),
    "fileinput": _one("fileinput"),
    "fnmatch": _one("fnmatch"),
    "fractions": _one("fractions"),
    "functools": _one("functools"),
    "graphlib": _one("graphlib"),
    "getopt": _one("getopt"),
    "gettext": _one("gettext"),
    "glob": _one("glob"),
    "gzip": _one("gzip"),
    "heapq": _one("heapq"),
    "hmac": _one("hmac"),
    "html": Target(("html", "html.parser", "_markupbase"), ("test_html", "test_htmlparser")),
    "http.cookies": _one("http.cookies", "test_http_cookies"),
    "ipaddress": _one("ipaddress"),
    "json": Target(_JSON, _DECODER_TESTS),
    "linecache": _one("linecache"),
    "logging": _one("logging"),
    "mimetypes": _one("mimetypes"),
    "netrc": _one("netrc"),
    "ntpath": _one("ntpath"),
    "numbers": _one("numbers", "test_abstract_numbers"),
    "operator": _one("operator"),
    "optparse": _one("optparse"),
    "pickletools": _one("pickletools"),
    "plistlib": _one("plistlib"),
    "posixpath": Target(("genericpath", "posixpath"), ("test_genericpath", "test_posixpath")),
    "pprint": _one("pprint"),
    "queue": _one("queue"),
    "quopri": _one("quopri"),
    "random": _one("random"),
    "re": Target(("re._parser", "re._compiler", "re"), ("test_re",)),
    "reprlib": _one("reprlib"),
    "sched": _one("sched"),
    "secrets": _one("secrets"),
    "selectors": _one("selectors"),
    "shlex": _one("shlex"),
    "shutil": _one("shutil"),
    "statistics": _one("statistics"),
    "string": _one("string"),
    "stringprep": _one("stringprep"),
    "strptime": _one("_strptime", "test_strptime"),
    "tarfile": _one("tarfile"),
    "tempfile": _one("tempfile"),
    "textwrap": _one("textwrap"),
    "threading.local": _one("_threading_local", "test_threading_local"),
    "timeit": _one("timeit"),
    "tomllib": Target(("tomllib._re", "tomllib._parser", "tomllib"), _TOML),
    "tokenize": _one("tokenize"),
    "traceback": _one("traceback"),
    "types": _one("types"),
    "typing": _one("typing"),
    "urllib.robotparser": _one("urllib.robotparser", "test_robotparser"),
    "urllib.parse": _one("urllib.parse", "test_urlparse"),
    "uuid": _one("uuid"),
    "wave": _one("wave"),
    "weakref": Target(("_weakrefset", "weakref"), ("test_weakref", "test_weakset")),
    "xml.etree": _one("xml.etree.ElementTree", "test_xml_etree"),
    "zipfile": _one("zipfile", "test_zipfile.test_core" if sys.version_info >= (3, 12) else "test_zipfile"),
}

_WALKS = "it walks the stack for as long as the frames belong to the module, and one of ours lies between"
# Tests, as patterns of their names, that no conversion can pass, and why.
INHERENT = {
    "test.test_ast*.AST_Tests.test_ast_asdl_signature": "gast, which we import, adds subclasses to ast.expr",
    "test.test_gettext.GNUTranslations*PluralFormsTestCase.test_plural_*forms": _WALKS,
    "test.test_tomllib.test_misc.*_recursion_limit *": "it allows itself about a hundred frames, and ours are among them",
    "test.test_weakref.MappingTestCase.test_remove_closure": "an inner function finds our operators in its closure",
}

_FINDS = "it counts the frames up to the caller from inside of an `if`, whose body has one of its own"
# `isinstance` of a protocol with attributes asks which module calls it.
_PROTOCOLS = (
    "*isinstance*", "no_weird_caching_*", "none_*", "protocol_decorated_with_final_*", "defining_generic_protocols_old_style",
    "pep695_generics_can_be_runtime_checkable", "protocols_issubclass_non_callable", "protocols_pickleable",
    "protocols_support_register", "runtime_checkable_with_match_args",
)  # fmt: skip
INHERENT_IN_FULL = {
    "test.test_contextlib*.*ExitStack.test_exit_exception_traceback": "the body of an `if` is a function, with an entry",
    "test.test_functools.TestLRUPy.test_lru_reentrancy_with_len": "it replaces builtins.len, which our operators call",
    "test.test_enum.TestSpecial.test_pickle_enum_function": "a frame is counted in the body of an `if`, which has its own",
    "test.test_logging.ExceptionTest.test_formatting": _FINDS,
    "test.test_logging.HTTPHandlerTest.test_output": _FINDS,
    "test.test_logging.LoggerAdapterTest.test_*": _FINDS,
    "test.test_logging.LoggerTest.test_find_caller_with_stacklevel": _FINDS,
    "test.test_traceback.TestStack.test_custom_format_frame": _FINDS,
    "test.test_traceback.TestStack.test_format_locals": _FINDS,
    **dict.fromkeys(map("test.test_typing.ProtocolTests.test_{}".format, _PROTOCOLS), _FINDS),
    "test.test_typing.ForwardRefTests.test_forward_recursion_actually": "it counts on a depth of recursion",
    "test.test_plistlib.*.test_deep_nesting": "300 levels of recursion, in a chain of `elif` whose every body is a function",
}

# Each of these takes a few seconds; in the full form, only the second ones do.
QUICK = (
    "base64", "bisect", "cmd", "codeop", "colorsys", "configparser", "contextlib", "copy", "csv", "dataclasses", "filecmp",
    "fnmatch", "fractions", "functools", "getopt", "graphlib", "heapq", "html", "ipaddress", "mimetypes", "netrc",
    "optparse", "pprint", "re", "reprlib", "sched", "shlex", "string", "textwrap", "timeit", "tomllib", "types", "urllib.parse",
)  # fmt: skip
QUICK_IN_FULL = (
    "bisect", "colorsys", "contextlib", "copy", "dataclasses", "fractions", "graphlib", "heapq", "reprlib", "shlex",
    "textwrap", "timeit",
)  # fmt: skip
