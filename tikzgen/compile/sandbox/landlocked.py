r"""The launcher of a sandbox by Landlock: shut this process in, then become the program that it is to hold.

`python -I -S -B landlocked.py [--write FOLDER | --read PLACE | --device FILE]... -- PROGRAM ARGUMENT...`

What is named may be used as it says, with all below it; no other file can be opened, made, moved or removed, and no TCP
port be bound or reached. What the program starts is held, too, and nothing can lift it. It needs Python's own library
alone, and fails closed: where the kernel does not do all of this, nothing is started.
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
_ALL_OLD = (1 << 15) - 1  # what versions 3 and 4 know: up to truncating
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICE = _READ_FILE | _WRITE_FILE
# Never in the job's folder either: device nodes.
_WRITE = _ALL_OLD & ~(1 << 6) & ~(1 << 11)
_TCP = 1 << 0 | 1 << 1  # bind, connect
_SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals

LEAST_VERSION = 4
"""The version that also closes the network (Linux 6.7)."""
_SCOPES_VERSION = 6
_DEVICES_VERSION = 5


def restrict(rules: list[tuple[str, str]]) -> None:
    """Shut this process in: `rules` are pairs such as `("--read", "/usr")`. `OSError` where that cannot be done."""
    version = _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    if version < LEAST_VERSION:
        raise OSError(f"this kernel's Landlock is too old: version {version}, and {LEAST_VERSION} is needed")
    handled = _ALL_OLD | (_IOCTL_DEV if version >= _DEVICES_VERSION else 0)
    facts = struct.pack("=QQQ", handled, _TCP, _SCOPES)[: 24 if version >= _SCOPES_VERSION else 16]
    ruleset = _call(_CREATE, facts, ctypes.c_size_t(len(facts)), ctypes.c_uint32(0))
    for kind, place in rules:
        _allow(ruleset, place, {"--write": _WRITE, "--read": _READ, "--device": _DEVICE}[kind])
    libc = _libc()
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs is refused")
    _call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _allow(ruleset: int, place: str, rights: int) -> None:
    """Open a place for the program; what is not there needs no rule."""
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
    libc = _libc()
    done: int = libc.syscall(ctypes.c_long(number), *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), f"the kernel has no Landlock: {os.strerror(ctypes.get_errno()).lower()}")
    return done


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    end = arguments.index("--")
    rules, argv = arguments[:end], arguments[end + 1 :]
    try:
        restrict(list(zip(rules[::2], rules[1::2], strict=True)))
        for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, and a program would go on doing so
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(argv[0], argv, {name: value for name, value in os.environ.items() if name != "LC_CTYPE"})  # Python's
    except OSError as error:
        sys.exit(f"landlock: {error.strerror or error}")


if __name__ == "__main__":
    main(sys.argv[1:])
