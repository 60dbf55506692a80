"""SVG: ids of its own, and nothing in it but a drawing."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.compile.svg import clean_svg, unique_ids

pytestmark = pytest.mark.tex

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">'
DRAWING = (
    HEAD
    + """<title id="t">A &lt;b&gt; &amp; c</title>
<defs><clipPath id="clip1"><path d="M0 0H9"/></clipPath><symbol id="g"><path d="M1 1"/></symbol></defs>
<g id="page1" clip-path="url(#clip1)" aria-labelledby="t page1"><use xlink:href="#g" x="1"/><use href="#g"/>
<path d="M0 0" style="fill:url('#clip1');stroke:none" id="a.b"/><path d="M0" mask="url( #m )"/></g></svg>"""
)


def test_ids_and_all_references_get_the_prefix() -> None:
    svg = unique_ids(DRAWING, "p-")
    assert re.findall(r' id="([^"]*)"', svg) == ["p-t", "p-clip1", "p-g", "p-page1", "p-a.b"]
    assert 'clip-path="url(#p-clip1)"' in svg
    assert svg.count('href="#p-g"') == 2
    assert 'aria-labelledby="p-t p-page1"' in svg
    assert 'style="fill:url(#p-clip1);stroke:none"' in svg
    assert 'd="M0 0H9"' in svg
    assert "A &lt;b&gt; &amp; c" in svg, "text is no reference"


def test_references_still_meet_their_ids() -> None:
    root = ElementTree.fromstring(unique_ids(DRAWING, "x1-"))
    ids = {element.get("id") for element in root.iter()}
    wanted = set(re.findall(r"#(x1-[\w.]+)", ElementTree.tostring(root, encoding="unicode")))
    assert wanted - {"x1-m"} <= ids


def test_text_that_looks_like_a_reference_stays() -> None:
    svg = HEAD + '<text id="a">see url(#a) and id="a" href="#a"</text></svg>'
    assert 'see url(#a) and id="a" href="#a"' in unique_ids(svg, "p-")


@given(st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True), st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True))
def test_two_prefixes_share_no_id(one: str, other: str) -> None:
    first, second = (set(re.findall(r' id="([^"]*)"', unique_ids(DRAWING, f"{name}_"))) for name in (one, other))
    assert (first == second) if one == other else not (first & second)


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        '<script xlink:href="https://example.org/x.js"/>',
        '<path d="M0" onclick="alert(1)"/>',
        '<path d="M0" onLoad="alert(1)"/>',
        '<a xlink:href="javascript:alert(1)"><path d="M0"/></a>',
        '<use xlink:href="https://example.org/x.svg#a"/>',
        '<image href="https://example.org/x.png"/>',
        '<image href="data:text/html;base64,PHNjcmlwdD4="/>',
        '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">alert</body></foreignObject>',
        '<style>@import url("https://example.org/alert.css");</style>',
        '<path style="fill:url(https://example.org/alert)" d="M0"/>',
        '<set attributeName="href" to="javascript:alert(1)"/>',
        '<x:evil xmlns:x="urn:example.org">alert</x:evil>',
        "<!-- alert -->",
        "<?alert example.org?>",
    ],
)
def test_only_the_drawing_stays(evil: str) -> None:
    svg = clean_svg(f'{HEAD}<g>{evil}<path d="M7 7"/></g></svg>')
    assert 'd="M7 7"' in svg
    assert not re.search(r"alert|example|javascript|script|text/html", svg)


def test_the_content_of_a_link_stays() -> None:
    assert 'd="M3 3"' in clean_svg(f'{HEAD}<a href="https://example.org"><path d="M3 3"/></a></svg>')


def test_an_embedded_picture_stays() -> None:
    assert "data:image/png;base64,AAAA" in clean_svg(f'{HEAD}<image xlink:href="data:image/png;base64,AAAA"/></svg>')


def test_cleaning_twice_changes_nothing_more() -> None:
    once = clean_svg(DRAWING)
    assert clean_svg(once) == once


@pytest.mark.parametrize("text", ["", "<svg>", "<svg/>", "<html xmlns='http://www.w3.org/1999/xhtml'/>", "no xml"])
@pytest.mark.parametrize("change", [clean_svg, lambda svg: unique_ids(svg, "p-")])
def test_what_is_no_svg_is_refused(text: str, change: object) -> None:
    with pytest.raises(ValueError, match="no SVG"):
        change(text)  # type: ignore[operator]
