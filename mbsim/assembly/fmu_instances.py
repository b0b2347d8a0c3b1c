"""Units of others, loaded and called: the functions of FMI 2.0 and 3.0, by ctypes."""

import ctypes as c
import sys
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mbsim.assembly.fmu_folders import Folder
from mbsim.model.file.fmu import read_fmu
from mbsim.model.file.fmu_records import BOOLEAN, INTEGER, REAL, Description, FmuError
from mbsim.model.sampling import Foreign
from mbsim.system.sample_error import SampleError

OK, WARNING = 0, 1  # fmi2Status, fmi3Status
MODEL_EXCHANGE, CO_SIMULATION = 0, 1  # fmi2Type
STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
KEPT = 16  # states of a unit, of the last samples, to which a run may go back

_Log2 = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p)
_Allocate = c.CFUNCTYPE(c.c_void_p, c.c_size_t, c.c_size_t)
_Free = c.CFUNCTYPE(None, c.c_void_p)
_Finished = c.CFUNCTYPE(None, c.c_void_p, c.c_int)
_Log3 = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)


_Calls = dict[str, tuple[str, Any]]  # of a type of variables: a part of the names of functions, and the number in C


class _Callbacks2(c.Structure):
    _fields_ = [
        ("logger", _Log2), ("allocate", _Allocate), ("free", _Free), ("finished", _Finished), ("environment", c.c_void_p),
    ]  # fmt: skip


class _Heard:
    """The last message of a unit."""

    message = ""

    def hear(self, message: bytes | None) -> None:
        """A message, which may have places for numbers: these are not read."""
        self.message = (message or b"").decode(errors="replace")[:300]


def _free(function: Callable[..., None], instance: c.c_void_p, callbacks: object) -> None:
    """Free an instance, while its callbacks are there."""
    function(instance)
    del callbacks


class Instance(ABC):
    """An instance of a unit. Every call that does not succeed raises SampleError with what the unit said."""

    def __init__(self, description: Description, library: c.CDLL, folder: Path, name: str) -> None:
        """For what the description was read: co-simulation or model exchange."""
        self.description, self._library, self._name = description, library, name
        self._heard, self._functions = _Heard(), dict[str, Callable[..., Any]]()
        self._places: dict[Sequence[str], Any] = {}  # the references of variables that were asked for together
        address, callbacks = self._instantiate(folder)
        if not address:
            raise SampleError(f"{name}: {description.path.name} makes no instance{self._because()}")
        self._instance = c.c_void_p(address)
        weakref.finalize(self, _free, self._function("FreeInstance", None), self._instance, callbacks)

    @abstractmethod
    def _instantiate(self, folder: Path) -> tuple[int | None, Any]:
        """The address of a new instance, and the callbacks that it has as long as it lives."""

    @abstractmethod
    def begin(self, t: float, tolerance: float | None = None) -> None:
        """Enter the initialisation at the time t; the relative tolerance is that of a run that controls its error."""

    @abstractmethod
    def step(self, t: float, h: float) -> None:
        """Go on from t by h."""

    @abstractmethod
    def put(self, names: tuple[str, ...], values: Sequence[float]) -> None:
        """Give variables values."""

    @abstractmethod
    def get(self, names: tuple[str, ...]) -> list[float]:
        """The values of real variables."""

    @abstractmethod
    def get_whole(self, name: str, kind: str) -> float:
        """The value of a variable that is a whole number or a Boolean."""

    def count(self, names: tuple[str, ...]) -> list[float]:
        """The values of variables that are whole numbers or Booleans."""
        return [self.get_whole(name, self.description.variables[name].type) for name in names]

    def end_initialisation(self) -> None:
        """After the first inputs."""
        self.call("ExitInitializationMode")

    def keep(self) -> c.c_void_p:
        """Its whole state."""
        state = c.c_void_p()
        self.call(self._word("GetFMUState"), c.byref(state))
        return state

    def go_back(self, state: c.c_void_p) -> None:
        """Be in a state that was kept."""
        self.call(self._word("SetFMUState"), state)

    def drop(self, state: c.c_void_p) -> None:
        """Give the memory of a state back."""
        self.call(self._word("FreeFMUState"), c.byref(state))

    def _word(self, name: str) -> str:
        return name.replace("State", "state") if self.description.version == 2 else name

    def _function(self, name: str, returns: object = c.c_int) -> Callable[..., Any]:
        found = self._functions.get(name)
        if found is None:
            try:
                made: Any = getattr(self._library, f"fmi{self.description.version}{name}")
            except AttributeError:
                word = f"fmi{self.description.version}{name}"
                raise SampleError(f"{self._name}: {self.description.path.name} has no function {word}") from None
            made.restype = returns
            found = self._functions[name] = made
        return found

    def call(self, name: str, *arguments: object) -> None:
        """A function of the standard with this instance."""
        self._heard.message = ""
        status = self._function(name)(self._instance, *arguments)
        if status not in (OK, WARNING):
            raise SampleError(self.why(name, status))

    def _because(self) -> str:
        return f": {self._heard.message}" if self._heard.message else ""

    def _references(self, names: tuple[str, ...]) -> Any:
        found = self._places.get(names)
        if found is None:
            found = self._places[names] = (c.c_uint32 * len(names))(*(self.description.variables[name].reference for name in names))
        return found

    def address(self, name: str) -> int:
        """Of a function of the standard."""
        function: Any = self._function(name)
        return int(c.cast(function, c.c_void_p).value or 0)

    @property
    def itself(self) -> int:
        """Its address, the first argument of each function."""
        return int(self._instance.value or 0)

    def references(self, names: tuple[str, ...]) -> int:
        """The address of the references of variables, which lives as long as this."""
        return c.addressof(self._references(names))

    def why(self, function: str, status: int) -> str:
        """What it has to say of a call that failed with this status."""
        word, version = STATUS[status] if 0 <= status < len(STATUS) else str(status), self.description.version
        return f"{self._name}: fmi{version}{function} of {self.description.path.name} says {word}{self._because()}"

    def _by_type(self, names: tuple[str, ...], values: Sequence[float]) -> list[tuple[str, tuple[str, ...], Sequence[float]]]:
        """Names and values, apart by the type of the variables."""
        types = [self.description.variables[name].type for name in names]
        if set(types) == {REAL}:
            return [(REAL, names, values)]
        found: list[tuple[str, tuple[str, ...], Sequence[float]]] = []
        for kind in dict.fromkeys(types):
            here = [i for i, its in enumerate(types) if its == kind]
            found.append((kind, tuple(names[i] for i in here), [int(values[i]) if kind != REAL else values[i] for i in here]))
        return found


class Instance2(Instance):
    """Of FMI 2.0."""

    _CALLS: ClassVar[_Calls] = {
        REAL: ("Real", c.c_double),
        INTEGER: ("Integer", c.c_int),
        BOOLEAN: ("Boolean", c.c_int),
    }

    def _instantiate(self, folder: Path) -> tuple[int | None, Any]:
        libc, heard = c.CDLL("msvcrt" if sys.platform == "win32" else None), self._heard
        callbacks = _Callbacks2(
            _Log2(lambda _, name, status, category, message: heard.hear(message)),
            c.cast(libc.calloc, _Allocate), c.cast(libc.free, _Free), _Finished(), None,
        )  # fmt: skip
        token, resources = self.description.token.encode(), (folder / "resources").as_uri().encode()
        make = self._function("Instantiate", c.c_void_p)
        kind = CO_SIMULATION if self.description.exchange is None else MODEL_EXCHANGE
        return make(self._name.encode(), kind, token, resources, c.byref(callbacks), 0, 0), callbacks

    def begin(self, t: float, tolerance: float | None = None) -> None:
        self.call("SetupExperiment", tolerance is not None, c.c_double(tolerance or 0.0), c.c_double(t), 0, c.c_double(0.0))
        self.call("EnterInitializationMode")

    def step(self, t: float, h: float) -> None:
        self.call("DoStep", c.c_double(t), c.c_double(h), 0)

    def put(self, names: tuple[str, ...], values: Sequence[float]) -> None:
        for kind, its, given in self._by_type(names, values):
            word, number = self._CALLS[kind]
            self.call(f"Set{word}", self._references(its), c.c_size_t(len(its)), (number * len(its))(*given))

    def get(self, names: tuple[str, ...]) -> list[float]:
        found = (c.c_double * len(names))()
        self.call("GetReal", self._references(names), c.c_size_t(len(names)), found)
        return list(found)

    def get_whole(self, name: str, kind: str) -> float:
        word, number = self._CALLS[kind]
        found = (number * 1)()
        self.call(f"Get{word}", self._references((name,)), c.c_size_t(1), found)
        return float(found[0])


class Instance3(Instance):
    """Of FMI 3.0."""

    _CALLS: ClassVar[_Calls] = {
        REAL: ("Float64", c.c_double),
        INTEGER: ("Int32", c.c_int32),
        BOOLEAN: ("Boolean", c.c_bool),
    }

    def _instantiate(self, folder: Path) -> tuple[int | None, Any]:
        heard = self._heard
        log = _Log3(lambda _, status, category, message: heard.hear(message))
        resources, token, no = f"{folder / 'resources'}/".encode(), self.description.token.encode(), c.c_bool(False)
        if self.description.exchange is not None:
            make = self._function("InstantiateModelExchange", c.c_void_p)
            return make(self._name.encode(), token, resources, no, no, None, log), log
        make = self._function("InstantiateCoSimulation", c.c_void_p)
        return make(self._name.encode(), token, resources, no, no, no, no, None, c.c_size_t(0), None, log, None), log

    def begin(self, t: float, tolerance: float | None = None) -> None:
        told = c.c_bool(tolerance is not None), c.c_double(tolerance or 0.0)
        self.call("EnterInitializationMode", *told, c.c_double(t), c.c_bool(False), c.c_double(0.0))

    def step(self, t: float, h: float) -> None:
        event, ends, early, reached = c.c_bool(), c.c_bool(), c.c_bool(), c.c_double()
        said = (c.byref(event), c.byref(ends), c.byref(early), c.byref(reached))
        self.call("DoStep", c.c_double(t), c.c_double(h), c.c_bool(False), *said)
        if ends.value:
            raise SampleError(f"{self._name}: {self.description.path.name} ends its simulation at t = {reached.value:.9g} s")

    def put(self, names: tuple[str, ...], values: Sequence[float]) -> None:
        for kind, its, given in self._by_type(names, values):
            word, number = self._CALLS[kind]
            n = c.c_size_t(len(its))
            self.call(f"Set{word}", self._references(its), n, (number * len(its))(*given), n)

    def get(self, names: tuple[str, ...]) -> list[float]:
        found, n = (c.c_double * len(names))(), c.c_size_t(len(names))
        self.call("GetFloat64", self._references(names), n, found, n)
        return list(found)

    def get_whole(self, name: str, kind: str) -> float:
        (word, number), n = self._CALLS[kind], c.c_size_t(1)
        found = (number * 1)()
        self.call(f"Get{word}", self._references((name,)), n, found, n)
        return float(found[0])


class Sampled:
    """A unit that takes samples. A run that goes back finds the unit as it was, where the unit can keep its state."""

    def __init__(self, foreign: Foreign) -> None:
        self.file, self._of, self._loaded = foreign.file, foreign, Loaded(foreign)
        self.tolerance: float | None = None  # relative, of a run that controls its error; of the units that begin from now on
        self._instance: Instance | None = None
        self._at = -1  # the sample that was taken last
        self._kept: OrderedDict[int, c.c_void_p] = OrderedDict()  # states after samples

    def sample(self, k: int, first: float, period: float, inputs: Sequence[float]) -> list[float]:
        """The outputs at sample k, of which the first is at the time `first`. Raises SampleError where the unit fails."""
        of = self._of
        if k == 0:
            self._begin(first, inputs)
        elif k in (self._at, self._at + 1) or k - 1 in self._kept:
            self._go_to(k, first, period)
        else:
            raise SampleError(f"{of.controller}: {Path(self.file).name} cannot go back to sample {k} from sample {self._at}")
        assert self._instance is not None
        if of.inputs and k > 0:
            self._instance.put(of.inputs, inputs)
        found = self._instance.get(of.outputs)
        self._at = k
        self._keep()
        return found

    def _begin(self, t: float, inputs: Sequence[float]) -> None:
        of = self._of
        self._forget()
        self._instance = self._new()
        if of.parameters:
            self._instance.put(tuple(of.parameters), list(of.parameters.values()))
        self._instance.begin(t, self.tolerance)
        if of.inputs:
            self._instance.put(of.inputs, inputs)
        self._instance.end_initialisation()

    def _go_to(self, k: int, first: float, period: float) -> None:
        """From the state after sample k - 1; of a unit that cannot go back, and is at k already, from there."""
        assert self._instance is not None
        if k != self._at + 1:
            if k - 1 not in self._kept:  # it is there already
                return
            self._instance.go_back(self._kept[k - 1])
        self._instance.step(first + (k - 1) * period, first + k * period - (first + (k - 1) * period))

    def _keep(self) -> None:
        assert self._instance is not None
        if not self._instance.description.saves:
            return
        for later in [k for k in self._kept if k >= self._at]:
            self._instance.drop(self._kept.pop(later))
        self._kept[self._at] = self._instance.keep()
        if len(self._kept) > KEPT:
            self._instance.drop(self._kept.popitem(last=False)[1])

    def _forget(self) -> None:
        if self._instance is not None:
            for state in self._kept.values():
                self._instance.drop(state)
        self._kept.clear()
        self._instance, self._at = None, -1

    def _new(self) -> Instance:
        return self._loaded.instance()


class Loaded:
    """The library of a unit, unpacked and loaded when an instance is first asked for."""

    def __init__(self, foreign: Foreign, exchange: bool = False) -> None:
        self._of, self._exchange = foreign, exchange
        self._library: c.CDLL | None = None
        self._folder: Folder | None = None

    def instance(self) -> Instance:
        """A new instance. Raises SampleError."""
        try:
            description = read_fmu(Path(self._of.file), self._exchange)
        except FmuError as error:
            raise SampleError(f"{self._of.controller}: {error}") from None
        if self._library is None or self._folder is None:
            self._folder = Folder(description)
            try:
                self._library = c.CDLL(str(self._folder.path / description.library))
            except OSError as error:
                raise SampleError(f"{self._of.controller}: the library of {self._of.file} cannot be loaded: {error}") from None
            self._folder.loaded()
        kind = Instance2 if description.version == 2 else Instance3
        return kind(description, self._library, self._folder.path, self._of.controller)
