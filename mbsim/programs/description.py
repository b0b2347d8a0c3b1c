"""modelDescription.xml: what an FMU says of itself."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

from mbsim.programs.unit import Unit
from mbsim.version import __version__

# exponents of base units, by UDUNITS symbol
_SYMBOLS: dict[str, dict[str, int]] = {
    "m": {"m": 1}, "s": {"s": 1}, "kg": {"kg": 1}, "rad": {"rad": 1}, "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
}  # fmt: skip
_TOKEN = re.compile(r"([A-Za-z]+)(-?\d+)?$")
TIME = "time"  # the independent variable


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


VERSIONS = {
    2: Version("2.0", "guid", ("canGetAndSetFMUstate", "canSerializeFMUstate")),
    3: Version("3.0", "instantiationToken", ("canGetAndSetFMUState", "canSerializeFMUState")),
}


def description(unit: Unit, token: str, version: int) -> bytes:
    """The description of an FMU for co-simulation, of FMI 2.0 or 3.0."""
    its, settings, outputs = VERSIONS[version], unit.inside.settings, unit.outputs.outputs
    root = Xml.Element(
        "fmiModelDescription",
        {
            "fmiVersion": its.number, "modelName": unit.title, its.token: token, "generationTool": f"mbsim {__version__}",
            "variableNamingConvention": "flat",
        },
    )  # fmt: skip
    offers = dict.fromkeys(("canHandleVariableCommunicationStepSize", *its.states), "true")
    if version == 2:
        offers["canNotUseMemoryManagementFunctions"] = "true"
    Xml.SubElement(root, "CoSimulation", {"modelIdentifier": unit.name, **offers})
    units = list(dict.fromkeys(output.unit for output in outputs if output.unit != "1"))
    if units:
        definitions = Xml.SubElement(root, "UnitDefinitions")
        for name in units:
            element = Xml.SubElement(definitions, "Unit", name=name)
            if (exponents := base_units(name)) is not None:
                Xml.SubElement(element, "BaseUnit", {symbol: str(exponent) for symbol, exponent in exponents.items()})
    categories = Xml.SubElement(root, "LogCategories")
    Xml.SubElement(categories, "Category", name="logStatusError", description="Why a call failed")
    experiment = {"startTime": repr(float(settings.start)), "stopTime": repr(float(settings.end)), "stepSize": repr(float(unit.step))}
    Xml.SubElement(root, "DefaultExperiment", experiment)
    variables = Xml.SubElement(root, "ModelVariables")
    for common, own in _variables(unit):
        if version == 2:
            Xml.SubElement(Xml.SubElement(variables, "ScalarVariable", common), "Real", own)
        else:
            Xml.SubElement(variables, "Float64", common | own)
    if version == 3:
        time = {"name": TIME, "valueReference": str(len(unit.arguments) + len(outputs))}
        Xml.SubElement(variables, "Float64", {**time, "causality": "independent", "variability": "continuous"})
    structure = Xml.SubElement(root, "ModelStructure")
    places = range(len(unit.arguments), len(unit.arguments) + len(outputs))
    if version == 2:
        for kind in ("Outputs", "InitialUnknowns") if outputs else ():
            listed = Xml.SubElement(structure, kind)
            for i in places:
                Xml.SubElement(listed, "Unknown", index=str(i + 1))
    else:
        for kind in ("Output", "InitialUnknown"):
            for i in places:
                Xml.SubElement(structure, kind, valueReference=str(i))
    Xml.indent(root)
    text: str = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _variables(unit: Unit) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """What all variables have, and what those of their type have."""
    for i, argument in enumerate(unit.arguments):
        kind = {"causality": "input", "variability": "continuous"}
        if not argument.is_input:
            kind = {"causality": "parameter", "variability": "tunable", "initial": "exact"}
        yield {"name": argument.name, "valueReference": str(i), **kind}, {"start": repr(argument.start)}
    for i, output in enumerate(unit.outputs.outputs, len(unit.arguments)):
        described = {"description": output.description} if output.description else {}
        kind = {"causality": "output", "variability": "continuous", "initial": "calculated"}
        measured = {"unit": output.unit} if output.unit != "1" else {}
        yield {"name": output.name, "valueReference": str(i), **described, **kind}, measured
