"""Whether native code of others may run: the libraries of functional mock-up units, which can do whatever this program can."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

VARIABLE = "MBSIM_ALLOW_NATIVE"  # of the environment, so that the processes of a study know it, too
_allowed: ContextVar[bool] = ContextVar("native code is allowed", default=False)


class NativeCodeError(ValueError):
    """A model wants to run native code, and nobody has allowed it."""


@contextmanager
def allowing(allow: bool) -> Iterator[None]:
    """Allow native code inside, where `allow`; what was allowed before stays so."""
    token = _allowed.set(_allowed.get() or allow)
    try:
        yield
    finally:
        _allowed.reset(token)


def require_allowed(files: Sequence[str]) -> None:
    """Raises NativeCodeError where files with native code are to run and this is not allowed."""
    if files and not _allowed.get() and os.environ.get(VARIABLE, "") not in ("1", "true"):
        raise NativeCodeError(
            f"{', '.join(dict.fromkeys(files))}: a unit is native code, which can do to this machine whatever you can, so it runs only "
            f"where you allow it: mbsim run --allow-native, from Python allow_native=True, elsewhere {VARIABLE}=1 in the environment"
        )
