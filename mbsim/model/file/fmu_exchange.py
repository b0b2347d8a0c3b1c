"""What a unit for model exchange says of its states and of what follows what (FMI 2.0.4 sec. 2.2.8, FMI 3.0 sec. 2.4.8)."""

from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element

from mbsim.model.file.fmu_records import INPUT, Exchange, FmuError, Variable

_STRUCTURE = {  # paths in ModelStructure: rates of continuous states, outputs
    2: ("Derivatives/Unknown", "Outputs/Unknown"),
    3: ("ContinuousStateDerivative", "Output"),
}


def exchange_of(root: Element, version: int, variables: Mapping[str, Variable], offer: Element, shown: str) -> Exchange:
    """What the description `root` says; `offer` is its element ModelExchange. Raises FmuError for states that are not found."""
    listed = root.findall("ModelVariables/*")
    find = _finder(listed, version)
    of_rates, of_outputs = (root.findall(f"ModelStructure/{path}") for path in _STRUCTURE[version])
    states, rates = list[str](), list[int]()
    for unknown in of_rates:
        rate = find(unknown.get("index" if version == 2 else "valueReference", ""))
        kind = rate if version == 3 or rate is None else rate.find("Real")
        state = None if kind is None else find(kind.get("derivative", ""))
        if rate is None or state is None:
            raise FmuError(f"{shown} does not say of which state its derivative {len(states) + 1} is")
        name = state.get("name", "")
        if why := variables[name].why_not if variables[name].causality != "local" else "":
            raise FmuError(f"{shown}: its continuous state {name!r} {why}")
        if state.find("Dimension") is not None:
            raise FmuError(f"{shown}: its continuous state {name!r} is an array; single numbers are known")
        states.append(name)
        rates.append(int(rate.get("valueReference", "0")))
    inputs = [name for name, variable in variables.items() if variable.causality == INPUT]
    follows = {}
    for unknown in of_outputs:
        output = find(unknown.get("index" if version == 2 else "valueReference", ""))
        if output is not None:
            follows[output.get("name", "")] = _followed(unknown, find, inputs)
    if version == 2:
        indicators, completes = int(root.get("numberOfEventIndicators", "0")), offer.get("completedIntegratorStepNotNeeded") != "true"
    else:
        indicators = len(root.findall("ModelStructure/EventIndicator"))
        completes = offer.get("needsCompletedIntegratorStep") != "false"
    differentiates = offer.get("providesDirectionalDerivative" + "s" * (version == 3)) == "true"
    return Exchange(tuple(states), indicators, completes, follows, tuple(rates), differentiates)


def _finder(listed: list[Element], version: int) -> Callable[[str], Element | None]:
    """What finds a variable by its index from 1 (FMI 2.0) or by its reference (FMI 3.0)."""
    if version == 2:
        known = {str(k): element for k, element in enumerate(listed, 1)}
    else:
        known = {element.get("valueReference", ""): element for element in listed}
    return known.get


def _followed(unknown: Element, find: Callable[[str], Element | None], inputs: list[str]) -> tuple[str, ...]:
    """The inputs that an output follows; all where nothing is said."""
    given = unknown.get("dependencies")
    if given is None:
        return tuple(inputs)
    names = {element.get("name", "") for word in given.split() if (element := find(word)) is not None}
    return tuple(name for name in inputs if name in names)
