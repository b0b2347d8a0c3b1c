"""Units for machines of other kinds: object files of each kind without a compiler of C, and libraries by ziglang where it is installed."""

import struct
import zipfile
from importlib.util import find_spec
from pathlib import Path

import mechanisms
import pytest
from exported import CART, needs_compiler

from mbsim import export
from mbsim.jit.portable import Objects, without_control
from mbsim.programs.outputs import NotExportedError
from mbsim.programs.platforms import PLATFORMS, platforms
from mbsim.programs.unit import unit_of

X86_64, AARCH64 = "x86_64", "aarch64"
MACHINES = {  # of a file: how it begins, where the number of the processor stands, and these numbers
    "linux": (b"\x7fELF", 18, "<H", {X86_64: 62, AARCH64: 183}),
    "windows": (b"", 0, "<H", {X86_64: 0x8664}),  # of an object file; a library has these behind the address at 0x3C
    "darwin": (b"\xcf\xfa\xed\xfe", 4, "<I", {X86_64: 0x01000007, AARCH64: 0x0100000C}),
}


def machine_of(data: bytes, system: str) -> int:
    """The number of the processor that a file is for."""
    begins, at, kind, _ = MACHINES[system]
    assert data.startswith(begins)
    if data.startswith(b"MZ"):
        (header,) = struct.unpack_from("<I", data, 0x3C)
        assert data[header : header + 4] == b"PE\0\0"
        at = header + 4
    number: int = struct.unpack_from(kind, data, at)[0]
    return number


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_march_becomes_an_object_file_of_each_kind(name: str) -> None:
    """The march reads and writes the control register of x86, which no other processor has."""
    march = unit_of(mechanisms.model(CART)).march
    assert march is not None
    objects = Objects(False, PLATFORMS[name].triple)
    own = objects.add(march.kernel)
    processor, _, system = name.partition("-")
    assert machine_of(objects.files[own], system) == MACHINES[system][3][processor]


def test_the_control_register_is_taken_out() -> None:
    text = "call void @llvm.x86.sse.stmxcsr(ptr %a)\ndeclare void @llvm.x86.sse.stmxcsr(ptr) #0\n"
    assert "x86" not in without_control(text) and "define internal void @no_control_register" in without_control(text)
    assert without_control("ret void") == "ret void\n"


def test_platforms_have_the_names_of_the_standard() -> None:
    assert [one.name for one in platforms(["linux64", "win64", "aarch64-darwin", "x86_64-linux"])] == [
        "x86_64-linux", "x86_64-windows", "aarch64-darwin",
    ]  # fmt: skip
    with pytest.raises(NotExportedError, match="unknown platform 'win46'; did you mean 'win64'"):
        platforms(["win46"])
    with pytest.raises(NotExportedError, match="FMI 2 have no folder for aarch64-darwin; --fmi 3 has one"):
        PLATFORMS["aarch64-darwin"].folder(2)


@needs_compiler
def test_without_ziglang_other_platforms_are_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.programs.link.find_spec", lambda name: None)
    other = next(name for name, one in PLATFORMS.items() if not one.is_this)
    with pytest.raises(NotExportedError, match=r"pip install 'mbsim\[fmu\]'"):
        export(mechanisms.model(CART), tmp_path / "cart.fmu", fmi=3, platforms=[other])
    with pytest.raises(NotExportedError, match="--native is for processors such as this one"):
        export(mechanisms.model(CART), tmp_path / "cart.fmu", fmi=3, platforms=[other], native=True)


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(find_spec("ziglang") is None, reason="ziglang is not installed")
@pytest.mark.parametrize("fmi", [2, 3])
def test_libraries_for_all_platforms_in_one_unit(fmi: int, tmp_path: Path) -> None:
    names = [one.folder(fmi) for one in PLATFORMS.values() if fmi == 3 or one.fmi2]
    export(mechanisms.model(CART), tmp_path / "cart.fmu", ["push"], fmi=fmi, platforms=names)
    with zipfile.ZipFile(tmp_path / "cart.fmu") as archive:
        for one in PLATFORMS.values():
            if fmi == 2 and not one.fmi2:
                continue
            data = archive.read(f"binaries/{one.folder(fmi)}/cart{one.suffix}")
            processor, _, system = one.name.partition("-")
            assert machine_of(data, system) == MACHINES[system][3][processor]
            assert f"fmi{fmi}DoStep".encode() in data
