"""Which real functions are mutated, and with which arguments are they called?

LIBRARY names functions of the standard library that are written in Python, and values for them; ARRAYS are the
functions of `examples/` and `benchmarks/arrays/` with the arguments of their smaller cases.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .choices import Choices

ROOT = Path(__file__).parent.parent.parent
MOST_NUMBERS = 300  # in the arguments of a case: plain Python has to be through with them in a moment


@dataclasses.dataclass(frozen=True)
class Original:
    """A call of a real function.

    Attributes:
      module: where the function is: a module's name, or the path of a file.
      call: the expression to evaluate, over the parameters and names of the module.
      parameters: names of the parameters, separated by commas.
      arguments: the choices of a program -> arguments.
      traced: whether the arguments are arrays that a compiled program could take.
      about: what makes it different from the module's other calls.
    """

    module: str | Path
    call: str
    parameters: str
    arguments: Callable[[Choices], tuple[Any, ...]]
    traced: bool = False
    about: str = ""


def _integers(c: Choices) -> list[int]:
    return [c.below(20) - 6 for _ in range(c.below(7))]


def _rows(*kinds: Callable[[Choices], Any]) -> Callable[[Choices], Any]:
    """Tuples of these kinds, in a list."""
    return lambda c: [tuple(kind(c) for kind in kinds) for _ in range(1 + c.below(5))]


def _among(text: str) -> Callable[[Choices], Any]:
    """One of the texts that stand between bars."""
    return lambda c: c.pick(text.split(" | "))


def _list_of(kind: Callable[[Choices], Any], least: int = 0) -> Callable[[Choices], Any]:
    return lambda c: [kind(c) for _ in range(least + c.below(6))]


_small, _unit = (lambda c: c.below(9)), (lambda c: c.below(11) / 10)
_float, _text = (lambda c: (c.below(40) - 10) / 4), _among("abcabba | cbabac | ab | xaybz |  | aaaa | a b\tc")
_sentence = _among(
    "The quick brown fox, so-called, jumped over the lazy dog. | one\n  two three\n\n  four | a-b-c | "
    "supercalifragilistic is long |  | \tx  y\n"
)
_word = _among("apple | ape | appeal | peach | puppy | pear | a")
_year, _month = (lambda c: 1990 + c.below(40)), (lambda c: 1 + c.below(12))
_date, _clock = (lambda c: (_year(c), _month(c), 1 + c.below(28))), (lambda c: (c.below(24), c.below(60), 0))
_address = _among(
    "192.0.2.1 | 10.0.0.255 | ::1 | 2001:db8::ff00:42:8329 | 256.1.1.1 | 1.2.3 | fe80::1%3 | ::ffff:1.2.3.4"
)
_network = _among(
    "192.0.2.0/28 | 10.0.0.0/30 | 2001:db8::/126 | 192.0.2.1/24 | 10.0.0.0/255.255.255.248 | 1.2.3.4/33"
)
_path = _among("/a/b/../c | a//b/./c | ../x/y | / |  | ~/x | a/b.tar.gz | //srv/x")
_ratio = _among("1/2 | -3/4 | 1.25 | 7 | 2e-3 | 0 | 9/0 | x | 22/7")
_json = _among('{"a": [1, 2.5, null]} | [true, "x\\u00e9y"] | {"k": {"n": -1e3}} | [1,] | "text" | [[], {}]')
_command = _among("a 'b c' \"d e\" | x=\\ y # no | --f=1 -k v w | 'open |  | a;b&&c")
_address_of_page = _among(
    "http://u:p@host:80/p/a?q=1&r=%20#frag | //h/x;y | mailto:a@b | p?x=1 | http://[::1]/ | ../a/./b | http://h"
)
_nested = _among(
    "{'a': [1, (2, 3)], 'b': {'c': None}} | [1, [2, [3, [4]]]] | {'long text ' * 3: list(range(9))} | ()"
)
_graph = _rows(_among("a | b | c"), _among("b | c | d"))

# Module; the parameters' kinds; the call, whose parameters are a, b, c.
_LIBRARY: tuple[tuple[str, tuple[Callable[[Choices], Any], ...], str], ...] = (
    ("heapq", (_integers, _small), "(heapify(a), heappush(a, b), [heappop(a) for _ in range(len(a))])[2]"),
    ("heapq", (_integers, _small), "(heapify(a), heapreplace(a, b), heappushpop(a, b + 1), a)"),
    ("heapq", (_integers, _integers), "list(merge(sorted(a), sorted(b), reverse=False))"),
    ("heapq", (_small, _integers), "(nsmallest(a, b), nlargest(a, b, key=abs))"),
    ("bisect", (_integers, _small), "(a.sort(), bisect_left(a, b), bisect_right(a, b), insort(a, b), a)"),
    ("bisect", (_integers, _small), "(bisect_left(sorted(a), b, 1, key=lambda v: 2 * v), insort_left(a, b), a)"),
    ("statistics", (_list_of(_float),), "(mean(a), median(a), median_low(a), mode(a))"),
    ("statistics", (_list_of(_float, 2),), "(variance(a), pstdev(a), multimode(a), quantiles(a, n=3))"),
    ("statistics", (_integers,), "(harmonic_mean(map(abs, a)), median_grouped(a), fmean(a))"),
    ("statistics", (_list_of(_float, 2), _list_of(_float, 2)), "(covariance(a, b), linear_regression(a, b)[:])"),
    ("colorsys", (_unit, _unit, _unit), "(rgb_to_hsv(a, b, c), rgb_to_hls(a, b, c), rgb_to_yiq(a, b, c))"),
    ("colorsys", (_unit, _unit, _unit), "(hsv_to_rgb(a, b, c), hls_to_rgb(a, b, c), yiq_to_rgb(a, b, c))"),
    ("textwrap", (_sentence, _small), "wrap(a, b + 4, initial_indent='* ', max_lines=3)"),
    ("textwrap", (_sentence, _small), "(dedent(a), indent(a, '> '), shorten(a, b + 9))"),
    ("difflib", (_text, _text), "SequenceMatcher(None, a, b).get_opcodes()"),
    ("difflib", (_text, _text), "(SequenceMatcher(None, a, b).ratio(), SequenceMatcher(None, a, b).quick_ratio())"),
    ("difflib", (_word, _list_of(_word)), "get_close_matches(a, b, 2)"),
    ("difflib", (_list_of(_word), _list_of(_word)), "list(ndiff(a, b))"),
    ("difflib", (_list_of(_word), _list_of(_word)), "list(unified_diff(a, b, n=1))"),
    ("fractions", (_ratio, _ratio), "repr(Fraction(a) + Fraction(b)) + str(Fraction(a) * Fraction(b))"),
    ("fractions", (_ratio, _small), "(Fraction(a) < b, str(Fraction(a) // 2), float(Fraction(a)), Fraction(a) == b)"),
    ("fractions", (_ratio, _small), "(str(Fraction(a).limit_denominator(b + 1)), round(Fraction(a)), hash(Fraction(a)))"),
    ("ipaddress", (_address,), "(str(ip_address(a)), ip_address(a).is_private, ip_address(a).packed)"),
    ("ipaddress", (_network, _small), "(str(ip_network(a, strict=False)), list(map(str, ip_network(a).hosts()))[:b])"),
    ("ipaddress", (_list_of(_network),), "list(map(str, collapse_addresses([ip_network(n) for n in a])))"),
    ("calendar", (_year, _month), "(monthrange(a, b), TextCalendar(6).formatmonth(a, b), isleap(a))"),
    ("calendar", (_date, _clock), "(timegm(a + b), weekday(*a), Calendar().monthdays2calendar(*a[:2]))"),
    ("posixpath", (_path, _path), "(normpath(a), join(a, b), split(a), splitext(a))"),
    ("posixpath", (_path, _path), "(relpath('/' + a, '/' + b), commonpath(['/' + a, b]))"),
    ("ntpath", (_path, _path), "(splitdrive(a), join(a, b), split(b), isabs(a))"),
    ("fnmatch", (_among("*.[ch] | a?b* | [!x]y | [a | **"), _list_of(_word)), "(translate(a), filter(b, a))"),
    ("shlex", (_command,), "(split(a), quote(a), list(shlex(a, punctuation_chars=True)))"),
    ("string", (_sentence, _word), "(capwords(a), Template('$x ${y} $$').substitute(x=a, y=b))"),
    ("string", (_small, _word), "Formatter().vformat('{0:>{1}} {x!r}', (b, a), {'x': a})"),
    ("json.decoder", (_json,), "JSONDecoder().decode(a)"),
    ("json.encoder", (_nested,), "''.join(_make_iterencode({}, repr, encode_basestring, ' ', repr, ':', ',', True, False, False)(eval(a), 0))"),
    ("urllib.parse", (_address_of_page, _address_of_page), "(urlsplit(a)[:], urljoin(a, b), urlunsplit(urlsplit(b)))"),
    ("urllib.parse", (_address_of_page,), "(quote(a), unquote(a), parse_qsl(a), urlparse(a)[:])"),
    ("copy", (_nested,), "deepcopy(eval(a))"),
    ("pprint", (_nested, _small), "pformat(eval(a), width=10 + b)"),
    ("reprlib", (_nested,), "Repr().repr(eval(a))"),
    ("graphlib", (_graph,), "list(TopologicalSorter({n: [m] for n, m in a}).static_order())"),
    ("_pydatetime", (_date, _clock), "str(datetime(*a, *b) + timedelta(days=b[0], minutes=b[1])) + date(*a).isoformat()"),
    ("base64", (_sentence,), "(b32encode(a.encode()), a85encode(a.encode()), b85decode(b85encode(a.encode())))"),
    ("html", (_among("&lt;a&amp;b; | &#65; &#x41 | <b>\"x\" | &notit; &nosuch"),), "(unescape(a), escape(a))"),
    ("getopt", (_list_of(_among("-a | -b | x | --long=1 | --other | --")),), "getopt(a, 'ab:', ['long=', 'other'])"),
    ("gettext", (_among("n != 1 | n%10==1 && n%100!=11 ? 0 : n>1 ? 1 : 2 | n | (n"), _small), "c2py(a)(b)"),
    ("quopri", (_sentence,), "encodestring(a.encode(), True)"),
)  # fmt: skip


def library() -> list[Original]:
    """The calls of functions of this Python's library."""
    return [_of_library(*row) for row in _LIBRARY if _exists(row[0])]


def _of_library(module: str, kinds: tuple[Callable[[Choices], Any], ...], call: str) -> Original:
    parameters = ", ".join("abc"[: len(kinds)])
    return Original(module, call, parameters, lambda c: tuple(kind(c) for kind in kinds))


def _exists(module: str) -> bool:
    """False for `_pydatetime` before Python 3.12, which has it in `datetime`."""
    return importlib.util.find_spec(module) is not None


@functools.cache
def arrays() -> tuple[Original, ...]:
    """The functions over arrays with their smaller cases."""
    return (*_benchmarks(), *_examples())


def _benchmarks() -> list[Original]:
    from benchmarks.arrays import catalogue

    found = []
    for case in catalogue.CASES:
        path = Path(catalogue.__file__).parent / "loops" / f"{case.family}.py"
        options = "".join(f", {name}={value!r}" for name, value in case.small_options.items())
        found.append(_over_arrays(path, case.name, case.given(small=True), options))
    return found


def _examples() -> list[Original]:
    folder = ROOT / "examples"
    sys.path.insert(0, str(folder))  # they import their neighbour `show` by its bare name
    try:
        modules = [importlib.import_module(path.stem) for path in sorted(folder.glob("*.py"))]
    finally:
        sys.path.remove(str(folder))
    found = []
    for module in modules:
        for case in module.cases() if hasattr(module, "cases") else ():
            if sum(np.size(leaf) for leaf in _leaves(case.arrays)) <= MOST_NUMBERS:
                static = {name: getattr(v, "__name__", repr(v)) for name, v in case.static.items()}
                options = "".join(f", {name}={text}" for name, text in {**static, "np": "xp"}.items())
                found.append(
                    _over_arrays(Path(str(module.__file__)), case.function.__name__, case.arrays, options)
                )
    return found


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple | dict):
        return [
            leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in _leaves(item)
        ]
    return [value]


def _over_arrays(path: Path, name: str, arguments: tuple[Any, ...], options: str) -> Original:
    parameters = ", ".join(f"a{i}" for i in range(len(arguments)))
    return Original(path, f"{name}({parameters}{options})", parameters, lambda c: arguments, traced=True)
