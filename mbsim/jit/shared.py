"""Words that several threads read and write in compiled code: places of an array of int64. As plain Python there is one thread only.

What a thread wrote before it `publish`es a word is there for a thread that has `seen` that word.
"""

from typing import Any

from mbsim.jit.kernels import COMPILES, Intrinsic, helper

PATIENCE = 64  # turns of waiting, some microseconds, after which the processor is offered to others

if COMPILES:
    _read: Any = Intrinsic("shared_words", 0)
    _write: Any = Intrinsic("shared_words", 1)
    _exchange: Any = Intrinsic("shared_words", 2)
    _wait: Any = Intrinsic("shared_words", 3)
    _yield: Any = Intrinsic("shared_words", 4)

    @helper
    def seen(words, at):
        """The word at this place."""
        return _read(words, at)

    @helper
    def publish(words, at, value):
        """Write the word at this place."""
        _write(words, at, value)

    @helper
    def claimed(words, at, expected, value):
        """Write the word where it is `expected`, and whether it was: of several threads that try, one finds it so."""
        return _exchange(words, at, expected, value)

    @helper
    def rest(turn):
        """Wait a moment, in the given turn of a loop; the next turn."""
        if turn % PATIENCE == PATIENCE - 1:
            _yield(turn)
        else:
            _wait(turn)
        return turn + 1

else:

    def seen(words, at):
        """The word at this place."""
        return words[at]

    def publish(words, at, value):
        """Write the word at this place."""
        words[at] = value

    def claimed(words, at, expected, value):
        """Write the word where it is `expected`, and whether it was."""
        if words[at] != expected:
            return False
        words[at] = value
        return True

    def rest(turn):
        """Count the turn."""
        return turn + 1
