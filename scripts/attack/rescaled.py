"""A model file in other units: lengths, masses and times multiplied by the parameters `unit_m`, `unit_kg`, `unit_s` of the model.

`rescaled(data)` takes what a model file holds and returns the same mechanism with these three parameters, all 1. With `unit_m: 1000`
it is a thousand times as large, its motion the same. A number of a file is multiplied by its unit. A law is evaluated in the old units: the
names in it are divided by theirs, its value multiplied by its own. Every key of a block has its unit in the tables below, and one that has
none raises KeyError. The user's own coordinates are pure numbers, as their units are not known, and so are states of the user's.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

UNITS = ("m", "kg", "s")
FORCE, MOMENT, ENERGY = "m kg s-2", "m2 kg s-2", "m2 kg s-2"
KEPT = {"type", "bodies", "body", "joint", "joints", "coordinate", "coordinates", "points", "axis", "axes", "angle", "orientation",
        "normal", "along", "plane", "center", "centre", "teeth", "ratio", "internal", "exponent", "friction", "pin", "quaternion", "exact",
        "unchecked_inertia", "free_angle", "method", "fix", "wraps", "grips", "turns", "lifts", "slack",
        "road", "lateral", "longitudinal", "between", "static", "restitution", "clamped", "cable", "up", "matrices",
        "interfaces", "role", "name", "without", "locked", "once", "direction", "lock", "unlock"}  # fmt: skip
PLACES = {"at": "m", "position": "m", "radius": "m", "length": "m", "point": "m", "through": "m", "pitch": "m", "free_length": "m"}
BODY = PLACES | {"mass": "kg", "inertia": "kg m2", "density": "kg m-3", "velocity": "m s-1", "angular_velocity": "s-1"}
SHAPE = PLACES | {"size": "m", "corners": "m", "vertices": "m", "polygon": "m", "thickness": "m", "scale": "m"}
JOINT = PLACES | {"rotor_inertia": "kg m2"}
STOPS = {"lower": "c", "upper": "c", "play": "c", "closing_speed": "c s-1"}  # c: of the coordinate, e: of an effort along it
RUBS = {"torque": "e", "force": "e", "radius": "m", "length": "m"}
CONTACT = PLACES | {"rolling_resistance": "m", "drilling_resistance": "m", "closing_speed": "m s-1"}
FACE = PLACES | {"ends": "m", "depth": "m", "velocity": "m s-1", "spin": "s-1"}
CONSTRAINT = PLACES | {"velocity": "m s-1", "spin": "s-1"}
TYRE = {"relaxation_length": "m", "longitudinal_relaxation_length": "m", "pneumatic_trail": "m"}
FORCES: dict[str, dict[str, str]] = {
    "bristle_friction": {"coulomb": "e", "static": "e", "stribeck_speed": "c s-1", "stiffness": "e c-1", "damping": "e s c-1",
                         "viscous": "e s c-1"},
    "contact": {"stiffness": "", "damping": "s m-1", "transition_speed": "m s-1"},
    "drag": {"linear": "kg s-1", "quadratic": "kg m-1", "rotational_linear": "m2 kg s-1", "rotational_quadratic": "m2 kg",
             "medium": "m s-1"},
    "force": {"value": FORCE},
    "generalized": {"value": ENERGY},
    "joint_friction": {"coulomb": "e", "viscous": "e s c-1", "transition_speed": "c s-1"},
    "joint_limit": {"lower": "c", "upper": "c", "stiffness": "", "damping": "e s c-1", "depth": "c"},
    "joint_torque": {"value": "e"},
    "linear_tyre": {"stiffness": "kg s-2", "damping": "kg s-1", "load": FORCE, "low_speed": "m s-1", "cornering_stiffness": FORCE,
                    "slip_stiffness": FORCE, "camber_stiffness": FORCE, **TYRE},
    "pacejka_tyre": {"stiffness": "kg s-2", "damping": "kg s-1", "load": FORCE, "low_speed": "m s-1", "nominal_load": FORCE, **TYRE},
    "point_gravity": {"mu": "m3 s-2"},
    "pulley_cable": {"stiffness": "kg s-2", "damping": "kg s-1", "EA": FORCE, "value": FORCE},
    "rotational_spring_damper": {"stiffness": MOMENT, "damping": "m2 kg s-1", "value": MOMENT},
    "spring_damper": {"stiffness": "kg s-2", "damping": "kg s-1", "value": FORCE},
    "torque": {"value": MOMENT},
    "translational_spring_damper": {"stiffness": "kg s-2", "damping": "kg s-1", "free_displacement": "m", "value": FORCE},
    "pd": {"kp": "e c-1", "kd": "e s c-1", "feedforward": "e", "target": "c", "target_rate": "c s-1", "limit": "e", "sample": "s"},
    "pid": {"kp": "e c-1", "kd": "e s c-1", "ki": "e c-1 s-1", "feedforward": "e", "target": "c", "target_rate": "c s-1", "limit": "e",
            "integral_start": "c s", "tracking_time": "s", "sample": "s"},
}  # fmt: skip
PRESSURE, BENDING = "m-1 kg s-2", "m3 kg s-2"
BEAM = {"from": "m", "to": "m", "points": "m", "elements": "", "prestress": FORCE, "offset": "m", "velocity": "m s-1",
        "angular_velocity": "s-1"}  # fmt: skip
OF_BEAM = {
    "section": {"rectangle": "m", "circle": "m", "tube": "m", "I": "m", "area": "m2", "moments": "m4", "torsion": "m4", "shear": "",
                "shear_centre": "m"},
    "material": {"E": PRESSURE, "G": PRESSURE, "nu": "", "density": "kg m-3"},
    "stiffness": {"EA": FORCE, "GA": FORCE, "EI": BENDING, "GJ": BENDING},
    "mass": {"line": "m-1 kg", "inertia": "m kg"},
    "damping": {"stiffness": "s", "ratio": ""},
}  # fmt: skip
ELASTIC = {"mass": "kg", "position": "m", "velocity": "m s-1", "angular_velocity": "s-1", "modes": "", "stations": ""}
WORDS_OF_MESH = ("file", "stress")
MESH = {"E": "kg m-1 s-2", "nu": "", "density": "kg m-3"}
DRIVER = {"angle": "", "displacement": "m", "length": "m", "x": "m", "y": "m", "z": "m"}
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_NAMES = re.compile(rf"der\(\s*({_NAME})\s*\)|(?<![\w.])({_NAME})(?!\w*\s*\()")


def powers(unit: str, of: Mapping[str, Mapping[str, int]] | None = None) -> dict[str, int]:
    """The powers of m, kg and s in a unit such as `m2 kg s-2`. `of`: those of further words in it."""
    found = dict.fromkeys(UNITS, 0)
    derived = {"N": FORCE, "J": ENERGY, "W": "m2 kg s-3"}
    for word, power in re.findall(r"([A-Za-z]+)(-?\d*)", unit):
        parts = of[word] if of and word in of else powers(derived[word]) if word in derived else {} if word == "rad" else {word: 1}
        for name, times in parts.items():
            found[name] += times * int(power or 1)
    return found


def factor(unit: dict[str, int]) -> str:
    """The unit as an expression of the parameters; empty for a pure number."""
    return "*".join(f"unit_{name}^({power})" for name, power in unit.items() if power)


def of_name(name: str) -> dict[str, int]:
    """The unit of a state by its name: `crank.x`, `der(O.angle)`, `disk.omega.z`, `O.displacement`. Own coordinates are pure numbers."""
    if name.startswith("der("):
        found = of_name(name[4:-1])
        found["s"] -= 1
        return found
    *first, last = name.split(".")
    if "omega" in first or last == "angular_velocity":
        return powers("s-1")
    if last == "velocity":
        return powers("m s-1")
    slides = bool(first) and (last in ("x", "y", "z", "position") or last.startswith("displacement"))
    if first and not slides and not last.startswith(("angle", "q")) and last != "orientation":
        raise KeyError(f"no unit is known of {name}")
    return powers("m" if slides or name in ("length", "displacement") else "")


class Rescaled:
    """One model file; `values` are its parameters by name."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data, self.known = data, {"pi", *data.get("parameters", {}), *data.get("states", {}), *data.get("tables", {}),
                                 *data.get("let", {})}  # fmt: skip
        self.own = isinstance(data.get("coordinates"), list)

    def law(self, value: Any, unit: dict[str, int], rate: dict[str, int] | None = None) -> Any:
        """A number, an expression, or a list of them, times its unit. `rate`: the unit of the name `rate` of a spring's law."""
        if isinstance(value, list):
            return [self.law(item, unit, rate) for item in value]

        def other(found: re.Match[str]) -> str:
            name = f"der({found[1]})" if found[1] else found[2]
            if name in self.known or name in ("and", "or", "not"):
                return name
            known = powers("s") if name == "t" else rate if name == "rate" and rate else of_name(name)
            return f"({name}/({factor(known)}))" if factor(known) else name

        text = _NAMES.sub(other, str(value))
        if factor(unit):
            return f"({text})*{factor(unit)}"
        return value if text == str(value) else text

    def bounds(self, block: Mapping[str, Any], key: str, value: Any) -> Any:
        """What bounds coordinates of a joint, or of two that are coupled: a block or a list of them, of `backlash` a number, too."""
        if isinstance(value, list):
            return [self.bounds(block, key, one) for one in value]
        joint, words = block, [value.get("coordinate")] if isinstance(value, dict) else []
        if "joints" in block:
            joint, words = self.data["joints"][block["joints"][1]], list(block.get("coordinates", ()))[1:]
        word = next((str(word) for word in words if word), "")
        slides = block["type"] == "rack_and_pinion" or word.startswith("displacement") or word in ("x", "y", "z")
        c = powers("m" if slides or (not word and joint["type"] == "prismatic") else "")
        if not isinstance(value, dict):
            return self.law(value, c)
        of = {"c": c, "e": {name: ENERGY_POWERS[name] - c[name] for name in UNITS}}
        kept = {
            name: x for name, x in value.items() if name in ("restitution", "coefficient") or (name == "static" and "coefficient" in value)
        }
        units = STOPS if key != "friction" else RUBS | {"static": "e"}
        return self.block({name: x for name, x in value.items() if name not in kept}, units, of) | kept

    def block(
        self,
        block: Mapping[str, Any],
        units: Mapping[str, str],
        of: Mapping[str, Mapping[str, int]] | None = None,
        section: str = "",
    ) -> dict[str, Any]:
        """A block by the units of its keys."""
        made: dict[str, Any] = {}
        for key, value in block.items():
            named = isinstance(value, str) or (isinstance(value, list) and value and isinstance(value[0], str) and key == "at")
            if key == "shape":
                made[key] = [self.block(x, SHAPE) for x in (value if isinstance(value, list) else [value])]
            elif key == "points" and isinstance(value, dict):
                made[key] = {name: self.law(x, powers("m")) for name, x in value.items()}
            elif key == "trail" and isinstance(value, dict):
                made[key] = self.block(value, PLACES)
            elif key in ("plane", "ball", "hole") and isinstance(value, dict):
                made[key] = self.block(value, FACE)
            elif key in ("stops", "backlash", "friction") and section == "joints":
                made[key] = self.bounds(block, key, value)
            elif key == "path":
                made[key] = [self.block(x, CONSTRAINT) if isinstance(x, Mapping) else x for x in value]
            elif key == "surface":
                over = {axis: re.sub(r"(?<![\w.])([xy])(?!\w*\s*\()", r"(\1/unit_m)", str(height)) for axis, height in value.items()}
                made[key] = {axis: self.law(height, powers("m")) for axis, height in over.items()}
            elif (key == "at" and named and "." in str(value)) or (key == "point" and isinstance(value, str)):
                made[key] = value
            elif key in units:
                made[key] = self.law(value, powers(units[key], of))
            elif key in KEPT:
                made[key] = value
            else:
                raise KeyError(f"no unit is known of {key} of {block.get('type', 'a block')}")
        return made

    def along(self, block: Mapping[str, Any]) -> dict[str, dict[str, int]]:
        """The units c of the coordinate that a force or driver acts along, and e of its effort."""
        joint, word = self.data.get("joints", {}).get(block.get("joint"), {}), str(block.get("coordinate") or "")
        if not joint and word:
            c = of_name(word)
        else:
            c = powers("m" if word.startswith("displacement") or (not word and joint.get("type") in ("prismatic", "distance")) else "")
        return {"c": c, "e": {name: ENERGY_POWERS[name] - c[name] for name in UNITS}}

    def force(self, block: Mapping[str, Any]) -> dict[str, Any]:
        word, of = block["type"], self.along(block)
        if word == "bushing":
            return self.bushing(block)
        units = dict(FORCES[word])
        if word in ("contact", "joint_limit"):
            exponent = float(block.get("exponent", 1.5 if word == "contact" else 1.0))
            c = {"c": powers("m")} if word == "contact" else of
            whole = {name: powers(FORCE)[name] if word == "contact" else of["e"][name] for name in UNITS}
            bent = {name: whole[name] - exponent * c["c"][name] for name in UNITS}
            made = self.block({k: v for k, v in block.items() if k != "stiffness"}, PLACES | units, of)
            return made | {"stiffness": self.law(block["stiffness"], bent)}  # type: ignore[arg-type]
        made = self.block({k: v for k, v in block.items() if k != "value"}, PLACES | units, of)
        if "value" in block:
            moves = powers("m s-1") if word in ("spring_damper", "translational_spring_damper") else powers("s-1")
            made["value"] = self.law(block["value"], powers(units["value"], of), moves)
        return made

    def bushing(self, block: Mapping[str, Any]) -> dict[str, Any]:
        made = self.block({k: v for k, v in block.items() if k not in ("stiffness", "damping", "preload")}, PLACES)
        for key, unit in (("stiffness", "kg s-2"), ("damping", "kg s-1"), ("preload", FORCE)):
            if key not in block:
                continue
            rows = block[key]
            slides = len(rows) - (1 if len(rows) == 3 else 3)

            def entry(value: Any, i: int, j: int, unit: str = unit, slides: int = slides) -> Any:
                found = powers(unit)
                found["m"] += (i >= slides) + (j >= slides)
                return self.law(value, found)

            whole = isinstance(rows[0], list)
            made[key] = [
                [entry(x, i, j) for j, x in enumerate(row)] if whole else entry(row, i, i if key != "preload" else 0)
                for i, row in enumerate(rows)
            ]
        return made

    def beam(self, block: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in block.items():
            if key in ("from", "to") and isinstance(value, str):
                made[key] = value
            elif key in OF_BEAM:
                made[key] = self.block(value, OF_BEAM[key])
            else:
                made[key] = self.law(value, powers(BEAM[key])) if key in BEAM else self.block({key: value}, {})[key]
        return made

    def elastic(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers in its files are none of the model's: `scaled_part`."""
        damping = {"damping": self.block(block["damping"], OF_BEAM["damping"])} if "damping" in block else {}
        mesh = (
            {
                "mesh": {
                    **{key: value for key, value in block["mesh"].items() if key in WORDS_OF_MESH},
                    **self.block({key: value for key, value in block["mesh"].items() if key not in WORDS_OF_MESH}, MESH),
                }
            }
            if "mesh" in block
            else {}
        )
        return self.block({key: value for key, value in block.items() if key not in ("damping", "mesh")}, ELASTIC) | damping | mesh

    def driver(self, block: Mapping[str, Any]) -> dict[str, Any]:
        c = powers("m") if "points" in block else self.along(block)["c"]
        return self.block(block, DRIVER | {"value": "c", "speed": "c s-1"}, {"c": c})

    def constraint(self, block: Mapping[str, Any]) -> dict[str, Any]:
        if "equation" in block:
            slides = any(of_name(a or b)["m"] for a, b in _NAMES.findall(str(block["equation"])) if (a or b) not in self.known)
            unit = powers("m" if slides else "")
            if block["type"] == "nonholonomic":
                unit["s"] = -1
            return {"type": block["type"], "equation": self.law(block["equation"], unit)}
        if "terms" in block:
            terms = {}
            for name, value in block["terms"].items():
                unit = of_name(name)
                terms[name] = self.law(value, {k: -p for k, p in unit.items()})
            return {**block, "terms": terms, **({"value": self.law(block["value"], powers(""))} if "value" in block else {})}
        return self.block(block, CONSTRAINT)

    def whole(self) -> dict[str, Any]:
        data = self.data
        made = {key: data[key] for key in ("name", "dimension", "coordinates", "tables") if key in data}
        made["parameters"] = {**data.get("parameters", {}), **{f"unit_{name}": 1.0 for name in UNITS}}
        if "gravity" in data:
            made["gravity"] = self.law(data["gravity"], powers("m s-2"))
        of_section: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "bodies": lambda block: self.block(block, BODY),
            "beams": self.beam,
            "elastic": self.elastic,
            "joints": lambda block: self.block(block, JOINT, section="joints"),
            "drivers": self.driver,
            "forces": self.force,
            "controllers": self.force,
            "constraints": self.constraint,
            "contacts": lambda block: self.block(block, CONTACT),
        }
        if "ground" in data:
            made["ground"] = self.block(data["ground"], {})
        for section, of in of_section.items():
            if section in data:
                made[section] = {name: of(block) for name, block in data[section].items()}
        if "let" in data:  # in the old units, as states
            made["let"] = {name: self.law(value, powers("")) for name, value in data["let"].items()}
        if "states" in data:
            made["states"] = {
                name: {"start": 0.0, **(state if isinstance(state, dict) else {"rate": state})} for name, state in data["states"].items()
            }
            for state in made["states"].values():
                state["rate"] = self.law(state["rate"], powers("s-1"))
        if "energy" in data:
            unit = {"kinetic": ENERGY, "potential": ENERGY, "dissipation": "m2 kg s-3"}
            made["energy"] = {key: self.law(value, powers(unit[key])) for key, value in data["energy"].items()}
        if "events" in data:
            made["events"] = {name: self.event(block) for name, block in data["events"].items()}
        if "initial" in data:
            made["initial"] = {key: value if key == "fix" else self.law(value, of_name(key)) for key, value in data["initial"].items()}
        made["simulation"] = self.simulation()
        return made

    def event(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """What it watches and switches to is in the old units, as parameters are; what it sets has a unit by its name."""
        made = {**block, "when": self.law(block["when"], powers(""))}
        if "after" in block:
            made["after"] = self.law(block["after"], powers("s"))
        if isinstance(block.get("do"), Mapping):
            set_to = {"set": {name: self.law(value, of_name(name)) for name, value in block["do"].get("set", {}).items()}}
            switch = {"switch": {name: self.law(value, powers("")) for name, value in block["do"].get("switch", {}).items()}}
            made["do"] = {**block["do"], **(set_to if set_to["set"] else {}), **(switch if switch["switch"] else {})}
        return made

    def simulation(self) -> dict[str, Any]:
        made = dict(self.data.get("simulation", {}))
        for key in ("start", "end", "step", "output_step", "first_step", "max_step"):
            if key in made:
                made[key] = self.law(made[key], powers("s"))
        if "stop" in made:
            made["stop"] = self.law(made["stop"], powers(""))
        return made


ENERGY_POWERS = powers(ENERGY)


def rescaled(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a model file holds, with the parameters `unit_m`, `unit_kg` and `unit_s`. Measures and published values are left out.

    Raises KeyError for a key or name whose unit is not known.
    """
    return Rescaled(data).whole()


def scaled_part(nodes: Any, mass: Any, stiffness: Any, m: float, kg: float, s: float) -> tuple[Any, Any, Any]:
    """Places (n, 3), mass and stiffness (6 n, 6 n) of an elastic part whose nodes turn, in units so many times smaller."""
    import numpy as np

    reach = np.tile([1.0, 1.0, 1.0, m, m, m], len(nodes))
    both = np.outer(reach, reach)
    return m * nodes, kg * both * mass, kg / s**2 * both * stiffness
