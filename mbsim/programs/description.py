"""modelDescription.xml: what an FMU says of itself."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

from mbsim.programs.unit import Unit
from mbsim.programs.variables import (
    derivative_references,
    indicator_names,
    indicator_references,
    local_variables,
    state_references,
    time_reference,
)
from mbsim.version import __version__

# exponents of base units, by UDUNITS symbol
_SYMBOLS: dict[str, dict[str, int]] = {
    "m": {"m": 1}, "s": {"s": 1}, "kg": {"kg": 1}, "rad": {"rad": 1}, "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
}  # fmt: skip
_TOKEN = re.compile(r"([A-Za-z]+)(-?\d+)?$")
TIME = "time"  # the independent variable

RESOLVES = 1e-8  # relative tolerance of a solver that finds impacts well; importers take it where the user gives none


def base_units(unit: str) -> dict[str, int] | None:
    """The exponents of kg, m, s and rad in a unit in UDUNITS spelling, `rad s-1`; None where it is none of SI."""
    found: dict[str, int] = {}
    for token in unit.split():
        match = _TOKEN.match(token)
        if match is None or match[1] not in _SYMBOLS:
            return None
        for symbol, exponent in _SYMBOLS[match[1]].items():
            found[symbol] = found.get(symbol, 0) + exponent * int(match[2] or 1)
    return {symbol: exponent for symbol, exponent in found.items() if exponent}


class Version(NamedTuple):
    """How a version of the standard says it."""

    number: str
    token: str  # the attribute that identifies the unit
    states: tuple[str, str]  # the attributes that say that states are kept and serialised
    derivatives: str  # the attribute that says that directional derivatives are given
    # the elements of the structure: outputs, rates of states, what is calculated at the start
    structure: tuple[str, str, str]


VERSIONS = {
    2: Version(
        "2.0", "guid", ("canGetAndSetFMUstate", "canSerializeFMUstate"), "providesDirectionalDerivative",
        ("Outputs", "Derivatives", "InitialUnknowns"),
    ),
    3: Version(
        "3.0", "instantiationToken", ("canGetAndSetFMUState", "canSerializeFMUState"), "providesDirectionalDerivatives",
        ("Output", "ContinuousStateDerivative", "InitialUnknown"),
    ),
}  # fmt: skip


def description(unit: Unit, token: str, version: int) -> bytes:
    """The description of an FMU of FMI 2.0 or 3.0."""
    of_version, settings, outputs = VERSIONS[version], unit.inside.settings, unit.outputs.outputs
    root = Xml.Element(
        "fmiModelDescription",
        {
            "fmiVersion": of_version.number, "modelName": unit.title, of_version.token: token, "generationTool": f"mbsim {__version__}",
            "variableNamingConvention": "flat",
        },
    )  # fmt: skip
    if version == 2 and unit.exchange is not None:
        root.set("numberOfEventIndicators", str(len(indicator_names(unit))))
    offers = dict.fromkeys([*of_version.states, *[of_version.derivatives] * (unit.derivatives is not None)], "true")
    if version == 2:
        offers["canNotUseMemoryManagementFunctions"] = "true"
    if unit.exchange is not None:
        further = {"needsCompletedIntegratorStep": "true"} if version == 3 else {}
        Xml.SubElement(root, "ModelExchange", {"modelIdentifier": unit.name, **offers, **further})
    if unit.march is not None:
        its = {"modelIdentifier": unit.name, "canHandleVariableCommunicationStepSize": "true", **offers}
        if version == 3 and unit.events is not None:
            its |= {"hasEventMode": "true", "mightReturnEarlyFromDoStep": "true"}
        Xml.SubElement(root, "CoSimulation", its)
    variables = list(_variables(unit, version))
    units = list(dict.fromkeys(variable.own["unit"] for variable in variables if "unit" in variable.own))
    if units:
        definitions = Xml.SubElement(root, "UnitDefinitions")
        for name in units:
            element = Xml.SubElement(definitions, "Unit", name=name)
            if (exponents := base_units(name)) is not None:
                Xml.SubElement(element, "BaseUnit", {symbol: str(exponent) for symbol, exponent in exponents.items()})
    categories = Xml.SubElement(root, "LogCategories")
    Xml.SubElement(categories, "Category", name="logStatusError", description="Why a call failed")
    Xml.SubElement(categories, "Category", name="logEvents", description="Each event of the model")
    experiment = {"startTime": repr(float(settings.start)), "stopTime": repr(float(settings.end)), "stepSize": repr(float(unit.step))}
    if unit.march is not None and (tolerance := settings.tolerance("rtol")) is not None:
        experiment["tolerance"] = repr(tolerance)
    elif unit.exchange is not None and unit.parts[0].stops is not None:
        experiment["tolerance"] = repr(RESOLVES)
    Xml.SubElement(root, "DefaultExperiment", experiment)
    listed = Xml.SubElement(root, "ModelVariables")
    for variable in variables:
        if version == 2:
            Xml.SubElement(Xml.SubElement(listed, "ScalarVariable", variable.common), "Real", variable.own)
        else:
            Xml.SubElement(listed, "Float64", variable.common | variable.own)
    if version == 3:
        for variable in _indicators(unit):
            Xml.SubElement(listed, "Float64", variable.common)
        time = {"name": TIME, "valueReference": str(time_reference(unit))}
        Xml.SubElement(listed, "Float64", {**time, "causality": "independent", "variability": "continuous"})
    _structure(root, unit, version, list(range(len(unit.arguments), len(unit.arguments) + len(outputs))))
    Xml.indent(root)
    text: str = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _structure(root: Xml.Element, unit: Unit, version: int, shown: list[int]) -> None:
    """What is calculated, and what it depends on: a rate that is a speed depends on this alone, others on everything."""
    structure = Xml.SubElement(root, "ModelStructure")
    states, rates = state_references(unit), derivative_references(unit)
    initial = [*shown, *(x for x in [*states, *rates] if x not in shown)]
    for kind, found in zip(VERSIONS[version].structure, (shown, rates, list(dict.fromkeys(initial))), strict=True):
        if not found:
            continue
        parent = Xml.SubElement(structure, kind) if version == 2 else structure
        for reference in found:
            itself = {"dependencies": str(_index(unit, reference, version)), "dependenciesKind": "constant"}
            depends = itself if reference in states and kind != VERSIONS[version].structure[2] else {}
            if version == 2:
                Xml.SubElement(parent, "Unknown", {"index": str(_index(unit, reference, version)), **depends})
            else:
                Xml.SubElement(parent, kind, {"valueReference": str(reference), **depends})
    for reference in indicator_references(unit) if version == 3 else []:
        Xml.SubElement(structure, "EventIndicator", {"valueReference": str(reference)})


def _index(unit: Unit, reference: int, version: int) -> int:
    """How a variable is pointed to: by its place in the list in FMI 2.0, where the time is not listed; by its reference in FMI 3.0."""
    return reference if version == 3 else reference + 1 - (reference > time_reference(unit))


def _indicators(unit: Unit) -> "Iterator[_Variable]":
    """Those of events, which are variables in FMI 3.0."""
    for name, reference in zip(indicator_names(unit), indicator_references(unit), strict=True):
        kind = {"causality": "local", "variability": "continuous", "initial": "calculated"}
        yield _Variable({"name": name, "valueReference": str(reference), **kind}, {})


class _Variable(NamedTuple):
    common: dict[str, str]  # what all have
    own: dict[str, Any]  # what those of a type have


def _variables(unit: Unit, version: int) -> Iterator[_Variable]:
    states, rates = state_references(unit), derivative_references(unit)

    def moving(reference: int) -> dict[str, str]:
        """What a state, and the rate of one, says of itself."""
        found = {}
        if reference in rates:
            found["derivative"] = str(_index(unit, states[rates.index(reference)], version))
        if reference in states:
            assert unit.exchange is not None
            found |= {"nominal": repr(float(unit.exchange.nominals[states.index(reference)])), "reinit": "true"}
        return found

    for i, argument in enumerate(unit.arguments):
        kind = {"causality": "input", "variability": "continuous"}
        if not argument.is_input:
            kind = {"causality": "parameter", "variability": "tunable", "initial": "exact"}
        yield _Variable({"name": argument.name, "valueReference": str(i), **kind}, {"start": repr(argument.start)})
    for i, output in enumerate(unit.outputs.outputs, len(unit.arguments)):
        described = {"description": output.description} if output.description else {}
        kind = {"causality": "output", "variability": "continuous", "initial": "calculated"}
        measured = {"unit": output.unit} if output.unit != "1" else {}
        yield _Variable({"name": output.name, "valueReference": str(i), **described, **kind}, measured | moving(i))
    for i, (one, _) in enumerate(local_variables(unit), time_reference(unit) + 1):
        kind = {"causality": "local", "variability": "continuous", "initial": "calculated"}
        measured = {"unit": one.unit} if one.unit != "1" else {}
        yield _Variable({"name": one.name, "valueReference": str(i), **kind}, measured | moving(i))
