"""Machine code as a file that is mapped and run without a linker: the sections of a kernel's object file in one piece.

Numba compiles for the large code model, in which code refers to everything by 64-bit addresses (x86-64 psABI 1.0, section 3.5.1). To load
an image, its address and the addresses of other kernels and of functions of the C library are added to a list of words. That takes 0.1 ms;
Numba takes two to five, and 0.3 s for its import. Images exist only for Linux on x86-64; elsewhere Numba loads its own cache files.
"""

import ctypes
import importlib
import mmap
import platform
import struct
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol
from weakref import WeakValueDictionary

import numpy as np

from mbsim.jit import entries

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64" and struct.calcsize("P") == 8

_ALLOCATED, _NO_BITS, _RELA, _SYMBOLS = 0x2, 8, 4, 2  # sh_flags, sh_type
_R_64, _R_PC64 = 1, 24
_UNDEFINED, _ABSOLUTE, _COMMON = 0, 0xFFF1, 0xFFF2  # st_shndx
_HEAD = struct.Struct("<qqqq")  # of a file: where the function begins; bytes of `inside`, of places and addends outside, of their names
_NOWHERE = -1  # place of a symbol that is neither in the image nor outside


class UnsupportedError(ValueError):
    """An object file uses a feature that images do not support."""


class Image(NamedTuple):
    """Sections in one piece. Addresses count from its beginning."""

    code: bytes
    entry: int
    inside: bytes  # (k,) int64, places of words to which the begin of the image is to be added
    outside: list[tuple[int, str, int]]  # place of a word, the function whose address it holds, what is added


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


def from_object(elf: bytes, entry: str) -> Image:
    """The image of a relocatable ELF file whose function `entry` is called. Raises UnsupportedError."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    (size, count) = struct.unpack_from("<HH", elf, 0x3A)
    sections = [_Section(*struct.unpack_from("<IIQQQQIIQQ", elf, table + i * size)) for i in range(count)]
    symbols = next(s for s in sections if s.type == _SYMBOLS)
    strings = sections[symbols.link]
    names = sections[struct.unpack_from("<H", elf, 0x3E)[0]]

    def text(at: int) -> str:
        return elf[at : elf.index(b"\0", at)].decode()

    places: dict[int, int] = {}  # of each section that is kept
    code = bytearray()

    def reserve(length: int, align: int) -> int:
        code.extend(b"\0" * (-len(code) % max(align, 1)))
        at = len(code)
        code.extend(b"\0" * length)
        return at

    for index, s in enumerate(sections):
        if s.flags & _ALLOCATED and text(names.offset + s.name) != ".eh_frame":  # no exception passes through a kernel
            places[index] = reserve(s.size, s.align)
            if s.type != _NO_BITS:
                code[places[index] : places[index] + s.size] = elf[s.offset : s.offset + s.size]
    found: list[tuple[str, int | None]] = []  # name, place of each symbol
    for at in range(symbols.offset, symbols.offset + symbols.size, 24):
        name, _, _, section, value, length = struct.unpack_from("<IBBHQQ", elf, at)
        label = text(strings.offset + name)
        if section == _COMMON:
            found.append((label, reserve(length, value)))
        elif section == _ABSOLUTE or (section != _UNDEFINED and section not in places):
            found.append((label, _NOWHERE))
        else:
            found.append((label, None if section == _UNDEFINED else places[section] + value))
    inside, outside = [], []
    for s in sections:
        if s.type != _RELA or s.info not in places:
            continue
        for at in range(s.offset, s.offset + s.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", elf, at)
            place, (label, target) = places[s.info] + offset, found[info >> 32]
            if target == _NOWHERE:
                raise UnsupportedError(f"a reference to {label}, which is nowhere")
            if info & 0xFFFFFFFF == _R_64:
                if target is None:
                    outside.append((place, label, addend))
                else:
                    struct.pack_into("<q", code, place, target + addend)
                    inside.append(place)
            elif info & 0xFFFFFFFF == _R_PC64 and target is not None:
                struct.pack_into("<q", code, place, target + addend - place)
            else:
                raise UnsupportedError(f"a relocation of type {info & 0xFFFFFFFF}")
    for _, label, _ in outside:
        _address(label)
    start = dict(found).get(entry)
    if start is None:
        raise UnsupportedError(f"no function {entry}")
    return Image(bytes(code), start, np.array(inside, np.int64).tobytes(), outside)


@cache
def _libraries() -> list[ctypes.CDLL]:
    return [ctypes.CDLL("libm.so.6"), ctypes.CDLL(None)]


class _Addressed(Protocol):
    def address(self) -> int: ...


kernels: dict[str, int] = {}  # addresses of those that are loaded, by symbol
known: "WeakValueDictionary[str, _Addressed]" = WeakValueDictionary()  # the code of all that there are, loaded or not


def ask_for(name: str) -> None:
    """Have a kernel's address among `kernels`, if this is the name of one."""
    if name in kernels:
        return
    if name not in known and name.startswith("mbsim."):  # its module is not imported, or makes it when it is asked for
        module, _, attribute = name.rpartition(".")
        with suppress(ImportError, AttributeError, ValueError):
            getattr(importlib.import_module(module), attribute)
    if name in known:
        known[name].address()


def _address(name: str) -> int:
    """The address of another kernel or of a function of the C library. Raises UnsupportedError."""
    ask_for(name)
    return kernels[name] if name in kernels else _library_address(name)


@cache
def _library_address(name: str) -> int:
    for library in _libraries():
        try:
            return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
        except AttributeError:
            continue
    raise UnsupportedError(f"there is no function {name} among the kernels and in the C library")


class _Arena:
    """Writable and executable memory that is given out in pieces."""

    SIZE = 1 << 20

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[mmap.mmap] = []
        self._view = np.zeros(0, np.uint8)
        self._used = 0

    def room(self, size: int) -> np.ndarray:
        """`size` bytes that begin on a cache line of their own."""
        with self._lock:
            begin = -(-self._used // 64) * 64
            if begin + size > len(self._view):
                memory = mmap.mmap(-1, max(self.SIZE, size), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
                self._kept.append(memory)
                self._view, begin = np.frombuffer(memory, np.uint8), 0
            self._used = begin + size
            return self._view[begin : self._used]


_arena = _Arena()


class Jump:
    """A place that callers of a kernel know before the kernel is loaded: code of x86-64 that jumps to wherever `to` says.

    Until then it returns -1, which Numba's calling convention takes for an exception.
    """

    _CELL, _MISSING = 64, 16  # where the address that it jumps to stands, on a cache line of its own; where the code that returns -1 does

    def __init__(self) -> None:
        """Raises OSError if memory must not be writable and executable."""
        self._place = _arena.room(2 * self._CELL)
        self.address = int(self._place.__array_interface__["data"][0])
        jump = b"\xff\x25" + struct.pack("<i", self._CELL - 6)  # jmp [rip + ...], an instruction of six bytes
        missing = b"\xb8\xff\xff\xff\xff\xc3"  # mov eax, -1; ret
        self._place[: len(jump)] = np.frombuffer(jump, np.uint8)
        self._place[self._MISSING : self._MISSING + len(missing)] = np.frombuffer(missing, np.uint8)
        self.to(self.address + self._MISSING)

    def to(self, address: int) -> None:
        """Go there from now on."""
        ctypes.c_int64.from_address(self.address + self._CELL).value = address


def load(image: Image) -> int:
    """Load an image; the address of its function. Raises OSError if memory must not be writable and executable, UnsupportedError."""
    place = _arena.room(len(image.code))
    begin = int(place.__array_interface__["data"][0])
    place[:] = np.frombuffer(image.code, np.uint8)
    spots = np.frombuffer(image.inside, np.int64)
    if len(spots):
        at = (spots[:, None] + np.arange(8)).ravel()
        moved = place[at].view(np.int64) + begin
        place[at] = moved.view(np.uint8)
    for spot, name, addend in image.outside:
        place[spot : spot + 8] = np.frombuffer(struct.pack("<q", _address(name) + addend), np.uint8)
    return begin + image.entry


def write(path: Path, key: bytes, image: Image) -> None:
    """Store an image if possible; two processes may do this at once."""
    places = np.array([(place, addend) for place, _, addend in image.outside], np.int64).tobytes()
    names = "\n".join(name for _, name, _ in image.outside).encode()
    head = _HEAD.pack(image.entry, len(image.inside), len(places), len(names))
    entries.write(path, key, b"".join([head, image.inside, places, names, image.code]))


def read(path: Path, key: bytes) -> Image | None:
    """An image that was stored under the same key, or None."""
    data = entries.read(path, key)
    if data is None:
        return None
    entry, *lengths = _HEAD.unpack_from(data)
    parts, at = [], _HEAD.size
    for length in lengths:
        parts.append(data[at : at + length])
        at += length
    inside, places, names = parts
    pairs = np.frombuffer(places, np.int64).reshape(-1, 2).tolist()
    outside = [(place, name, addend) for (place, addend), name in zip(pairs, names.decode().splitlines(), strict=True)]
    return Image(data[at:], entry, inside, outside)
