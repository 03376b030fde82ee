"""Does the page work in a real browser: with the mouse, with keys, in dark and light, narrow and wide?"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from autograph_lite import convert
from tests.report import browser, model
from tests.report.browser import Browser

pytestmark = pytest.mark.skipif(
    browser.found() is None, reason=f"needs a browser on PATH, one of: {', '.join(browser.NAMES)}"
)
LIT = "[...document.querySelectorAll('#{} .lit code')].map(e => e.textContent.trim())"
HERE = "document.activeElement.querySelector('code').textContent.trim()"
STATUS = "document.getElementById('status').textContent"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    types = jax.ShapeDtypeStruct((4,), "float32"), jax.ShapeDtypeStruct((), "int32")
    convert(model.step).report(*types).save(path)
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = browser.found()
    assert program is not None
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def page(chromium: Browser, saved: Path) -> Browser:
    chromium.show(saved)
    return chromium


def line(text: str) -> str:
    """Marks the source line that reads like this, and gives a selector for it."""
    return (
        "[...document.querySelectorAll('#source .line')].find("
        f"e => e.querySelector('code').textContent.trim() === {text!r}).id = 'wanted'"
    )


def test_the_page_has_no_errors_and_asks_for_nothing(page: Browser, saved: Path) -> None:
    page.point("#source .line[data-l]")
    told = [
        event for event in page.events if event.get("method") in {"Runtime.exceptionThrown", "Log.entryAdded"}
    ]
    asked = [
        e["params"]["request"]["url"] for e in page.events if e.get("method") == "Network.requestWillBeSent"
    ]
    assert told == []
    assert [url for url in asked if url != saved.as_uri()] == []


def test_text_of_the_user_runs_nothing(page: Browser) -> None:
    assert page.ask("document.title") == "step: what became of it"
    assert page.ask(
        "document.querySelectorAll('.lines b').length === document.querySelectorAll('.note b').length"
    )
    assert page.ask("document.querySelectorAll('script').length") == 1


def test_pointing_at_a_line_lights_up_its_counterparts(page: Browser) -> None:
    page.ask(line("total = total / 2"))
    page.point("#wanted")
    assert page.ask(LIT.format("source")) == ["total = total / 2"]
    assert page.ask(LIT.format("code"))[0] == "total = total / 2"
    assert [" = div " in text for text in page.ask(LIT.format("jaxpr"))] == [True]
    assert page.ask(LIT.format("hlo"))
    assert page.ask("document.querySelector('#wanted').getAttribute('aria-selected')") == "true"
    assert page.ask(STATUS).startswith("Source, line ")
    assert "Jaxpr: 1 line, " in page.ask(STATUS)


def test_a_click_keeps_the_lines_until_escape(page: Browser) -> None:
    page.ask(line("total = total / 2"))
    page.point("#wanted", click=True)
    page.point("#code .line[data-l]")
    assert page.ask(LIT.format("source")) == ["total = total / 2"]
    page.press("Escape")
    assert page.ask(LIT.format("source")) == []
    page.point("#source .line[data-l]")
    assert len(page.ask(LIT.format("source"))) == 1


def test_a_click_brings_the_counterparts_into_sight(page: Browser) -> None:
    page.ask(line("total = total * n"))
    page.point("#wanted", click=True)
    seen = """['code', 'jaxpr', 'hlo'].map(id => {
        const box = document.querySelector(`#${id} .lines`).getBoundingClientRect();
        return [...document.querySelectorAll(`#${id} .lit`)].some(e => {
            const at = e.getBoundingClientRect(); return at.top >= box.top && at.bottom <= box.bottom; }); })"""
    assert page.ask(seen) == [True, True, True]


def test_the_keyboard_alone_goes_everywhere(page: Browser) -> None:
    for _ in range(6):  # five boxes, then the source
        page.press("Tab")
    assert page.ask(HERE).startswith("def step(")
    for _ in range(3):
        page.press("ArrowDown")
    assert page.ask(HERE) == "for x in xs:"
    page.press("ArrowRight")
    assert page.ask(HERE) == "def body_fun(x, total):"
    page.press("ArrowRight")
    assert " = scan[" in page.ask(HERE)
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    assert page.ask(HERE) == "for x in xs:"
    page.press("Tab")
    assert page.ask("document.activeElement.closest('.pane').id") == "code"


def test_the_drawing_is_linked_with_the_texts(page: Browser) -> None:
    page.point(".flow .while_loop", click=True)
    assert page.ask(LIT.format("source")) == ["while total > 1:"]
    assert page.ask("document.activeElement.getAttribute('role')") == "button"


def test_a_text_can_be_hidden(page: Browser) -> None:
    page.point("[data-pane=hlo]", click=True)
    assert page.ask("getComputedStyle(document.getElementById('hlo')).display") == "none"


def test_long_lines_are_wrapped_on_request(page: Browser) -> None:
    wide = "['code', 'jaxpr', 'hlo'].map(id => document.querySelector(`#${id} .lines`)).map(e => e.scrollWidth > e.clientWidth)"
    assert page.ask(wide) == [True, True, True]
    page.point("#wrap", click=True)
    assert page.ask(wide) == [False, False, False]


def test_everything_that_takes_the_focus_has_a_name_and_a_role(page: Browser) -> None:
    nameless = """[...document.querySelectorAll('[role=listbox], .flow [tabindex]')].filter(e => !e.getAttribute('aria-label')
        && !document.getElementById(e.getAttribute('aria-labelledby') || 'none')).length"""
    assert page.ask(nameless) == 0
    assert page.ask(
        "[...document.querySelectorAll('.line')].every(e => e.parentNode.getAttribute('role') === 'listbox')"
    )
    tree = page.send("Accessibility.getFullAXTree")["nodes"]
    boxes = [node["name"]["value"] for node in tree if node.get("role", {}).get("value") == "listbox"]
    assert boxes == ["Source", "Generated code", "Jaxpr", "Optimised HLO"]
    options = [node["name"]["value"] for node in tree if node.get("role", {}).get("value") == "option"]
    assert any("for x in xs:" in name and "became scan of 4 steps" in name for name in options)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 700])
def test_text_is_legible_and_the_page_is_no_wider_than_the_window(
    chromium: Browser, saved: Path, width: int, scheme: str
) -> None:
    chromium.show(saved, width=width, scheme=scheme)
    assert chromium.ask("document.documentElement.scrollWidth <= innerWidth")
    chromium.point("#source .line[data-l]")
    ratios = chromium.ask(_CONTRASTS)
    assert len(ratios) > 10
    assert min(ratio for _, ratio in ratios) >= 4.5, sorted(ratios, key=lambda pair: pair[1])[:5]
    columns = chromium.ask(
        "getComputedStyle(document.getElementById('texts')).gridTemplateColumns.split(' ').length"
    )
    assert columns == (2 if width == 1400 else 1)
    assert chromium.ask(
        "[document.querySelector('table').parentElement].every(t => t.scrollWidth <= t.clientWidth)"
    )


def test_a_function_of_500_lines_is_scrolled_line_by_line(chromium: Browser, tmp_path: Path) -> None:
    body = [f"    x = x + {n}" if n % 10 else f"    x = x * 2 if x > {n} else x" for n in range(500)]
    path = tmp_path / "long_model.py"
    path.write_text("\n".join(["def long(x):", *body, "    return x", ""]))
    spec = importlib.util.spec_from_file_location("long_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    convert(module.long).report(jax.ShapeDtypeStruct((), "float32")).save(tmp_path / "long.html")
    chromium.show(tmp_path / "long.html")
    assert chromium.ask("document.querySelectorAll('#source .line').length") == 502
    assert chromium.ask("document.querySelectorAll('#source .note').length") == 50
    chromium.point("#source .line:nth-of-type(490)", click=True)
    chromium.press("ArrowDown")
    assert chromium.ask(HERE) == "x = x + 488"
    boxes = "['source', 'code', 'jaxpr'].map(id => document.querySelector(`#${id} .lines`).scrollTop > 3000)"
    assert chromium.ask(boxes) == [True, True, True]
    assert [" add " in text for text in chromium.ask(LIT.format("jaxpr"))] == [True]


# What WCAG calls contrast, of all kinds of text against what is behind it.
_CONTRASTS = """(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const lightness = (rgb) => { const [r, g, b] = rgb.slice(0, 3).map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } };
  const kinds = ['h1', 'h2', '#help', '#status', '.signature', '.n', '.line code', '.lit code', '.lit .n', '.lit i', 'i.k', 'i.s',
    'i.d', '.note.staged', '.note.unrolled', '.lit .note', '.heading', 'td', 'th', 'td code'];
  return kinds.flatMap(kind => [...document.querySelectorAll(kind)].slice(0, 3).map(e => {
    const [a, b] = [lightness(parse(getComputedStyle(e).color)), lightness(behind(e))];
    return [kind, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]; }));
})()"""
