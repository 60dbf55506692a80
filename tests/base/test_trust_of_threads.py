"""Trust in TeX commands: in this thread, or in every one, and never after the block."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tikzgen.base.trust import is_trusted, trust_commands


@pytest.mark.parametrize("everywhere", [False, True])
def test_other_threads_are_trusted_only_if_all_are(everywhere: bool) -> None:
    with ThreadPoolExecutor(1) as other:
        with trust_commands(everywhere=everywhere):
            assert (is_trusted(), other.submit(is_trusted).result()) == (True, everywhere)
        assert (is_trusted(), other.submit(is_trusted).result()) == (False, False)


def test_trust_is_of_this_thread_unless_stated() -> None:
    with ThreadPoolExecutor(1) as other, trust_commands():
        assert not other.submit(is_trusted).result()
