"""The site: built by its one command, and every page of it looked at in Chromium, wide, narrow, light and dark."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from zlib import crc32

import pytest
from browser import open_browser
from conftest import EXAMPLES, KINDS, NIGHTLY, ROOT, with_traces, written

sys.path.append(str(ROOT / "tools" / "web"))

from as_python import as_python
from stage_pages import is_in_list

WIDE, NARROW = (1400, 900), (390, 844)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its pages; built once, however many processes run these tests.

    By day, one picture of eight: other tests draw each example and the pictures of each page.
    """
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if folder.name.startswith("popen-") else folder) / "site"
    folder.mkdir(exist_ok=True)
    with Path(folder, "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not Path(folder, "done").exists():
            command = [sys.executable, ROOT / "tools" / "web", folder, *["--few-pictures"] * (not NIGHTLY)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            Path(folder, "done").touch()
    return folder / "html"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("browser") / "profile") as found:
        yield found


def pages(site: Path) -> list[str]:
    return [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]


def until(browser: Any, script: str, seconds: float = 60) -> Any:
    """What a script gives once that is true."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(script)):
        assert time.monotonic() < end, script
        time.sleep(0.1)
    return found


FAINT = """
const shades = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
const over = (top, under) => {
  const [r, g, b, a = 1] = top;
  return [r, g, b].map((each, i) => each * a + under[i] * (1 - a));
};
const light = (rgb) => {
  const [r, g, b] = rgb.map((each) => each / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  const colors = [];
  for (let each = element; each; each = each.parentElement) colors.push(shades(getComputedStyle(each).backgroundColor));
  return colors.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
};
const faint = () => {
  const found = [];
  const known = new Set();  // words of a source that have one class look alike
  for (const element of document.body.querySelectorAll("*")) {
    const source = element.closest("div[class*=highlight-]");
    const kind = source && `${source.className} ${element.className}`;
    if (kind && known.has(kind)) continue;
    const own = [...element.childNodes].filter((each) => each.nodeType == 3 && each.textContent.trim());
    if (!own.length || element.closest("svg, script, style, noscript") || !element.checkVisibility()) continue;
    known.add(kind);
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width < 2 || box.height < 2 || style.visibility == "hidden" || style.opacity == 0) continue;
    const behind = ground(element);
    const [one, two] = [light(over(shades(style.color), behind)), light(behind)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const ratio = (one + 0.05) / (two + 0.05);
    const what = own[0].textContent.trim().slice(0, 40);
    if (ratio < least - 0.01) found.push(`${ratio.toFixed(2)} ${style.color} ${element.className} ${what}`);
  }
  return found.slice(0, 5);
};
const still = document.head.appendChild(document.createElement("style"));
still.textContent = "* { transition: none !important }";
return ["light", "dark"].flatMap((theme) => {  // in one script, so that nothing is painted between
  document.body.dataset.theme = theme;
  return faint().map((each) => `${theme}: ${each}`);
});
"""
FIT = """const broken = [...document.images].filter((each) => each.complete && !each.naturalWidth);
const {scrollWidth, clientWidth} = document.documentElement;
return [scrollWidth, clientWidth, broken.map((each) => each.src)];"""
SET = """const [id, value, what] = arguments, it = document.getElementById(id);
it.value = value;
it.dispatchEvent(new Event(what));"""


def menus_of(page: Path) -> list[list[str]]:
    """The pages in each menu of a page, from the folder of the documents."""
    docs = ROOT / "docs"
    menus = re.findall(r"^:::\{toctree\}\n(?::.*\n)+((?:[\w/*-]+\n)+):::", page.read_text("utf-8"), re.MULTILINE)
    folder = page.parent.relative_to(docs)
    found = []
    for names in menus:
        own = [(folder / name).as_posix() for name in names.split()]
        globbed = [[*docs.glob(f"{name}.md")] if "*" in name else [docs / f"{name}.md"] for name in own]
        found.append([path.relative_to(docs).with_suffix("").as_posix() for paths in globbed for path in paths])
    return found


def test_every_page_has_one_place_in_the_menu_or_in_a_list() -> None:
    docs = ROOT / "docs"
    pages = [*docs.rglob("*.md")]
    listed = [name for page in pages for menu in menus_of(page) for name in menu]
    written = {path.with_suffix("").as_posix() for page in pages if not is_in_list(path := page.relative_to(docs))}
    assert sorted(listed) == sorted({*written, "examples", "changelog", "contributing"} - {"index"})
    assert [menu for menu in menus_of(docs / "index.md") if len(menu) > 8] == []


@pytest.mark.browser
@pytest.mark.slow
def test_every_page_fits_is_read_and_has_no_error(site: Path, address: str, browser: Any) -> None:
    """Of the pages of examples, rules and commands, which one template makes, some; by day, a tenth of all pages."""
    others = {f"examples/{example.stem}.html" for example in {*EXAMPLES} - {*KINDS}}
    others |= {page for page in pages(site) if re.match(r"reference/(rules/TG(?!101|214)|commands/(?!build))", page)}
    listed = [page for page in pages(site) if page not in others]
    assert len(listed) + len(others) > 70
    if not NIGHTLY:
        listed = [page for page in listed if crc32(page.encode()) % 10 == 0]
    sizes = (WIDE, NARROW)
    browser.set_window_size(*WIDE)
    for page in listed:  # every other one is loaded wide and made narrow, the rest is loaded narrow and made wide
        browser.get(f"{address}/{page}")
        for size in sizes:
            browser.set_window_size(*size)
            needed, there, broken = browser.execute_script(FIT)
            assert needed <= there, f"{page} is {needed} pixels wide where there are {there}"
            assert broken == [], page
            if size == WIDE:
                assert browser.execute_script(FAINT) == [], page
        sizes = sizes[::-1]
        errors = [each["message"] for each in browser.get_log("browser") if each["level"] == "SEVERE"]
        assert errors == [], page


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in pages(site):
        text = (site / page).read_text(encoding="utf-8")
        loaded = re.findall(
            r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]+)\"|<link\b[^>]*\bhref=\"([^\"]+)\"", text
        )
        assert [each for pair in loaded for each in pair if re.match(r"(https?:)?//", each)] == [], page


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pictures.html", "without-tex.html"),
        ("pictures.html#chinese-without-tex", "without-tex.html#draw-chinese-labels"),
        ("papers.html#talks-a-figure-that-comes-up-step-by-step", "talks.html"),
    ],
)
def test_an_old_link_leads_to_the_new_heading(address: str, browser: Any, old: str, new: str) -> None:
    browser.get("about:blank")
    browser.get(f"{address}/{old}")
    until(browser, f"return location.href.endsWith('/{new}')", 20)


@pytest.mark.browser
@pytest.mark.slow
def test_search_finds(address: str, browser: Any) -> None:
    browser.set_window_size(*WIDE)
    browser.get(f"{address}/search.html?q=zero+bubble")
    until(browser, "return document.querySelector('.search li a[href*=\"schedules.html\"]')")


@pytest.mark.browser
@pytest.mark.slow
def test_an_example_has_its_picture_spec_python_and_tex_to_copy(address: str, browser: Any) -> None:
    browser.set_window_size(*WIDE)
    browser.get(f"{address}/examples.html")
    cards = browser.execute_script("return document.querySelectorAll('.gallery .sd-card').length")
    assert cards == len(EXAMPLES)
    browser.get(f"{address}/examples/ring.html")
    labels = browser.find_elements("css selector", ".sd-tab-set label")
    assert [each.text for each in labels] == ["Spec", "Python", ".tex"]
    for label, wanted in zip(
        labels, ("recipe: ring-all-reduce", "recipes.ring_all_reduce(", "documentclass"), strict=True
    ):
        label.click()
        (shown,) = [each for each in browser.find_elements("css selector", ".sd-tab-content") if each.is_displayed()]
        assert wanted in shown.text
        assert len(shown.find_elements("css selector", "button.copybtn")) == 1
    for theme in ("light", "dark"):
        browser.execute_script("document.body.dataset.theme = arguments[0]", theme)
        seen = [
            each.get_attribute("src")
            for each in browser.find_elements("css selector", "article img")
            if each.is_displayed()
        ]
        assert len(seen) == 1
    assert len(set(browser.execute_script("return [...document.images].map((each) => each.src)"))) >= 2


@pytest.mark.browser
@pytest.mark.slow
def test_the_playground_draws_tells_and_links(address: str, browser: Any) -> None:
    """By day, it draws an example of each kind."""
    browser.set_window_size(*WIDE)
    browser.get(f"{address}/playground.html")
    until(browser, "return document.querySelector('#figure svg')", 120)
    names = browser.execute_script("return [...document.querySelector('#example').options].map((each) => each.value)")
    chosen = names if NIGHTLY else [name for name in names if name in {example.stem for example in KINDS}]
    assert len(chosen) > 3
    for name in chosen:
        browser.execute_script(SET, "example", name, "change")
        state = browser.execute_script("return document.getElementById('state').textContent")
        assert state.startswith("Drawn in "), f"{name}: {state}"
    browser.execute_script(SET, "spec", "recipe: data-parallel\nwrokers: 2\n", "input")
    told = until(browser, "return document.querySelector('#state.wrong')?.textContent")
    assert told == 'spec:2:1: wrokers: unknown field (did you mean "workers"?)'
    browser.execute_script(SET, "spec", "recipe: data-parallel\nworkers: 2\nlabels: {server: Läger}\n", "input")
    until(browser, "return document.querySelector('#figure desc')?.textContent.includes('Läger')")
    browser.execute_script("document.getElementById('link').click()")
    link = until(browser, "return location.hash && location.href")
    browser.get("about:blank")
    browser.get(link)
    until(browser, "return document.querySelector('#figure desc')?.textContent.includes('Läger')", 120)


def test_an_empty_label_is_stated_in_python(tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text('panels: [{content: {type: cells, arrays: [{id: a, label: "", size: [1, 2]}]}}]\n', "utf-8")
    assert 'Array(id="a", label="", size=[1, 2])' in as_python(spec)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_examples_python_makes_the_same_bytes(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(with_traces(example, tmp_path).parent)
    exec(compile(as_python(example), example.name, "exec"), {})
    assert Path(f"{example.stem}.tex").read_text(encoding="utf-8") == written(example)
