"""Is everything that the user gave wrong said in one line, with exit code 2?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph_lite import api
from autograph_lite.converters import PASSES
from autograph_lite.errors import AutographError

Run = Callable[..., tuple[int, str, str]]
RunProcess = Callable[..., "subprocess.CompletedProcess[str]"]


# What the user gave wrong


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("absent.py:f", "no such file: absent.py"),
        ("./:f", ". is a directory; give one of its files"),
        ("absent_module:f", "no module named 'absent_module'"),
        ("model.py:stepp", "model.py has no 'stepp'; did you mean 'step'?"),
        ("model.py:Model.los", "model.py has no 'Model.los'; did you mean 'loss'?"),
        ("model.py:SIZE", "'SIZE' in model.py is of type 'int'; give a function, a method or a class"),
        (
            "model.py:made",
            "'made' in model.py has no source: it was made by exec or eval, or its file is gone",
        ),
        ("model.py:Empty", "'Empty' in model.py is a class without methods that are written in Python"),
        ("math:sin", "'sin' in math has no source: it is not written in Python"),
        (
            "model.py:",
            "'model.py:' is not of the form FILE.py:NAME or MODULE:NAME (see autograph-lite --help)",
        ),
    ],
)
def test_a_wrong_target_is_said_in_one_line(run: Run, target: str, message: str) -> None:
    code, out, err = run(target)
    assert (code, out) == (2, "")
    assert err.removeprefix("imported\n") == f"autograph-lite: {message}\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ndef f(:\n", "broken.py:2: cannot be imported: SyntaxError: invalid syntax"),
        ("\n1 / 0\n", "broken.py:2: cannot be imported: ZeroDivisionError: division by zero"),
        (
            "import absent_one\n",
            "broken.py:1: cannot be imported: ModuleNotFoundError: No module named 'absent_one'",
        ),
        ("import sys\nsys.exit(3)\n", "broken.py:2: cannot be imported: SystemExit: 3"),
        ("x = 1\n", "broken.py defines no functions"),
    ],
)
def test_a_broken_file_is_said_in_one_line(run: Run, tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(source)
    assert run("broken.py") == (2, "", f"autograph-lite: {message}\n")


def test_an_unknown_pass_lists_the_passes(run: Run) -> None:
    names = ", ".join(converter.name for converter in PASSES)
    assert run("model.py:step", "--after", "fusion") == (
        2, "", f"autograph-lite: no pass named 'fusion'; the passes are {names}\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["model.py:step", "--jaxpr", "f32"],
            "argument 'f32' is neither an array such as 'f32[3,4]' or 'i32[]' nor a Python literal",
        ),
        (["model.py:step", "--jaxpr"], "step(x, n=1): missing a required argument: 'x'"),
        (["model.py:step", "--jaxpr", "1", "m=2"], "step(x, n=1): got an unexpected keyword argument 'm'"),
        (["model.py:step", "f32[]"], "example arguments such as 'f32[]' need --jaxpr or --hlo"),
        (
            ["model.py:step", "f32[]", "--hlo", "--after", "jumps"],
            "--after shows code, and --hlo needs all passes: use one of them",
        ),
        (
            ["model.py:Model", "--jaxpr"],
            "--jaxpr shows one function, and model.py:Model has several: Model.loss, Model.double,"
            " Model.named, Model.size, Model.__secret",
        ),
        (
            ["model.py:Model.loss", "--hlo", "f32[]"],
            "'Model.loss' is a method and needs an instance: name one, such as FILE.py:instance.loss",
        ),
        (["model.py:step", "--frob"], "unknown option '--frob' (see autograph-lite to-code --help)"),
        ([], "the following arguments are required: TARGET (see autograph-lite to-code --help)"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.removeprefix("imported\n") == f"autograph-lite: {message}\n"


def test_a_wrong_environment_variable_is_said_in_one_line(run_process: RunProcess) -> None:
    done = run_process("to-code", "model.py:step", AUTOGRAPH_LITE_CHECK="7")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "autograph-lite: AUTOGRAPH_LITE_CHECK is '7'; it may be 0 or 1.\n"


# What could not be converted or traced


def test_an_error_of_ours_is_shown_without_a_traceback(run: Run, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text("def f(x):\n    if x > 0:\n        y = x\n    return y\n")
    code, out, err = run("failing.py:f", "--jaxpr", "f32[]")
    assert (code, out) == (1, "")
    assert err.startswith("autograph-lite: f: 'y' may be used before it is assigned.\n")
    assert f"  {tmp_path / 'failing.py'}:4 in f\n      return y\n" in err
    assert "Traceback" not in err


def test_one_function_that_fails_does_not_keep_back_the_others(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def to_code(function: Callable[..., object], *, after: str | None = None) -> str:
        if function.__name__ == "step":
            raise AutographError("'x' can't be converted.")
        return f"{function.__name__}\n"

    monkeypatch.setattr(api, "to_code", to_code)
    code, out, err = run("model.py")
    assert code == 1
    assert "# decorated, model.py:" in out
    assert "# step" not in out
    assert err.endswith("autograph-lite: step: 'x' can't be converted.\n")


def test_what_the_users_code_raises_while_tracing_is_said_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text("def f(x):\n    return x + {}['key']\n")
    code, out, err = run("failing.py:f", "--jaxpr", "f32[]")
    assert (code, out) == (1, "")
    assert err == f"autograph-lite: f: {tmp_path / 'failing.py'}:2: KeyError: 'key'\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_output_that_can_not_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("def f(x):\n    return x\n")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "autograph_lite", "to-code", "small.py:f"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "autograph-lite: cannot write the output: No space left on device\n",
    )
