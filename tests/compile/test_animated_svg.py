"""The animated SVG of a figure's slides in a browser: keys and clicks lead through its steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import open_browser
from conftest import ROOT

from tikzgen import load
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.formats_without_tex import drawn_slides
from tikzgen.compile.make_formats import slides_of
from tikzgen.edit.find_words import find_words

SHOWN = (
    "[...document.querySelectorAll('[data-steps]')].filter((part) => part.getAttribute('display') !== 'none').length"
)


@pytest.mark.browser
def test_keys_and_clicks_lead_through_the_steps(tmp_path: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    source = load(ROOT / "examples" / "talk.yaml").tex()
    last = draw(source).steps
    assert last == slides_of(source) > 2
    (tmp_path / "talk.svg").write_bytes(drawn_slides(source, find_words(source), transparent=False)["steps"])
    with open_browser(tmp_path / "profile") as browser:
        browser.get((tmp_path / "talk.svg").as_uri())

        def now() -> tuple[int, int]:
            step, shown = browser.execute_script(f"return [document.documentElement.dataset.step, {SHOWN}]")
            return int(step), shown

        def after(key: str) -> tuple[int, int]:
            ActionChains(browser).send_keys(key).perform()
            return now()

        seen = [now(), after(Keys.ARROW_RIGHT), after(Keys.END)]
        assert [step for step, _ in seen] == [1, 2, last]
        assert seen[0][1] < seen[1][1] < seen[2][1]
        assert after(Keys.SPACE) == seen[2], "there is nothing behind the last one"
        assert after(Keys.ARROW_LEFT)[0] == last - 1
        width = browser.execute_script("return document.documentElement.getBoundingClientRect().width")
        for share, step in ((0.9, last), (0.1, last - 1), (0.1, last - 2)):
            click = f"new MouseEvent('click', {{clientX: {share * width}, bubbles: true}})"
            browser.execute_script(f"document.documentElement.dispatchEvent({click})")
            assert now()[0] == step
        assert browser.get_log("browser") == []
