"""Ctrl-C while LLVM emits code, at the one place where Python would drop it: in a callback from C."""

import ctypes
import signal

import pytest

from mbsim import jit
from mbsim.jit.uninterrupted import uninterrupted

CALLBACK = ctypes.CFUNCTYPE(None)


def interrupted() -> None:
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_in_a_callback_is_raised_afterwards() -> None:
    done = []

    def body() -> None:
        with uninterrupted():
            CALLBACK(interrupted)()
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        body()
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_nothing_changes_without_an_interrupt_or_where_the_program_ignores_it() -> None:
    with uninterrupted():
        pass
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            interrupted()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(not jit.COMPILES, reason="nothing is compiled")
def test_an_interrupt_while_a_kernel_is_emitted_ends_the_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    lean = pytest.importorskip("mbsim.jit.fastload.lean")
    finish = lean._Library._finalize_specific

    def emitted(library) -> None:
        CALLBACK(interrupted)()
        finish(library)

    monkeypatch.setattr(lean._Library, "_finalize_specific", emitted)

    def double(x):
        return 2.0 * x

    from mbsim.jit.signatures import Signature, f8

    with pytest.raises(KeyboardInterrupt):
        lean.kernel(double, Signature(f8, (f8,)), False, None, lambda: None)
