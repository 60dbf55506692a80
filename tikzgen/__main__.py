"""Command line: `tikzgen`, and `python -m tikzgen`. Ctrl-C during the start prints no traceback."""

import gc
import os
import signal
from types import FrameType


def _leave(number: int, frame: FrameType | None) -> None:
    """Exit immediately: the start and the end need no cleanup."""
    os._exit(130)


for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) not in (signal.SIG_IGN, None):
        signal.signal(getattr(signal, _name), _leave)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(300_000)  # a short run has little garbage
    from tikzgen.cli import main as run

    run(apart=True)


if __name__ == "__main__":
    main()
