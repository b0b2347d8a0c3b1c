"""modelDescription.xml: what an FMU says of itself."""

import re
from xml.etree import ElementTree as Xml

from mbsim.programs.unit import Unit
from mbsim.version import __version__

# exponents of base units, by UDUNITS symbol
_SYMBOLS: dict[str, dict[str, int]] = {
    "m": {"m": 1}, "s": {"s": 1}, "kg": {"kg": 1}, "rad": {"rad": 1}, "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
}  # fmt: skip
_TOKEN = re.compile(r"([A-Za-z]+)(-?\d+)?$")


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


def fmi2(unit: Unit, guid: str) -> bytes:
    """The description of an FMU of FMI 2.0 for co-simulation."""
    settings, outputs = unit.inside.settings, unit.outputs.outputs
    root = Xml.Element(
        "fmiModelDescription",
        fmiVersion="2.0", modelName=unit.title, guid=guid, generationTool=f"mbsim {__version__}", variableNamingConvention="flat",
    )  # fmt: skip
    Xml.SubElement(
        root, "CoSimulation",
        modelIdentifier=unit.name, canHandleVariableCommunicationStepSize="true", canNotUseMemoryManagementFunctions="true",
        canGetAndSetFMUstate="true", canSerializeFMUstate="true",
    )  # fmt: skip
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
    for i, argument in enumerate(unit.arguments):
        kind = {"causality": "input", "variability": "continuous"}
        if not argument.is_input:
            kind = {"causality": "parameter", "variability": "tunable", "initial": "exact"}
        variable = Xml.SubElement(variables, "ScalarVariable", {"name": argument.name, "valueReference": str(i), **kind})
        Xml.SubElement(variable, "Real", start=repr(argument.start))
    for i, output in enumerate(outputs, len(unit.arguments)):
        described = {"description": output.description} if output.description else {}
        kind = {"causality": "output", "variability": "continuous", "initial": "calculated"}
        variable = Xml.SubElement(variables, "ScalarVariable", {"name": output.name, "valueReference": str(i), **described, **kind})
        Xml.SubElement(variable, "Real", {"unit": output.unit} if output.unit != "1" else {})
    structure = Xml.SubElement(root, "ModelStructure")
    for list_name in ("Outputs", "InitialUnknowns") if outputs else ():
        listed = Xml.SubElement(structure, list_name)
        for i in range(len(outputs)):
            Xml.SubElement(listed, "Unknown", index=str(len(unit.arguments) + i + 1))
    Xml.indent(root)
    text: str = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
