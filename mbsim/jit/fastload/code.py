"""A kernel's machine code, as quickly as it can be had: an image of an earlier run, Numba's object code of one, or compiled now."""

import errno
import logging
import os
import zlib
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from mbsim.jit import entries
from mbsim.jit.fastload import image
from mbsim.jit.folder import CACHE_FOLDER
from mbsim.jit.stock import Source

log = logging.getLogger("mbsim")

IMAGES = image.SUPPORTED and not os.environ.get("MBSIM_NO_IMAGES")  # the variable: to test what other systems do


class FastCode:
    """The machine code of one kernel."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._loaded: Any = None  # Numba's dispatcher, whose code is run where there is no image: it lives as long as this
        image.known[self.symbol] = self

    @cached_property
    def symbol(self) -> str:
        """What kernels that call this one by name, and their files, know it under."""
        return self.source.key or f"{self.source.function.__qualname__} {id(self):x}"  # the second is for this process alone

    @property
    def numba_type(self) -> Any:
        """How Numba sees the kernel where another one calls it by name."""
        from mbsim.jit import compiler

        return compiler.SymbolType(self.symbol, compiler.numba_type(self.source.signature))

    def address(self) -> int:
        """Where the code is in memory. It is compiled now if no earlier run compiled it, and neither did another model of this one."""
        if self._may_be_image() and self.symbol in image.kernels:
            return image.kernels[self.symbol]
        address = self._found_address()
        image.kernels[self.symbol] = address
        return address

    def _found_address(self) -> int:
        address = self._image_address() if self._may_be_image() else None
        if address is None:
            from mbsim.jit import compiler

            self._loaded = self._compile(kept=True)
            address = compiler.address(self._loaded)
        return address

    def _may_be_image(self) -> bool:
        return IMAGES and bool(self.source.key) and not self.source.allocates  # what calls back into Python is tied to the process

    def _compile(self, kept: bool) -> Any:
        from mbsim.jit.fastload import lean

        source = self.source
        path = CACHE_FOLDER / f"{source.key}.numba" if kept and source.key else None
        function = getattr(source.function, "python", source.function)  # of what is made on demand: only here
        return lean.kernel(function, source.signature, source.allocates, path, source.missed, self._keep_bitcode, loads=kept)

    def bitcode(self) -> bytes:
        """LLVM's bitcode before it is optimised, for other processors than this one: of an earlier run, or compiled now."""
        path = self._bitcode_path()
        kept = entries.read(path, path.name.encode()) if self.source.key else None
        if kept is not None:
            return zlib.decompress(kept)
        from mbsim.jit.fastload import lean

        source, found = self.source, list[bytes]()
        function = getattr(source.function, "python", source.function)
        lean.kernel(function, source.signature, source.allocates, None, source.missed, found.append, loads=False)
        self._keep_bitcode(found[-1])
        return found[-1]

    def _keep_bitcode(self, bitcode: bytes) -> None:
        if self.source.key and not self.source.allocates:
            path = self._bitcode_path()
            entries.write(path, path.name.encode(), zlib.compress(bitcode, 1))

    def _bitcode_path(self) -> Path:
        return CACHE_FOLDER / f"{self.source.key}.bitcode"

    def _image_address(self) -> int | None:
        """None where there can be no image, or where it cannot be run; a mark beside it tells later runs."""
        path = CACHE_FOLDER / f"{self.source.key}.image"
        mark, key = path.with_suffix(".none"), path.name.encode()
        if mark.exists() and entries.read(mark, key) is not None:
            return None
        found = image.read(path, key)
        try:
            if found is not None:
                with suppress(image.UnsupportedError):  # a function of another C library: compiled anew
                    return image.load(found)
            from mbsim.jit.fastload import lean

            found = image.from_object(*lean.object_code(self._compile(kept=False)))
            image.write(path, key, found)
            return image.load(found)
        except (image.UnsupportedError, OSError) as error:
            log.debug("%s is loaded by Numba: %s", self.source.key, error)
            if not isinstance(error, OSError) or error.errno in (errno.EACCES, errno.EPERM):  # not for want of memory, which may pass
                entries.write(mark, key, b"")
            return None
