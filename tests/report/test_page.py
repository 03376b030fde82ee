"""Is the page whole, escaped and without network, and is it shown in notebooks and saved to files?"""

from __future__ import annotations

import html.parser
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import convert
from autograph_lite.runtime.reporting import page
from autograph_lite.runtime.reporting.report import Report
from tests.report import model


class Read(html.parser.HTMLParser):
    """What a browser would make of a page: its tags, and the text of its lines."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def report() -> Report:
    f = convert(model.step)
    f(jnp.arange(4.0), jnp.int32(1))
    f(jnp.arange(4.0), 2)
    return f.report(jnp.arange(4.0), jnp.int32(1))


def test_text_of_the_user_is_no_part_of_the_page_s_own(report: Report) -> None:
    read = Read(report.html)
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == tags.count("style") == 1
    assert report.html.count("</script>") == 1
    assert "Says </script><script>document.title = 'broken'</script>." in read.text
    assert 'for name in ("<i>", label):' in read.text


def test_the_page_loads_nothing(report: Report) -> None:
    read = Read(report.html)
    assert not [tag for tag, given in read.tags if {"src", "href", "action"} & set(given)]
    assert not re.search(r"@import|url\(|https?://", report.html)
    (policy,) = [given["content"] for _, given in read.tags if "http-equiv" in given]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "script-src 'sha256-" in policy


def test_each_statement_says_what_it_became_and_why(report: Report) -> None:
    text = Read(report.html).text
    for told in (
        "for became scan of 4 steps, 12 equationsit runs over an array: float32[4]",
        "if became cond, 10 equationsthe condition is traced",
        "for became unrolled 2 times, 2 equationsit runs over a tuple",
        "while became while_loop, 3 equationsthe condition is traced",
    ):
        assert told in text


def test_the_traces_are_shown_with_their_reasons(report: Report) -> None:
    text = Read(report.html).text
    assert "n: int32[] -> 2 (from trace 1)" in text
    assert "Avoid it: pass an array each time, jnp.asarray(n)" in text


def test_every_number_of_a_link_is_one_of_a_line_of_the_source(report: Report) -> None:
    of_source, _, rest = report.html.partition('id="code"')
    known = set(re.findall(r"\d+", " ".join(re.findall(r'data-l="([\d ]+)"', of_source))))
    used = set(re.findall(r"\d+", " ".join(re.findall(r'data-l="([\d ]+)"', rest))))
    assert used
    assert used <= known


def test_a_report_is_saved_and_shown_in_a_frame(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    ((tag, given),) = Read(report._repr_html_()).tags
    assert (tag, given["sandbox"], given["srcdoc"]) == ("iframe", "allow-scripts", report.html)
    assert repr(report) == "Report(name='step')"


def test_a_report_keeps_no_trace_of_the_function() -> None:
    f = convert(model.step)
    f.report(jnp.arange(4.0), 2)
    assert f.trace_count == 0


def test_a_report_of_a_bound_method_is_that_of_the_instance() -> None:
    class Doubling:
        @convert
        def twice(self, x):  # type: ignore[no-untyped-def]
            while x < 10:
                x = x * 2
            return x

    assert "while_loop" in Doubling().twice.report(jnp.float32(1)).html


def test_a_function_that_is_not_converted_has_the_same_report() -> None:
    types = jax.ShapeDtypeStruct((4,), "float32"), jax.ShapeDtypeStruct((), "int32")
    found, expected = autograph_lite.report(model.step)(*types), convert(model.step).report(*types)
    assert (found.name, without_traces(found.html)) == ("step", without_traces(expected.html))


def without_traces(page: str) -> str:
    """What stands before their section, the last one, which has times."""
    return page.partition('id="h-traces"')[0]


def test_a_method_that_is_not_converted_has_a_report() -> None:
    class Doubling:
        def twice(self, x):  # type: ignore[no-untyped-def]
            while x < 10:
                x = x * 2
            return x

    assert "while_loop" in autograph_lite.report(Doubling().twice)(x=jnp.float32(1)).html


def test_a_report_of_a_converted_function_shows_its_traces() -> None:
    f = convert(model.step)
    f(jnp.arange(4.0), 1)
    f(jnp.arange(4.0), 2)
    assert autograph_lite.report(f)().html.count("(from trace 1)") == 1
    assert f.trace_count == 2


@pytest.mark.parametrize("what", [int, 3])
def test_what_is_no_function_has_no_report(what: Any) -> None:
    with pytest.raises(autograph_lite.NotAFunctionError):
        autograph_lite.report(what)(1)


def test_arguments_that_do_not_fit_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'xs'"):
        convert(model.step).report()


def test_a_notebook_shows_signatures_and_what_statements_became() -> None:
    f = convert(model.step)
    assert "step: no traces" in f._repr_html_()
    f(jnp.arange(4.0), 2)
    read = Read(f._repr_html_())
    assert "step(xs: float32[4], n: Literal[2]" in read.text
    assert "while total > 1:while_loop" in read.text
    assert "b" not in {tag for tag, _ in read.tags}
    assert f.concrete_functions[0]._repr_html_() in f._repr_html_()
    assert f.trace_count == 1


def test_code_is_coloured_and_escaped() -> None:
    lines = ['if x < "<b>":  # a & b', "    match = 1", "    match x:", 'y = """', "</i>", '"""']
    found = page.python_as_html(lines)
    assert (
        found[0]
        == '<i class="k">if</i> x &lt; <i class="s">&quot;&lt;b&gt;&quot;</i>:  <i class="c"># a &amp; b</i>'
    )
    assert found[1] == '    match = <i class="d">1</i>'
    assert found[2] == '    <i class="k">match</i> x:'
    assert found[4] == '<i class="s">&lt;/i&gt;</i>'


def test_what_is_no_python_is_shown_without_colours() -> None:
    assert page.python_as_html(['"""<'])[0] == "&quot;&quot;&quot;&lt;"


def test_the_drawing_leaves_out_what_xla_drops() -> None:
    @convert
    def f(x: Any, y: Any) -> Any:
        while x < 3 and y < 2:
            x = x + 1
        return x

    drawn = re.findall(r'<g class="box (\w+)', f.report(jnp.float32(1), jnp.float32(1)).html)
    assert drawn == ["root", "while_loop", "part", "cond", "part", "part", "part"]
