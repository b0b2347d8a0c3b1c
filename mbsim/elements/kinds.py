"""The numbers of kinds by name in capitals, such as POINT or BUSHING, and what kinds declare, asked by number."""

from mbsim.elements import FAMILIES, declaration, names


def __getattr__(name: str) -> int:
    for family in FAMILIES:
        if name.isupper() and name.lower() in names(family):
            return names(family).index(name.lower())
    raise AttributeError(f"no kind of element is called {name}: mbsim/elements has no file {name.lower()}.py")


def is_common(family: str, kind: int) -> bool:
    """Whether the kernels of plain models know the kind."""
    return bool(declaration(family, names(family)[kind], "COMMON"))


def acts_on(family: str, kind: int) -> str:
    """`bodies`, `relative` or `speeds`: what the kind is between, or acts on."""
    return str(declaration(family, names(family)[kind], "ON"))


def rows_of(kind: int, dimension: int) -> int:
    """How many scalar equations a kind of row has."""
    count = declaration("rows", names("rows")[kind], "ROWS")
    return dimension if count == "dimension" else int(count)


def at_velocity_level(kind: int) -> bool:
    """Whether a kind of row has no phi and stands behind all others."""
    return bool(declaration("rows", names("rows")[kind], "LEVEL") == "velocity")


def contact_friction(kind: int) -> str:
    """What friction of a contact acts along a kind of relative coordinate: `slip` in m, `turn` (rolling, drilling) in rad, or `none`."""
    return str(declaration("relative", names("relative")[kind], "FRICTION"))


def reads_value(kind: int) -> bool:
    """Whether a kind of load needs the value of its relative coordinate, and not its rate alone."""
    return bool(declaration("loads", names("loads")[kind], "READS_VALUE"))
