"""Is text that is completed when the program has run kept from whatever would get its placeholder: methods of text, libraries, files?"""

from __future__ import annotations

import argparse
import csv
import enum
import functools
import hashlib
import io
import json
import logging
import operator
import os
import pathlib
import pprint
import re
import string
import subprocess
import sys
import textwrap
import types
import uuid
import warnings

import jax
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError

MADE = {
    "replace": lambda n: "frame-N{.png N".replace("N", str(n)),
    "replace some": lambda n: "N-N-N".replace("N", f"<{n}>", 2),
    "replace none": lambda n: "frame.png".replace("N", str(n)),
    "replace between": lambda n: "ab".replace("", f"{n}"),
    "replace twice": lambda n: "X-Y".replace("X", str(n)) + "X-Y".replace("Y", str(n)),
    "of the class": lambda n: str.replace("frame-N", "N", str(n)) + str.join("-", ["a", str(n)]),
    "a log record": lambda n: logging.LogRecord("a", 20, "p", 1, "n=%s %d", (n, n), None).getMessage(),
    "stored": lambda n: (
        types.SimpleNamespace(a=[f"{n}"]).a[0] + argparse.Namespace(a=f"{n}").a + {"a": f"{n}"}.get("a")
    ),
    "handed on": lambda n: functools.partial(lambda text: text, f"{n}")() + [*map(str, [f"{n}"])][0],
    "a default": lambda n: getattr(string, "nothing", f"{n}"),
    "in a tree": lambda n: jax.tree.map(lambda leaf: leaf, {"a": f"{n}"})["a"],
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE.keys())
def test_what_makes_text_keeps_the_number(made) -> None:
    def f(n):
        if n > 0:
            raise ValueError(made(n))
        return n

    for n in (5, 12):
        with pytest.raises(ValueError) as caught:
            autograph_lite.convert(f)(np.int32(n))
        assert str(caught.value) == made(np.int32(n))


def printed(n):
    out = io.StringIO()
    print("n =", n, file=out)
    return out.getvalue()


def written(n):
    out = io.StringIO()
    out.write(f"{n}")
    return out.getvalue()


def written_as_lines(n):
    out = io.StringIO()
    out.writelines(["a", f"{n}"])
    return out.getvalue()


def written_as_csv(n):
    out = io.StringIO()
    csv.writer(out).writerow([n, "a"])
    return out.getvalue()


class Sign(enum.Enum):
    FIVE = "5"


READ = {
    **{name: lambda n, name=name: getattr("a5c", name)(str(n)) for name in (
        "find", "rfind", "count", "split", "rsplit", "endswith", "startswith", "partition", "rpartition", "strip", "lstrip",
        "rstrip", "removeprefix", "removesuffix", "index",
    )},
    "one of several": lambda n: "5c".startswith(("x", str(n))),
    "translate": lambda n: "a5c".translate({97: str(n)}),
    "old": lambda n: "a5".replace(str(n), "b"),
    "in": lambda n: str(n) in "a5c",
    "not in": lambda n: f"{n}" not in "a5c",
    "of the class": lambda n: str.upper(f"a{n}"),
    "mapped": lambda n: [*map(str.upper, [f"a{n}"])],
    "by name": lambda n: operator.methodcaller("find", str(n))("a5"),
    "bound before": lambda n: functools.partial("a5c".find, str(n))(),
    "a path": lambda n: pathlib.Path(f"frame_{n}.png").name,
    "exists": lambda n: os.path.exists(f"/nowhere/{n}"),  # noqa: PTH110
    "a template": lambda n: string.Template("n=$n").substitute(n=n),
    "a template of text": lambda n: string.Template("n=$n").substitute(n=str(n)),
    "print": printed, "write": written, "writelines": written_as_lines, "csv": written_as_csv,
    "pprint": lambda n: pprint.pformat({"a": [n]}),
    "pprint of text": lambda n: pprint.pformat([f"{n}"]),
    "ascii": lambda n: ascii(n),
    "ascii of text": lambda n: ascii(f"{n}"),
    "json": lambda n: json.dumps({"a": f"{n}"}),
    "textwrap": lambda n: textwrap.fill(f"a {n}"),
    "uuid": lambda n: uuid.uuid5(uuid.NAMESPACE_DNS, str(n)),
    "hashlib": lambda n: hashlib.sha256(str(n).encode()).hexdigest(),
    "in place of a match": lambda n: re.sub(r"\d", lambda match: f"{n}", "a5b"),
    "of a pattern": lambda n: re.compile(r"\d").sub(lambda match: f"<{n}>", "a5b"),
    "subprocess": lambda n: subprocess.run(["echo", f"{n}"], capture_output=True).stdout,
    "a member": lambda n: Sign(str(n)),
    "getattr": lambda n: getattr(string, f"n{n}", None),
    "hasattr": lambda n: hasattr(string, f"n{n}"),
    "in memory": lambda n: io.StringIO(f"{n}").getvalue(),
    "ord": lambda n: ord(f"{n}"),
}  # fmt: skip


@pytest.mark.parametrize("reads", READ.values(), ids=READ.keys())
def test_what_reads_or_writes_the_text_is_refused(reads) -> None:
    def f(n):
        return reads(n)

    with pytest.raises(
        PythonOnlyError, match=r"looked into or changed|makes text of a traced value"
    ) as caught:
        autograph_lite.convert(f)(np.int32(5))
    assert "test_text_readers.py" in str(caught.value)
    assert repr(autograph_lite.convert(f)(5)) == repr(f(5))


def test_the_refusal_names_the_function_and_what_to_do() -> None:
    def f(n):
        return pathlib.Path(f"frame_{n}.png")

    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(f)(np.int32(5))
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        "Text with the value of a traced array in it, 'frame_int32[].png', is compared, looked into or changed by 'Path'."
    )
    assert lines[-2:] == [
        "  Fix: use the value itself, or return it and make the text of the result. The messages of `assert` and `raise` are",
        "  completed, autograph_lite.print prints when the program runs, and autograph_lite.py_function calls Python then.",
    ]


def test_no_file_is_made_of_text_that_is_not_known(tmp_path) -> None:
    def opened(n):
        with open(f"{tmp_path}/{n}.txt", "w") as file:  # noqa: PTH123
            file.write("1")
        return n

    def within(n):
        (tmp_path / f"{n}.txt").write_text("1")
        return n

    def made(n):
        os.makedirs(f"{tmp_path}/{n}")  # noqa: PTH103
        return n

    for f in (opened, within, made):
        with pytest.raises(PythonOnlyError, match="looked into or changed"):
            autograph_lite.convert(f)(np.int32(5))
    assert [*tmp_path.iterdir()] == []


def test_what_is_shown_while_the_program_is_traced_is_not_refused(capsys) -> None:
    def f(n):
        print("n", n, f"<{n}>")
        print(f"<{n}>", file=sys.stderr)
        sys.stdout.write(f"<{n}>\n")
        logging.getLogger(__name__).debug(f"{n}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
        return n

    assert autograph_lite.convert(f)(np.int32(5)) == 5
    assert capsys.readouterr().out.count("<int32[]>") == 2


def test_the_dict_of_one_of_several_objects_is_refused() -> None:
    class Round:
        def __init__(self, radius):
            self.radius = radius

        def area(self):
            return self.radius**2 * 3

    class Square:
        def __init__(self, side):
            self.side = side

        def area(self):
            return self.side**2

    def f(x):
        shape = Round(x) if x > 0 else Square(x)
        return [*vars(shape)]

    def of_one(x):
        shape = Round(x)
        vars(shape)["radius"] = x * 2
        return shape.radius, vars(shape)

    with pytest.raises(
        PythonOnlyError, match=r"vars\(\) is asked for the attributes of one of several objects"
    ):
        autograph_lite.convert(f)(np.float32(2))
    assert autograph_lite.convert(of_one)(np.float32(2)) == of_one(np.float32(2))
