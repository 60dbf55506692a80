"""The page of `tikzgen watch` in headless Chromium: what a person sees and does there, with real TeX."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from browser import open_browser
from conftest import ROOT
from watched_specs import until

from tikzgen import loads
from tikzgen.compile.make_formats import Settings
from tikzgen.edit.find_words import find_words
from tikzgen.serve.watch.run_watch import run_watch
from tikzgen.serve.watch.server import PageServer

pytestmark = pytest.mark.browser

CM = 96 / 2.54  # pixels of CSS
SPEC = "recipe: data-parallel\nworkers: 2\ntitle: A page\n"
HOSTILE = """</script><script>document.title='owned'</script>"><img src=x onerror="document.title='owned'">"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("browser") / "profile") as found:
        yield found


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def spec(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    path = Path("fig.yaml")
    path.write_text(SPEC)
    return path


@pytest.fixture
def page(browser: Any, spec: Path) -> Iterator[Page]:
    with run_watch(spec) as server:
        yield Page(browser, server)
        quiet(browser)


class Page:
    """What stands on the page now."""

    def __init__(self, browser: Any, server: PageServer) -> None:
        self.browser = browser
        self.server = server
        browser.get(server.url)
        until(lambda: self.script("return document.querySelector('.link').textContent") == "connected")

    def script(self, code: str, *values: object) -> Any:
        return self.browser.execute_script(code, *values)

    def picture(self) -> str:
        """Which picture is drawn; empty where none is."""
        code = "const i = document.querySelector('#stage:not([hidden]) img'); return i ? i.dataset.figure : ''"
        return str(self.script(code))

    def text(self, selector: str) -> str:
        """What can be read there: nothing where it is hidden."""
        code = "const e = document.querySelector(arguments[0]); return e && !e.closest('[hidden]') ? e.innerText : ''"
        return str(self.script(code, selector))

    def field(self, key: str) -> Any:
        until(lambda: self.browser.find_elements("css selector", f'[data-key="{key}"]'))
        return self.browser.find_element("css selector", f'[data-key="{key}"]')

    def value(self, key: str) -> str:
        """What stands in a field, empty where there is none: read in one step, as the form may be made anew."""
        code = "const e = document.querySelector(`[data-key=\"${arguments[0]}\"]`); return e ? e.value : ''"
        return str(self.script(code, key))

    def give(self, key: str, value: str) -> None:
        """Type a value and press Enter."""
        field = self.field(key)
        field.clear()
        field.send_keys(value + "\n")

    def answer(self, key: str) -> str:
        code = 'const e = document.querySelector(`[data-key="${arguments[0]}"]`);'
        code += "return e ? e.form.querySelector('.answer').textContent : ''"
        return str(self.script(code, key))


def quiet(browser: Any) -> None:
    """Nothing went wrong in the page: no error of its script, nothing that the policy forbids."""
    gone = ("ERR_CONNECTION_", "ERR_SOCKET_NOT_CONNECTED")  # what was asked of a server that has ended
    bad = [entry for entry in browser.get_log("browser") if not any(word in entry["message"] for word in gone)]
    assert bad == []


def test_the_picture_is_as_large_as_on_paper(page: Page) -> None:
    until(page.picture)
    (view,) = page.server.board.now.views
    assert view.picture is not None and view.picture.kind == "svg"
    box = page.script("return document.querySelector('#sheet img').getBoundingClientRect().toJSON()")
    assert (box["width"] / CM, box["height"] / CM) == pytest.approx((view.picture.width, view.picture.height), abs=0.02)
    natural = page.script("const i = document.querySelector('#sheet img'); return i.naturalWidth / i.naturalHeight")
    assert natural == pytest.approx(view.picture.width / view.picture.height, rel=0.01), "nothing is stretched"
    width, height = (f"{size:.2f}".rstrip("0").rstrip(".") for size in (view.picture.width, view.picture.height))
    assert page.text("#size") == f"{width} × {height} cm"
    assert page.text("#status") == "● up to date"
    alt = page.script("return document.querySelector('#sheet img').alt")
    assert alt == view.picture.alt and alt.startswith("A page. Data-parallel training: 2 workers")
    until(lambda: page.text("#findings-list") == "none")
    labelled = (
        "return [...document.querySelectorAll('#fields :is(input, select, textarea)')].every(e => e.labels.length)"
    )
    assert page.script(labelled)


def test_a_save_changes_the_picture(page: Page, spec: Path) -> None:
    until(page.picture)
    first = page.picture()
    spec.write_text(SPEC.replace("workers: 2", "workers: 1"))
    until(lambda: page.picture() not in ("", first))
    until(lambda: page.value("fact:workers") == "1")


def test_what_is_wrong_stands_in_place_of_the_picture_until_it_is_mended(page: Page, spec: Path) -> None:
    until(page.picture)
    spec.write_text(SPEC.replace("workers: 2", "workers: [2"))
    until(lambda: page.text("#troubles"))
    assert page.picture() == ""
    told = page.text("#troubles")
    assert told.startswith('fig.yaml:3:6: expected "," or "]" (it begins at fig.yaml:2:10)\n')
    assert "3 │ title: A page" in told and "^" in told
    assert page.text("#status") == "▲ cannot be drawn"
    spec.write_text(SPEC)
    until(page.picture)
    assert page.text("#troubles") == ""


def test_where_tex_stops_the_line_is_shown(browser: Any, spec: Path) -> None:
    figure = Path("mine.tex")
    good = (ROOT / "tests/cases/tex/figures/plain.tex").read_text()
    figure.write_text(good.replace("Worker", "\\foo"))
    with run_watch(figure, settings=Settings(find_words), trust=True) as server:
        page = Page(browser, server)
        until(lambda: page.text("#troubles"))
        assert "mine.tex:" in page.text("#troubles") and "\\foo" in page.text("#troubles .here")


def test_the_form_writes_the_file_and_the_picture_changes(page: Page, spec: Path) -> None:
    until(page.picture)
    first = page.picture()
    page.give("parameter:pslabel", "Server <b>&</b>")
    until(lambda: page.answer("parameter:pslabel") == "written undo")
    assert spec.read_text() == f"{SPEC}labels: {{server: Server <b>&</b>}}\n"
    until(lambda: page.picture() not in ("", first))
    until(lambda: page.value("parameter:pslabel") == "Server <b>&</b>")
    page.script("document.querySelector('.undo').click()")
    until(lambda: spec.read_text() == SPEC)


def test_an_answer_stays_where_the_form_is_made_anew(page: Page, spec: Path) -> None:
    until(page.picture)
    page.give("fact:workers", "1")
    until(lambda: page.answer("fact:workers") == "written undo")
    until(lambda: not page.browser.find_elements("css selector", '[data-key="parameter:rowsep"]'))
    assert page.answer("fact:workers") == "written undo"
    page.script("document.querySelector('.undo').click()")
    until(lambda: spec.read_text() == SPEC)


def test_a_refusal_stands_by_its_field_and_nothing_is_written(page: Page, spec: Path) -> None:
    until(page.picture)
    page.give("parameter:colsep", "wide")
    until(lambda: "is not a number of cm" in page.answer("parameter:colsep"))
    field = page.field("parameter:colsep")
    assert field.get_property("value") == "wide", "what was typed stays"
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby").split()[1] == page.script(
        "return arguments[0].form.querySelector('.answer').id", field
    )
    assert spec.read_text() == SPEC


def test_what_is_typed_survives_a_save_in_the_editor(page: Page, spec: Path) -> None:
    until(page.picture)
    key = "parameter:titlelabel"
    field = page.field(key)
    field.send_keys(" typed")
    spec.write_text(SPEC.replace("A page", "Another page"))
    until(lambda: "the file says “Another page” now" in page.answer(key))
    assert page.value(key) == "A page typed"
    assert "typed" not in spec.read_text()


def test_the_page_reconnects_when_the_server_is_back(browser: Any, spec: Path) -> None:
    with run_watch(spec) as server:
        page, port = Page(browser, server), server.port
        until(page.picture)
    until(lambda: page.text("#link").startswith("no connection"))
    spec.write_text(SPEC.replace("workers: 2", "workers: 1"))
    with run_watch(spec, port=port) as server:
        page.server = server
        until(lambda: page.text("#link") == "connected" and page.picture())
        # its token is that of the new start
        page.give("fact:workers", "2")
        until(lambda: spec.read_text() == SPEC)


def test_a_connection_that_fell_silent_is_made_again(page: Page) -> None:
    count = "window.made = 0; const Own = EventSource; "
    count += "window.EventSource = function (url) { window.made += 1; return new Own(url); }"
    page.script(count)
    # the laptop sleeps, a minute between any two looks at the clock
    page.script("const now = Date.now; let slept = 0; Date.now = () => now() + 60000 * ++slept")
    until(lambda: page.script("return window.made") and page.text("#link") == "connected")


def test_a_hidden_page_holds_no_connection_and_catches_up(page: Page, spec: Path) -> None:
    until(page.picture)
    first = page.picture()
    hide = "Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true });"
    hide += "document.dispatchEvent(new Event('visibilitychange'))"
    page.script(hide, True)
    spec.write_text(SPEC.replace("workers: 2", "workers: 1"))
    until(lambda: page.server.board.now.views[0].picture_number > 1)
    assert page.picture() == first
    page.script(hide, False)
    until(lambda: page.picture() not in ("", first))


def test_words_of_strangers_stay_words(browser: Any, spec: Path) -> None:
    hostile = f"recipe: data-parallel\nworkers: 1\nlabels:\n  server: {HOSTILE!r}\n  data: |-\n    {HOSTILE}\n"
    spec.write_text(hostile.replace("\\'", "''"))
    with run_watch(spec) as server:
        page = Page(browser, server)
        until(lambda: page.text("#findings-list"))
        assert page.value("parameter:datalabel") == HOSTILE
        spec.write_text(f"{HOSTILE}: 1\nrecipe: data-parallel\n")
        until(lambda: page.text("#troubles"))
        assert HOSTILE in page.text("#troubles")
        assert page.script("return document.querySelectorAll('img[src=x], body script').length") == 0
        assert "owned" not in browser.title
        quiet(browser)


class Other(BaseHTTPRequestHandler):
    """Some other site."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title>")

    def log_message(self, *args: object) -> None:
        """Nothing."""


TRY = """
const [url, token, done] = arguments;
const body = JSON.stringify({ field: 'fact:workers', was: '2', value: '9' });
const post = (mode, headers) => fetch(`${url}figures/0`, { method: 'POST', mode, headers, body })
  .then((answer) => answer.type, () => 'refused');
const load = (tag, path) => new Promise((told) => {
  const made = document.createElement(tag);
  made.onload = () => told('loaded');
  made.onerror = () => told('refused');
  made.src = url + path;
  document.body.append(made);
});
const listen = () => new Promise((told) => {
  const stream = new EventSource(`${url}events`);
  stream.onmessage = () => told('heard');
  stream.onerror = () => { stream.close(); told('refused'); };
});
const headers = { 'Content-Type': 'application/json', 'X-Tikzgen-Token': token };
const all = [post('no-cors'), post('cors', headers), load('img', 'figures/0/picture/1'), load('script', 'watch.js')];
Promise.all([...all, listen()]).then(done);
"""


def test_other_sites_in_the_same_browser_get_nothing_and_change_nothing(browser: Any, spec: Path) -> None:
    other = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    Thread(target=other.serve_forever, daemon=True).start()
    try:
        with run_watch(spec) as server:
            until(lambda: server.board.now.views[0].picture)
            for site in ("127.0.0.1", "evil.example"):
                browser.get(f"http://{site}:{other.server_port}/")
                got = browser.execute_async_script(TRY, server.url, server.token)
                assert got == ["refused"] * 5, site
                assert spec.read_text() == SPEC
            evil = server.url.replace("127.0.0.1", "evil.example")
            browser.get(evil)  # its name server says that it is here
            assert (
                browser.find_element("tag name", "body").text == "this server answers to 127.0.0.1 and localhost only"
            )
    finally:
        other.shutdown()
        other.server_close()
        browser.get_log("browser")  # that they are refused is what was wanted


def test_the_page_opens_for_who_has_its_address(browser: Any, spec: Path) -> None:
    with run_watch(spec) as server:
        browser.get(server.url.replace(server.keys.lasting, ""))
        refusal = "this address lacks the key: open the address that tikzgen watch printed"
        assert browser.find_element("tag name", "body").text == refusal
        browser.get_log("browser")  # the refusal is told there, too
        once = server.visit()
        browser.get(once)
        until(lambda: browser.current_url == server.url)
        page = Page(browser, server)
        until(page.picture)
        loaded = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
        assert all(name.startswith(server.url) for name in page.script(loaded))
        assert page.script("return document.cookie") == ""
        quiet(browser)
        browser.get(once)
        assert browser.find_element("tag name", "body").text == refusal
        browser.get_log("browser")


def test_a_folder_has_a_list_and_each_figure_a_view(browser: Any, spec: Path) -> None:
    Path("other.yaml").write_text(SPEC.replace("A page", "Another"))
    Path("wrong.yaml").write_text("recipe: nothing\n")
    with run_watch(Path()) as server:
        page = Page(browser, server)
        names = ["fig.yaml", "other.yaml", "wrong.yaml"]
        until(lambda: page.text("#figures").split("\n")[1::3] == names)
        until(lambda: page.text("#figures").count("up to date") == 2 and "cannot be drawn" in page.text("#figures"))
        assert page.text("#name") == "fig.yaml"
        page.script("document.querySelectorAll('#figures a')[2].click()")
        until(lambda: 'unknown recipe "nothing"' in page.text("#troubles"))
        assert page.script("return location.hash") == "#wrong.yaml"
        page.script("document.querySelectorAll('#figures a')[1].click()")
        until(lambda: page.picture().startswith("1/") and page.text("#name") == "other.yaml")
        Path("other.yaml").unlink()
        until(lambda: "other.yaml" not in page.text("#figures") and page.text("#name") == "fig.yaml")
        browser.get_log("browser")  # it may hold that the file was asked for when it had gone


def test_a_wide_and_a_narrow_window_scroll_sideways_for_the_picture_only(page: Page) -> None:
    until(page.picture)
    try:
        for width in (1400, 900, 420):
            page.browser.set_window_size(width, 900)
            assert page.script("return document.documentElement.scrollWidth <= window.innerWidth"), width
    finally:
        page.browser.set_window_size(1400, 900)


def spot(page: Page, name: str) -> dict[str, float]:
    """Where an element is on the screen, once it can be pointed at."""
    # in one step: a new picture may take the place of the old one at any time
    find = 'return document.querySelector(`.spots [data-name="${arguments[0]}"]`)?.getBoundingClientRect().toJSON()'
    boxes: list[dict[str, float]] = []
    until(lambda: boxes.append(page.script(find, name)) or boxes[-1])
    return boxes[-1]


def mouse(page: Page, *steps: tuple[str, float, float]) -> None:
    for kind, x, y in steps:
        what = {"type": kind, "x": x, "y": y, "button": "left" if kind != "mouseMoved" else "none", "clickCount": 1}
        page.browser.execute_cdp_cmd("Input.dispatchMouseEvent", what | {"buttons": 1})


def test_an_element_names_itself_and_a_click_selects_its_field_and_line(page: Page) -> None:
    box = spot(page, "w1")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    until(lambda: page.text("#pointed").startswith("w1"))
    title = page.script(
        "return document.querySelector('.spots [data-field=\"parameter:titlelabel\"]').getBoundingClientRect().toJSON()"
    )
    x, y = title["x"] + title["width"] / 2, title["y"] + title["height"] / 2
    mouse(page, ("mousePressed", x, y), ("mouseReleased", x, y))
    until(lambda: page.script("return document.activeElement.dataset.key") == "parameter:titlelabel")
    assert page.text("#pointed") == "titlelabel: A page · fig.yaml:3"


def test_a_gap_is_dragged_and_the_drag_undone(page: Page, spec: Path) -> None:
    box = spot(page, "w1")
    first = page.picture()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse(page, ("mousePressed", x, y), ("mouseMoved", x + CM / 2, y), ("mouseMoved", x + CM, y))
    until(lambda: page.text("#pointed").startswith("colsep: "))
    mouse(page, ("mouseReleased", x + CM, y))
    until(lambda: "colsep: 5.6" in spec.read_text())
    until(lambda: page.picture() not in ("", first))
    moved = spot(page, "w1")
    assert moved["x"] - box["x"] == pytest.approx(0, abs=CM), "the figure grew, in the middle of its stage"
    until(lambda: page.value("parameter:colsep") == "5.6")
    page.script("document.activeElement.blur()")
    page.browser.execute_cdp_cmd(
        "Input.dispatchKeyEvent", {"type": "keyDown", "key": "z", "code": "KeyZ", "modifiers": 2}
    )
    until(lambda: spec.read_text() == SPEC)


def test_the_edge_of_a_span_is_dragged(browser: Any, spec: Path) -> None:
    spec.write_text("recipe: ddp\nworkers: 1\nbuckets: [2, 2]\nforward: 4\n")
    with run_watch(spec) as server:
        page = Page(browser, server)
        box = spot(page, "gpu0-forward1")
        until(lambda: page.value("parameter:timeunit"))
        before = float(page.value("parameter:timeunit"))
        x, y = box["x"] + box["width"] - 3, box["y"] + box["height"] / 2
        mouse(page, ("mousePressed", x, y), ("mouseMoved", x + CM / 2, y), ("mouseMoved", x + CM, y))
        mouse(page, ("mouseReleased", x + CM, y))
        until(lambda: "timeunit" in spec.read_text())
        after = float(spec.read_text().rpartition("timeunit: ")[2].split("}")[0])
        assert after - before == pytest.approx(0.25, abs=0.03), "four units are a cm longer"
        quiet(browser)


def test_counts_have_steps_and_groups_can_be_folded(page: Page, spec: Path) -> None:
    page.field("fact:workers")
    page.script("document.querySelector('[aria-label=\"one less: workers\"]').click()")
    until(lambda: "workers: 1" in spec.read_text())
    page.script("document.querySelector('details[data-group=texts] summary').click()")
    spec.write_text("workers: [")
    until(lambda: not page.script("return document.querySelector('#fields details')"))
    spec.write_text(SPEC.replace("A page", "Another page"))
    until(lambda: page.value("parameter:titlelabel") == "Another page")
    assert page.script("return document.querySelector('details[data-group=texts]').open") is False


INSIDE = "const s = document.getElementById('stage'); return s.scrollWidth <= s.clientWidth"


def test_the_page_shows_light_and_dark_and_fits(page: Page) -> None:
    until(page.picture)
    page.script("document.getElementById('both').click()")
    shown = "const i = document.querySelector('#other:not([hidden]) img'); return i && i.complete && i.naturalWidth > 0"
    until(lambda: page.script(shown))
    dark = page.script("return getComputedStyle(document.getElementById('other')).backgroundColor")
    assert dark == "rgb(24, 27, 34)"
    fit = "const z = document.getElementById('zoom'); z.value = 'fit'; z.dispatchEvent(new Event('change'));"
    page.script(fit)
    try:
        for width in (1400, 900):
            page.browser.set_window_size(width, 900)
            until(lambda: page.script(INSIDE))
            assert page.script("return document.documentElement.scrollWidth <= window.innerWidth"), width
    finally:
        page.browser.set_window_size(1400, 900)


def test_findings_are_marked_on_the_picture(browser: Any, spec: Path) -> None:
    figure = Path("mine.tex")
    figure.write_text(loads(SPEC).tex().replace("\\node[icon] (w2)", "\\node[icon, fill=red] (w2)"))
    with run_watch(figure) as server:
        page = Page(browser, server)
        spot(page, "w2")
        found = "return [...document.querySelectorAll('.spots .found')].map((e) => e.dataset.name)"
        until(lambda: "w2" in page.script(found))
        assert "w1" not in page.script(found)
        quiet(browser)


def test_the_drawn_picture_comes_first_and_the_pdf_after(page: Page, spec: Path) -> None:
    until(lambda: page.script("return !document.getElementById('pdf').hidden"))
    first = page.picture()
    watch = "window.seen = {}; new MutationObserver(() => { const i = document.querySelector('#sheet img');"
    watch += "if (i) window.seen[i.dataset.figure] ??= document.getElementById('pdf').hidden; })"
    page.script(watch + ".observe(document.getElementById('sheet'), { childList: true })")
    spec.write_text(SPEC.replace("A page", "A page that nobody has compiled"))
    until(lambda: page.picture() not in ("", first))
    second = page.picture()
    assert page.script("return window.seen[arguments[0]]", second) is True, "TeX is still at work"
    until(lambda: page.script("return !document.getElementById('pdf').hidden"))
    assert page.picture() == second, "TeX's page is the same picture"
