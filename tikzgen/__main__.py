"""`tikzgen`, and `python -m tikzgen`: the command line. Nobody who ends it while it starts sees a traceback."""

import gc
import os
import signal
from types import FrameType


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing is begun yet, or all is done: there is nothing to close."""
    os._exit(130)


for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) not in (signal.SIG_IGN, None):
        signal.signal(getattr(signal, _name), _leave)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(300_000)  # one short run leaves little to collect
    from tikzgen.cli import main as run

    run(apart=True)


if __name__ == "__main__":
    main()
