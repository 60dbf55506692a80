"""A headless browser for pages. `python tests/browser.py` reports whether one is installed, and how to get one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

__all__ = ["find_program", "open_browser"]

_ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
BROWSERS = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser", _ON_MACOS)
DRIVERS = ("chromedriver",)
_CHROME = "google-chrome-stable_current_amd64.deb"
HELP = f"""\
the tests need Chromium or Google Chrome, not from a snap (a snap reads no files in /tmp or in hidden folders)
  Debian: sudo apt-get install --no-install-recommends chromium chromium-driver
  Ubuntu: curl -fLO https://dl.google.com/linux/direct/{_CHROME} && sudo apt-get install ./{_CHROME}
  macOS:  brew install --cask google-chrome"""

_QUIET = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
_MORE = "disable-component-update disable-sync disable-dev-shm-usage disable-extensions window-size=1400,900"
# a site whose name server says that it lives on this machine
_SITES = "host-resolver-rules=MAP evil.example 127.0.0.1"


def find_program(names: tuple[str, ...]) -> str | None:
    """Return the first of these programs on the PATH that does not run from a snap."""
    return next((found for name in names if (found := which(name)) and not _is_snap(Path(found))), None)


def _is_snap(program: Path) -> bool:
    """Return whether a program is a snap's, or a script that starts one: Ubuntu's packages hold such scripts."""
    if program.is_relative_to("/snap") or program.resolve().name == "snap":
        return True
    with program.open("rb") as file:
        head = file.read(4096)
    return head.startswith(b"#!") and b"/snap/bin" in head


@contextmanager
def open_browser(profile: Path) -> Iterator[Any]:
    """Chromium without a window, with a profile of its own in the folder `profile`, which is to be new."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    found = find_program(BROWSERS)
    assert found, HELP
    options.binary_location = found
    for name in (*_QUIET.split(), *_MORE.split(), _SITES, f"user-data-dir={profile}"):
        options.add_argument(f"--{name}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # an installed driver is named, so that nothing is searched on the network; Google Chrome comes without a driver,
    # and Selenium fetches the one of its version
    driver = webdriver.Chrome(options=options, service=Service(find_program(DRIVERS)))
    try:
        yield driver
    finally:
        driver.quit()


if __name__ == "__main__":
    browser = find_program(BROWSERS)
    if browser is None or ("chromium" in browser and find_program(DRIVERS) is None):
        sys.exit(HELP)
