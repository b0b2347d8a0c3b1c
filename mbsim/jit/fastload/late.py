"""Machine code that is loaded, or compiled, on request: kernels that call it know where it will be."""

from mbsim.jit.fastload import image
from mbsim.jit.fastload.code import FastCode
from mbsim.jit.stock import Source

_jumps: dict[str, image.Jump] = {}  # by the symbols of their kernels
_wanted: set[str] = set()  # what symbols begin with that are loaded as soon as a caller asks where they will be


class LateCode(FastCode):
    """The machine code of a kernel that is not loaded before `load`. Where there are no images it is loaded at once."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._is_there = False

    def address(self) -> int:
        """Where callers jump to."""
        if not self._may_be_image():
            return super().address()
        if self.symbol not in _jumps:
            try:
                _jumps[self.symbol] = image.Jump()
            except OSError:  # memory must not be writable and executable
                self._is_there = True
                return super().address()
            image.kernels[self.symbol] = _jumps[self.symbol].address
            if any(self.symbol.startswith(begin) for begin in _wanted):
                self.load()
        return _jumps[self.symbol].address

    @staticmethod
    def want(begin: str) -> None:
        """Have those whose symbols begin like this loaded when a caller is, which may be later: derivatives have no caller before."""
        _wanted.add(begin)

    def load(self) -> None:
        """Load the code; compile it if no earlier run did. Raises what compiling raises."""
        self.address()
        if not self._is_there and self.symbol in _jumps:
            _jumps[self.symbol].to(self._found_address())
        self._is_there = True
