"""Measure `tikzgen watch`: `python tests/benchmarks/watch.py [SAVES]` prints how long a picture takes after a save.

From the moment before the file is written to the moment when the page in headless Chromium has drawn the new picture.
Every save changes a label, so that nothing comes from a cache. Times are wall times in ms; beside them stands how many
times longer than it computes a loop takes, which is 1 on an idle machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tikzgen.watch.running import watching

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
FIGURES = {
    "distributed-training": ("recipe: data-parallel", "recipe: data-parallel\ntitle: Save {}"),
    "parameter-server": ("labels:\n", "labels:\n  server: Save {}\n"),
    "gradient-accumulation": ("  idle: 空闲", "  idle: 空闲 {}"),
}
WATCH = """
window.drawn = [];
new MutationObserver(() => requestAnimationFrame(() => window.drawn.push(performance.timeOrigin + performance.now())))
  .observe(document.getElementById("sheet"), { childList: true });
"""


def main() -> None:
    from browser import open_browser

    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder, "cache"))
        for name, (old, new) in FIGURES.items():
            spec = Path(folder, f"{name}.yaml")
            text = (ROOT / "examples" / spec.name).read_text("utf-8")
            spec.write_text(text, "utf-8")
            with watching(spec) as server, open_browser(Path(folder, name)) as browser:
                browser.get(server.url)
                wait(lambda: browser.execute_script("return document.querySelectorAll('#sheet img').length"))
                time.sleep(3)  # the first findings and the warm-up are done
                browser.execute_script(WATCH)
                times, loads = [], []
                for number in range(saves):
                    loads.append(crowded())
                    begun = time.time()
                    spec.write_text(text.replace(old, new.format(number), 1), "utf-8")
                    wait(lambda done=number: browser.execute_script("return window.drawn.length") > done)
                    times.append(browser.execute_script("return window.drawn")[number] - begun * 1000)
                    time.sleep(0.7)  # the findings, too
            wall = f"wall median {median(times):.0f}, best {min(times):.0f}, worst {max(times):.0f}"
            print(f"{name}: {wall}; a loop takes {median(loads):.1f} times as long", flush=True)


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
