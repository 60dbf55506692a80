r"""Launcher of a sandbox by Landlock: it restricts this process, then becomes the given program.

`python -I -S -B landlocked.py [--write FOLDER | --read PLACE | --device FILE]... -- PROGRAM ARGUMENT...`

Each option grants its right for a path and everything below it. Other files cannot be opened, made, moved or removed.
TCP ports cannot be bound or reached. Children of the program have the same restrictions, which no process can remove.
It needs only Python's own library, and fails closed: if the kernel does not support all of this, it starts no program.
"""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import struct
import sys

_CREATE = 444  # the same numbers on every architecture
_ADD = 445
_RESTRICT = 446
_PATH_BENEATH = 1
_ASK_VERSION = 1
_NO_NEW_PRIVS = 38

# Rights on files, as the kernel's landlock.h numbers them.
_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15
_ALL_OLD = (1 << 15) - 1  # rights of versions 3 and 4: up to truncating
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICE = _READ_FILE | _WRITE_FILE
# Device nodes are not allowed in the job's folder either.
_WRITE = _ALL_OLD & ~(1 << 6) & ~(1 << 11)
_TCP = 1 << 0 | 1 << 1  # bind, connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals

LEAST_VERSION = 4
"""The version that also closes the network (Linux 6.7)."""
_SCOPES_VERSION = 6
_DEVICES_VERSION = 5


def restrict_process(rules: list[tuple[str, str]]) -> None:
    """Restrict this process; `rules` are pairs such as `("--read", "/usr")`. Raise `OSError` on failure."""
    version = _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    if version < LEAST_VERSION:
        raise OSError(f"this kernel's Landlock is too old: version {version}, and {LEAST_VERSION} is needed")
    handled = _ALL_OLD | (_IOCTL_DEV if version >= _DEVICES_VERSION else 0)
    facts = struct.pack("=QQQ", handled, _TCP, _SCOPES)[: 24 if version >= _SCOPES_VERSION else 16]
    ruleset = _call(_CREATE, facts, ctypes.c_size_t(len(facts)), ctypes.c_uint32(0))
    for kind, place in rules:
        _allow(ruleset, place, {"--write": _WRITE, "--read": _READ, "--device": _DEVICE}[kind])
    libc = _load_libc()
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs is refused")
    _call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _allow(ruleset: int, place: str, rights: int) -> None:
    """Grant rights on a path; ignore a path that cannot be opened."""
    try:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        kept = rights if stat.S_ISDIR(os.fstat(opened).st_mode) else rights & _ON_FILES
        rule = struct.pack("=Qi", kept, opened)
        _call(_ADD, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    libc = _load_libc()
    done: int = libc.syscall(ctypes.c_long(number), *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), f"the kernel has no Landlock: {os.strerror(ctypes.get_errno()).lower()}")
    return done


def _load_libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def main(arguments: list[str]) -> None:
    """Run the command line: restrict this process, then execute the program."""
    end = arguments.index("--")
    rules, argv = arguments[:end], arguments[end + 1 :]
    try:
        restrict_process(list(zip(rules[::2], rules[1::2], strict=True)))
        for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them; the program would inherit this
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(argv[0], argv, {name: value for name, value in os.environ.items() if name != "LC_CTYPE"})  # Python's
    except OSError as error:
        sys.exit(f"landlock: {error.strerror or error}")


if __name__ == "__main__":
    main(sys.argv[1:])
