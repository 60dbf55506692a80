"""A headless browser for the page of `tikzgen watch`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

__all__ = ["open_browser"]

_QUIET = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
_MORE = "disable-component-update disable-sync disable-dev-shm-usage disable-extensions window-size=1400,900"
# a site whose name server says that it lives on this machine
_SITES = "host-resolver-rules=MAP evil.example 127.0.0.1"


@contextmanager
def open_browser(profile: Path) -> Iterator[Any]:
    """Chromium without a window, with a profile of its own in the folder `profile`, which is to be new."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    found = which("chromium") or which("chromium-browser") or which("google-chrome")
    if found:
        options.binary_location = found
    for name in (*_QUIET.split(), *_MORE.split(), _SITES, f"user-data-dir={profile}"):
        options.add_argument(f"--{name}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # the driver is named: nothing is looked for on the network
    driver = webdriver.Chrome(options=options, service=Service(which("chromedriver") or "chromedriver"))
    try:
        yield driver
    finally:
        driver.quit()
