"""Does the command line show what it promises: code, diff, jaxpr and HLO of every kind of function?"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph_lite.cli import showing
from autograph_lite.cli.commands import main
from autograph_lite.converters import PASSES

Run = Callable[..., tuple[int, str, str]]
RunProcess = Callable[..., "subprocess.CompletedProcess[str]"]


# What is shown


def test_a_function_is_shown_as_generated_code(run: Run) -> None:
    code, out, _ = run("model.py:step")
    assert code == 0
    assert out.startswith("def step(x, n=1):\n")
    assert "ag.if_stmt(x > 0, true_fun, false_fun" in out


@pytest.mark.parametrize("name", ["loss", "double", "named", "size", "__secret"])
def test_every_kind_of_method_is_found(run: Run, name: str) -> None:
    code, out, _ = run(f"model.py:Model.{name}")
    assert code == 0
    assert f"{name}(" in out


def test_a_lambda_is_found_by_the_name_that_it_is_assigned_to(run: Run) -> None:
    code, out, _ = run("model.py:relu")
    assert code == 0
    assert "lambda" in out


def test_a_decorated_function_is_shown_and_not_its_wrapper(run: Run) -> None:
    _, out, _ = run("model.py:decorated")
    assert "def decorated(x):\n    return x" in out


def test_a_module_is_imported_by_its_name(run: Run) -> None:
    code, out, _ = run("model:Model.loss")
    assert code == 0
    assert "def loss(self, x):" in out


def test_a_file_in_a_package_may_import_relatively(run: Run, tmp_path: Path) -> None:
    package = tmp_path / "nested_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "constants.py").write_text("SIZE = 3\n")
    (package / "layers.py").write_text(
        "from .constants import SIZE\n\n\ndef dense(x):\n    return x * SIZE\n"
    )
    code, out, _ = run("nested_package/layers.py:dense")
    assert code == 0
    assert "def dense(x):" in out


def test_a_file_named_as_a_loaded_module_does_not_replace_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "traceback.py").write_text("def mine(x):\n    return x\n")
    loaded = sys.modules["traceback"]
    code, out, _ = run("traceback.py:mine")
    assert (code, out) == (0, "def mine(x):\n    return x\n")
    assert sys.modules["traceback"] is loaded


def test_a_whole_file_is_shown_in_order_with_headings(run: Run) -> None:
    code, out, _ = run("model.py")
    headings = [line.split(",")[0][2:] for line in out.splitlines() if line.startswith("# ")]
    assert code == 0
    assert headings == [
        "logged", "step", "relu", "decorated", "Model.loss", "Model.double", "Model.named", "Model.size",
        "Model.__secret",
    ]  # fmt: skip


def test_a_class_is_shown_method_by_method_without_second_names(run: Run) -> None:
    _, out, _ = run("model.py:Model")
    assert out.startswith("# Model.loss, model.py:")
    assert out.count("def loss(") == 1


def test_what_the_file_prints_does_not_mix_with_the_code(run: Run) -> None:
    _, out, err = run("model.py:step")
    assert "imported" not in out
    assert err == "imported\n"


@pytest.mark.parametrize("arguments", [("--jaxpr",), ()])
def test_what_is_printed_while_tracing_does_not_mix_with_the_result(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "printing.py").write_text("def f(x):\n    print('traced')\n    return x\n")
    command = "to-code" if arguments else "explain"
    code, out, err = run("printing.py:f", "f32[]", *arguments, command=command)
    assert (code, err) == (0, "traced\n")
    assert "traced" not in out


def test_after_a_pass_the_later_passes_have_not_run(run: Run) -> None:
    _, out, _ = run("model.py:step", "--after", PASSES[0].name)
    assert "ag.if_stmt" not in out
    assert "if x > 0:" in out


def test_a_diff_is_a_patch_of_the_users_file(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("model.py:Model.loss", "--diff")
    assert code == 0
    assert out.startswith("--- model.py\n+++ model.py (converted)\n@@ -")
    assert "\n-        if x > 0:\n" in out
    before = (tmp_path / "model.py").read_text()
    patched = subprocess.run(
        ["git", "apply", "-p0", "-"], input=out.replace(" (converted)", ""), text=True, cwd=tmp_path
    )
    assert patched.returncode == 0
    assert (tmp_path / "model.py").read_text().startswith(before[: before.index("    def loss")])


def test_a_diff_without_differences_is_empty(run: Run) -> None:
    assert run("model.py:Model.double", "--diff", "--color", "always")[:2] == (0, "")


def test_the_jaxpr_has_the_staged_conditional(run: Run) -> None:
    code, out, err = run("model.py:step", "--jaxpr", "f32[]", "n=3")
    assert code == 0, err
    assert "cond[" in out
    assert "3.0:f32[]" in out


def test_arguments_may_stand_before_and_after_options(run: Run) -> None:
    code, out, err = run("--jaxpr", "model.py:step", "f32[]", "--color", "never", "3")
    assert code == 0, err
    assert "cond[" in out


def test_a_bound_method_of_an_instance_in_the_file_is_traced(run: Run) -> None:
    code, out, err = run("model.py:model.loss", "--jaxpr", "f32[]")
    assert code == 0, err
    assert "cond[" in out


def test_what_a_function_returns_beside_arrays_is_no_part_of_the_program(run: Run, tmp_path: Path) -> None:
    (tmp_path / "labelled.py").write_text("def f(x):\n    return x + 1, 'label'\n")
    code, out, err = run("labelled.py:f", "--jaxpr", "f32[]")
    assert code == 0, err
    assert out.endswith("in (b,) }\n")


def test_the_hlo_is_that_of_the_compiled_program(run: Run) -> None:
    code, out, err = run("model.py:step", "--hlo", "f32[]")
    assert code == 0, err
    assert out.startswith("HloModule jit_step")
    assert "conditional(" in out or "select(" in out


# Colours


def test_no_colours_in_a_pipe(run: Run) -> None:
    assert "\x1b" not in run("model.py:step")[1]


def test_colours_when_asked_for_leave_the_text_as_it_is(run: Run) -> None:
    _, plain, _ = run("model.py:step")
    _, colored, _ = run("model.py:step", "--color", "always")
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


def test_a_table_on_a_terminal_shows_what_is_staged(run: Run) -> None:
    given = "model.py:step", "f32[]", "n=3"
    _, plain, _ = run(*given, command="explain")
    _, colored, _ = run(*given, "--color", "always", command="explain")
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    assert re.search(r"\x1b\[(0;)?32mcond", colored)


def test_a_table_on_a_terminal_shows_what_is_unrolled(capsys: pytest.CaptureFixture[str]) -> None:
    rows = (
        "f: 2 statements",
        "  where   became            why",
        "  m.py:1  unrolled 3 times  x",
        "  m.py:2  Python            x",
    )
    showing.write_colored("\n".join(rows), "table", color=True)
    _, _, unrolled, python = capsys.readouterr().out.splitlines()
    assert "\x1b[33munrolled 3 times" in unrolled
    assert python == rows[-1]


@pytest.mark.parametrize(("no_color", "colored"), [("", True), ("1", False)])
def test_colours_on_a_terminal_unless_no_color_is_set(
    monkeypatch: pytest.MonkeyPatch, no_color: str, colored: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    assert showing.use_color("auto") is colored


# The process


def test_the_command_runs_as_a_module_and_leaves_no_files(run_process: RunProcess, tmp_path: Path) -> None:
    done = run_process("to-code", "model.py:Model.double")
    assert (done.returncode, done.stderr) == (0, "imported\n")
    assert done.stdout.endswith("def double(x):\n    return 2 * x\n")
    assert [path.name for path in tmp_path.iterdir()] == ["model.py"]


def test_explain_shows_what_became_of_each_statement(run: Run) -> None:
    code, out, _ = run("model.py:step", "f32[]", "n=3", command="explain")
    assert code == 0
    assert out.splitlines() == [
        "step: 1 statement of control flow",
        "  where        statement  became  why                      equations",
        "  model.py:20  if x > 0:  cond    the condition is traced          5",
    ]


def test_explain_takes_one_function(run: Run) -> None:
    code, out, error = run("model.py:Model", command="explain")
    assert (code, out) == (2, "")
    assert error == (
        "imported\n"
        "autograph-lite: explain shows one function, and model.py:Model has several: "
        "Model.loss, Model.double, Model.named, Model.size, Model.__secret\n"
    )


@pytest.mark.parametrize("arguments", [["--help"], ["to-code", "--help"]])
def test_help_has_examples(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 0
    assert "autograph-lite to-code model.py:step --jaxpr 'f32[3,4]' 'i32[]' n=10" in capsys.readouterr().out


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("autograph-lite ")
