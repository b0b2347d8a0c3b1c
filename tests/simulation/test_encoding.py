"""Records, arrays and plain data as bytes, and back."""

import struct
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from mbsim.analyses import kept
from mbsim.analyses.encoding import Encoding, EncodingError


@dataclass(frozen=True)
class Record:
    name: str
    values: Any
    more: Any = ()
    notes: tuple[str, ...] = ()
    table: dict[int, tuple[str, str]] = field(default_factory=dict)


class Pair(NamedTuple):
    one: Any
    two: Any


class Unknown:
    pass


def function() -> int:
    return 1


def encoding() -> Encoding:
    def found(name: str) -> Any:
        return {"f": function}[name]

    return Encoding({"Record": Record, "Pair": Pair}, lambda value: ["f"] if value is function else None, found)


def again(value: Any) -> Any:
    return encoding().read(encoding().write(value))


PLAIN = [
    None, True, False, 0, -(2**70), 1.5, -0.0, 1e-310, 0.1 + 0.2, float("inf"), "", "a\0\u00e9\U0001f600\n", (), [], {}, (1, [2, (3,)]),
    {1: "x", "1": "y", (2, 3): [None]}, slice(1, None, 2), {"array": 1}, {"tuple": [1]}, {"dict": {}},
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_data_come_back(value: Any) -> None:
    found = again(value)
    assert found == value and type(found) is type(value) and repr(found) == repr(value)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3)])
def test_arrays_come_back_and_can_be_written(dtype: Any, shape: tuple[int, ...]) -> None:
    value = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    found = again(["x" * 3, value])[1]
    assert found.dtype == value.dtype and found.shape == value.shape and (found == value).all()
    assert found.flags.writeable and found.flags.aligned and found.flags.c_contiguous


def test_arrays_in_another_order_come_back() -> None:
    value = np.arange(6.0).reshape(2, 3)
    assert (again(value.T) == value.T).all() and (again(value[:, ::2]) == value[:, ::2]).all()


def test_not_a_number_and_the_sign_of_zero_come_back() -> None:
    value = np.array([np.nan, -0.0, 5e-324])
    assert again(value).tobytes() == value.tobytes()
    assert np.isnan(again(float("nan")))


def test_an_array_that_is_there_twice_is_one_array() -> None:
    value = np.zeros(3)
    one, two, three = again((value, Pair(value, 1), value.copy()))
    assert two.one is one and three is not one


def test_records_functions_and_scalars_come_back() -> None:
    value = Record("a", Pair(np.float64(2.5), np.int64(3)), SimpleNamespace(x=1, y=(function,)), ("one", "two"), {0: ("f", "g")})
    found = again(value)
    assert found == value
    assert type(found.values.one) is np.float64 and type(found.values.two) is np.int64 and found.more.y[0] is function


@pytest.mark.parametrize(
    "value",
    [Unknown(), {1, 2}, b"x", 1j, np.zeros(2, np.float32), np.zeros(2, object), len, Unknown, Record("a", Unknown()), [np.dtype("f8")]],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_not_written(value: Any) -> None:
    with pytest.raises(EncodingError, match="not written"):
        encoding().write(value)


def test_what_contains_itself_is_not_written() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(EncodingError, match="too deep"):
        encoding().write(value)


@pytest.mark.parametrize(
    "text",
    [
        b'[{"Unknown": {}}, []]', b'[{"function": ["os"]}, []]', b'[{"Record": {"x": 1}}, []]', b'[{"array": 0}, []]', b"[1]", b"{", b"",
        b'[0, [["|O", [1]]]]', b'[0, [["<f8", [100]]]]', b'[{"a": 1, "b": 2}, []]',
    ],
)  # fmt: skip
def test_other_files_are_refused(text: bytes) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, struct.error)):
        encoding().read(struct.pack("<q", len(text)) + text)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("mbsim.cli._model", "read_model"),
        ("mbsim.system.system", "np"),
        ("mbsim.system.bodies", "planar_np"),
        ("mbsim.system.planar.x", "y"),
        ("mbsim_" + "0" * 24, "x"),
    ],
)  # fmt: skip
def test_a_kept_model_names_kernels_of_systems_only(module: str, name: str) -> None:
    with pytest.raises((LookupError, ImportError, OSError)):
        kept._function(module, name)
