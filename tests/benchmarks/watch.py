"""Measure `tikzgen watch`: `python tests/benchmarks/watch.py [SAVES]` prints how long a picture takes after a save.

From the moment before the file is written to the moment when the page in headless Chromium has drawn the new picture.
Every save of an example changes its title, so that nothing comes from a cache; the last line is the median of their
medians. Times are wall times in ms; beside them stands how many times longer than it computes a loop takes, which is 1
on an idle machine: divided by that, a time on a crowded one tells about what it would be.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from tikzgen.serve.watch.run_watch import run_watch

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
WATCH = """
window.drawn = [];
let last = document.querySelector("#sheet img");
new MutationObserver(() => requestAnimationFrame(() => {
  const now = document.querySelector("#sheet img");
  if (now !== last) window.drawn.push(performance.timeOrigin + performance.now());
  last = now;
}))
  .observe(document.getElementById("sheet"), { childList: true });
"""


def main() -> None:
    from browser import open_browser

    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder, open_browser(Path(folder, "profile")) as browser:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder, "cache"))
        shutil.copytree(ROOT / "examples" / "traces", Path(folder, "traces"))
        medians, alone = [], []
        for example in sorted((ROOT / "examples").glob("*.yaml")):
            if len(sys.argv) > 2 and example.stem not in sys.argv[2:]:
                continue
            spec = Path(folder, example.name)
            text = re.sub(r"^title:.*\n", "", example.read_text("utf-8"), flags=re.MULTILINE)
            spec.write_text(text, "utf-8")
            with run_watch(spec, apart=True) as server:
                browser.get(server.url)
                settled(browser)
                browser.execute_script(WATCH)
                times, loads = [], []
                for number in range(saves):
                    loads.append(crowded())
                    begun = time.time()
                    spec.write_text(f"{text.rstrip()}\ntitle: Save {number}\n", "utf-8")
                    wait(lambda done=number: browser.execute_script("return window.drawn.length") > done)
                    times.append(browser.execute_script("return window.drawn")[number] - begun * 1000)
                    settled(browser)
            told = f"wall median {median(times):.0f}, best {min(times):.0f}, worst {max(times):.0f}"
            medians.append(median(times))
            alone.append(median(wall / load for wall, load in zip(times, loads, strict=True)))
            print(f"{example.stem}: {told}; a loop takes {median(loads):.1f} times as long", flush=True)
        print(f"median over {len(medians)} examples: {median(medians):.0f}; each save by its load: {median(alone):.0f}")


def settled(browser: Any) -> None:
    """Wait until TeX's page is there, too, and nothing is done any more."""
    wait(
        lambda: browser.execute_script(
            "return document.querySelector('#sheet img') && !document.getElementById('pdf').hidden"
        )
    )
    time.sleep(0.5)


def crowded() -> float:
    """How many times longer than alone a computation takes just now."""
    wall, spent = time.perf_counter(), time.process_time()
    while time.process_time() - spent < 0.1:
        pass
    return (time.perf_counter() - wall) / 0.1


def wait(until: object, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not until():  # type: ignore[operator]
        if time.monotonic() > end:
            raise SystemExit("nothing happened")
        time.sleep(0.1)


main()
