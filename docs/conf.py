"""The site: `python tools/web` stages the pages of this folder, draws their pictures and has Sphinx build them."""

from functools import cache

from sphinx.search.en import SearchEnglish

from tikzgen import __version__

project = "tikzgen"
release = version = __version__
extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design", "tikzgen.sites.sphinx"]
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
copybutton_exclude = ".linenos, .gp, .go"
suppress_warnings = ["misc.highlighting_failure"]  # blocks with our own words in them
html_theme = "furo"
html_title = "tikzgen"
html_static_path = ["_static"]
html_extra_path = ["moved"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["moved.js", "site.js"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-foreground-muted": "#595e66", "color-foreground-secondary": "#4a4e55"},
    "dark_css_variables": {"color-foreground-muted": "#a8adb5", "color-foreground-secondary": "#b4b8bf"},
}

menus = {}  # of the pages that no menu lists, by folder


def share_menu(app, page, template, context, doctree):
    """Make the menu of unlisted pages once per folder: Sphinx copies the headings of all pages for each menu."""
    if "orphan" in app.env.metadata.get(page, {}):
        folder, make = page.rpartition("/")[0], context["toctree"]
        context["toctree"] = lambda **options: menus.get(folder) or menus.setdefault(folder, make(**options))


def setup(app):
    """Share menus before the theme asks for them, and stems of words, which Sphinx computes again for each page."""
    SearchEnglish.stem = cache(SearchEnglish.stem)
    app.connect("html-page-context", share_menu, priority=400)
