"""Does the command `report` write a page, and say what is wrong as the other commands do?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph_lite.cli.commands import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def report(run: Run) -> Run:
    return functools.partial(run, command="report")


@pytest.mark.parametrize("arguments", [["f32[]", "n=3"], ["--args", "f32[]", "n=3"]])
def test_the_page_is_written_to_the_file(report: Run, tmp_path: Path, arguments: list[str]) -> None:
    code, out, err = report("model.py:step", *arguments, "-o", "page.html")
    assert (code, out) == (0, "")
    assert err == "imported\nautograph-lite: wrote what became of step to page.html\n"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<b>cond</b>" in page


def test_a_dash_is_stdout(report: Run, tmp_path: Path) -> None:
    code, out, err = report("model.py:step", "f32[]", "-o", "-")
    assert (code, err) == (0, "imported\n")
    assert out.startswith("<!DOCTYPE html>")
    assert out.endswith("</html>\n")
    assert not (tmp_path / "-").exists()


def test_a_method_of_an_instance_has_a_report(report: Run, tmp_path: Path) -> None:
    assert report("model.py:model.loss", "f32[]", "--output", "page.html")[0] == 0
    assert "Model.loss, model.py:" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.py:step", "f32[]"], "the following arguments are required: -o/--output (see autograph-lite report --help)"),
        (
            ["model.py:step", "f32", "-o", "p"],
            "argument 'f32' is neither an array such as 'f32[3,4]' or 'i32[]' nor a Python literal",
        ),
        (["model.py:step", "-o", "p"], "step(x, n=1): missing a required argument: 'x'"),
        (["model.py:stepp", "1", "-o", "p"], "model.py has no 'stepp'; did you mean 'step'?"),
        (["model.py:step", "1", "--diff", "-o", "p"], "unknown option '--diff' (see autograph-lite report --help)"),
        (["model.py:step", "1", "-o", "absent/p"], "cannot write absent/p: No such file or directory"),
        (["model.py:Model", "1", "-o", "p"], "report shows one function, and model.py:Model has several: "
         "Model.loss, Model.double, Model.named, Model.size, Model.__secret"),
        (["model.py:Model.loss", "1", "-o", "p"],
         "'Model.loss' is a method and needs an instance: name one, such as FILE.py:instance.loss"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(
    report: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    code, out, err = report(*arguments)
    assert (code, out) == (2, "")
    assert err.removeprefix("imported\n") == f"autograph-lite: {message}\n"
    assert not (tmp_path / "p").exists()


def test_what_cannot_be_traced_is_an_error_and_leaves_no_file(report: Run, tmp_path: Path) -> None:
    code, _, err = report("model.py:step", "f32[2]", "-o", "page.html")
    assert code == 1
    assert "autograph-lite: step: The condition 'x > 0' is an array: bool[2]." in err
    assert not (tmp_path / "page.html").exists()


def test_the_help_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    assert "--output FILE" in capsys.readouterr().out
