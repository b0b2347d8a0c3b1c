"""Prints the rooms of mbsim with their files, lines and floors, and the arrows between them, from the imports of its files.

    python scripts/rooms.py                          of this checkout
    python scripts/rooms.py --arrows                 each arrow, with the number of files that it stands for
    python scripts/rooms.py --without units,lanes    the rooms without the files of some capabilities
    python scripts/rooms.py --capabilities           the tables of docs/architecture.md: capabilities, and rooms with and without them

A capability is what one issue added later (`LATER`); each of its files is counted whole. Files of the core that a capability made longer
count as core.

A room is a folder or a file of `mbsim`. A floor of a room is a step of the longest chain of imports inside it. Imports inside functions and
for type checkers count, imports by name do not (`tests/docs/test_arrows.py` reads those).
"""

import ast
from collections import Counter
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import command_line

import mbsim

PACKAGE = Path(mbsim.__file__).parent


class Capability(NamedTuple):
    """What was added after the core: in words, and its files by folder; `*` stands for all files of a folder."""

    told: str
    files: dict[str, str]


LATER = {
    "contacts": Capability(
        "rigid stops, contacts, impacts, dry friction",
        {
            "analyses": "at_hand begun gaps handing let_go resting stopped touching",
            "assembly": ("contact_pairs contact_sites cylinder_sites gap_sides kin rim_sites solid_sites ties unilateral unilaterals"),
            "cli": "_contacts",
            "diagnosis": "contact_balance even relaxation unbalanced",
            "elements": "primitives",
            "elements/relative": (
                "edges_apart edges_end from_solid pivoted pivoted_edges pivoted_rim pivoted_round pivoted_solid rim_apart "
                "rim_end rim_tilt rolled rolled_round slid slid_edges slid_rim slid_round slid_solid solid_side"
            ),
            "elements/rows": (
                "apart_edges near_rim near_solid over_surface pivot pivot_edges pivot_rim pivot_round pivot_solid roll_round "
                "slip_cylinder slip_edges slip_rim slip_round slip_solid slip_surface total"
            ),
            "importers": "collision_hulls mjcf_contacts robot_contacts urdf_contacts",
            "integrators": (
                "_efforts _moreau _pace _placing _rubbing _rubbing_arrays _rubbing_impact _rubbing_lines _rubbing_problem "
                "_rubbing_sharing _rubbing_shortest _rubbing_touching _rubbing_ways _settling _settling_arrays _settling_asked "
                "_settling_lines"
            ),
            "kernels": (
                "feet given_surfaces one_sided primitives slipping spatial_edges spatial_hulls spatial_rim_faces "
                "spatial_rim_lines spatial_rim_rims spatial_rims spatial_rolling spatial_solids spatial_turning surface_columns"
            ),
            "march": (
                "asked contact_kept contact_modes contact_problems contact_telling deciding entering gaining moreau "
                "moreau_march moreau_problems placing quick_placing repeated rough_contacts simple_contacts slipping through "
                "unilateral windows"
            ),
            "model": "contacts hulls made_bodies rolling_surfaces smoothing stops",
            "plots": "beside ground_heights",
            "scene": "height_meshes heights meetings nearest pressures rims",
            "system": "alike event_reads event_tables surfaces",
            "unilateral": "*",
        },
    ),
    "events": Capability(
        "events, phases",
        {
            "assembly": "events flowing lock_records locks phases switching",
            "integrators": "_looks _seek _sides _turning",
            "march": "actions ending event_lines events rows snapshots stretch together",
            "model": "crossed events lockable",
            "results": "event_table",
            "studies/compare": "control events",
            "studies/runner": "crossings event_crossings flow found linear_steps phases resets weights",
            "system": "event meeting switches",
            "view": "happened",
        },
    ),
    "samples": Capability(
        "controllers that sample",
        {
            "assembly": "samples solved",
            "controllers": "_held _solved computed_torque gravity_compensation",
            "integrators": "_sampled",
            "march": "sampling",
            "model": "sampling",
            "system": "sample_error samples solved_samples",
        },
    ),
    "elastic": Capability(
        "beams, cables, elastic bodies",
        {
            "studies": "doubled",
            "analyses": "buckling",
            "assembly": "cables elastic following point_masses",
            "cli": "_beams",
            "constraints": "_rubbing pulley_cable",
            "diagnosis": "turned_axes",
            "elements/loads": "_beam _beam_tangent beam modal stored",
            "elements/relative": "attitude bearing bilinear strand",
            "elements/rows": "interface",
            "forces": "pulley_cable",
            "kernels": "strands tree_attitudes",
            "march": "buckling crawling lifting part_loads ringing spinning",
            "model": (
                "abaqus_files beam_block beam_names beam_nodes beams cables cross_sections elastic elastic_block elastic_files "
                "elastic_mesh elastic_mesh_stresses elastic_reduction elastic_stations spanning winding"
            ),
            "observe": "beams",
            "plots": "elastic_lines mode_shapes",
            "scene": "cable_solids cables elastic spans traces",
            "system": "beam_nodes beam_resultants",
            "view": "beam_colours ranges stress_colours",
        },
    ),
    "units": Capability(
        "FMUs and libraries of C",
        {
            "assembly": "fmu_flow fmu_folders fmu_instances fmu_order fmu_samples fmu_tangents foreign",
            "cli": "_unit export",
            "controllers": "fmu",
            "jit": "calls contents portable",
            "kernels": "exchange powers told_columns",
            "march": "completing unit_events",
            "model/file": "fmu fmu_exchange fmu_records",
            "programs": "*",
            "system": "exchanged tell variations",
        },
    ),
    "lanes": Capability(
        "eight runs at once, Radau",
        {
            "integrators": "_collocation _implicit _stage_error _staged _stages radau",
            "jit/straight": "*",
            "march": "stage_blocks",
            "saddle": "pencils",
            "straight": "*",
            "studies/lanes": "*",
            "studies/runner": "in_lanes lane_outputs lane_run lanes_between on_gpu",
        },
    ),
    "tyres": Capability(
        "tyres, screws",
        {
            "elements/loads": "_tyre linear_tyre pacejka_tyre",
            "elements/relative": "tyre_ahead tyre_along tyre_aside",
            "forces": "_tyre linear_tyre pacejka_tyre",
            "kernels": "screws tyre_columns tyre_rates tyres",
        },
    ),
    "gym": Capability(
        "environments of Gymnasium",
        {
            "": "gym",
        },
    ),
}


def module_of(path: Path) -> str:
    """The name that a file is imported by."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


PATHS = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
FILES = {module: path.read_text(encoding="utf-8") for module, path in PATHS.items()}


def room(module: str) -> str:
    """The room of a file; what is in no room, `mbsim/__init__.py` and `__main__.py`, is the house."""
    first = (module.split(".") + [""])[1]
    return "house" if first in ("", "__main__") else first


def capability(module: str) -> str | None:
    """The name of the capability that a file is of; None for the core."""
    path = PATHS[module].relative_to(PACKAGE)
    folder = "" if path.parent == Path() else path.parent.as_posix()
    stems = ((name, each.files.get(folder, "")) for name, each in LATER.items())
    return next((name for name, given in stems if given == "*" or path.stem in given.split()), None)


@cache
def imported(module: str) -> frozenset[str]:
    """The files that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(FILES[module])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {each if (each := f"{node.module}.{alias.name}") in FILES else node.module for alias in node.names}
    return frozenset(found & FILES.keys()) - {module}


def lines(modules: Iterable[str]) -> int:
    """The lines of some files."""
    return sum(FILES[module].count("\n") for module in modules)


class Rooms:
    """Some files in their rooms, with the arrows between these and how many imports each stands for."""

    def __init__(self, modules: Iterable[str]) -> None:
        self.modules = frozenset(modules)
        self.own = [module for module in FILES if module in self.modules and room(module) != "house"]
        pairs = ((room(one), room(other)) for one in self.own for other in imported(one) & self.modules)
        self.arrows = Counter((one, other) for one, other in pairs if other not in (one, "house"))
        self.names = sorted(set(map(room, self.own)))
        self.below = {name: {other for one, other in self.arrows if one == name} for name in self.names}
        self.heights: dict[str, int] = {}
        for name in TopologicalSorter(self.below).static_order():  # raises CycleError where rooms import each other in a circle
            self.heights[name] = 1 + max((self.heights[other] for other in self.below[name]), default=0)

    def files(self, name: str) -> list[str]:
        """The files of a room."""
        return [module for module in self.own if room(module) == name]

    def floors(self, name: str) -> int:
        """How many floors a room has."""
        own = set(self.files(name))
        found: dict[str, int] = {}
        for module in TopologicalSorter({module: imported(module) & own for module in own}).static_order():
            found[module] = 1 + max((found[other] for other in imported(module) & own), default=0)
        return max(found.values())

    def of_several_files(self) -> "Rooms":
        """The same without the rooms of one file."""
        return Rooms(module for module in self.own if len(self.files(room(module))) > 1)

    def reduced(self) -> int:
        """How many arrows do not follow from others: no longer way leads from one end to the other."""
        reached: dict[str, set[str]] = {}
        for name in sorted(self.names, key=self.heights.__getitem__):
            reached[name] = self.below[name].union(*(reached[other] for other in self.below[name]))
        return sum(all(other not in reached[between] for between in self.below[one]) for one, other in self.arrows)

    def told(self) -> str:
        """The counts in a line."""
        heights = max(self.heights.values())
        return (
            f"{len(self.names)} rooms, {len(self.arrows)} arrows ({self.reduced()} of which do not follow from others), {heights} heights, "
            f"{len(self.modules)} files, {lines(self.modules)} lines"
        )


def print_tables() -> None:
    """The tables of `docs/architecture.md`."""
    print("| capability | files | lines |\n|---|---|---|")
    for name, each in LATER.items():
        own = [module for module in FILES if capability(module) == name]
        print(f"| `{name}`: {each.told} | {len(own):,} | {lines(own):,} |")
    core = Rooms(module for module in FILES if capability(module) is None)
    print(f"| the core | {len(core.modules):,} | {lines(core.modules):,} |\n| all | {len(FILES):,} | {lines(FILES):,} |")
    print("\n| room | files (core) | lines (core) | floors (core) | arrows (core) |\n|---|---|---|---|---|")
    for name in sorted(Rooms(FILES).names):
        cells = [
            (len(each.files(name)), lines(each.files(name)), each.floors(name), len(each.below[name])) if name in each.names else (0,) * 4
            for each in (Rooms(FILES), core)
        ]
        print(f"| `{name}` |" + "|".join(f" {one:,} ({other:,}) " for one, other in zip(*cells, strict=True)) + "|")
    print(f"\nall: {Rooms(FILES).told()}\nthe core: {core.told()}\nwithout its rooms of one file: {core.of_several_files().told()}")


def main() -> None:
    given = command_line.parser(__doc__)
    given.add_argument("--arrows", action="store_true", help="print each arrow")
    given.add_argument("--without", default="", metavar="NAMES", help=f"capabilities to leave out, of {', '.join(LATER)}")
    given.add_argument("--capabilities", action="store_true", help="print the tables of docs/architecture.md")
    wanted = given.parse_args()
    if wanted.capabilities:
        print_tables()
        return
    without = set(filter(None, wanted.without.split(",")))
    if unknown := without - LATER.keys():
        given.error(f"unknown capability {', '.join(sorted(unknown))}; there are {', '.join(LATER)}")
    rooms = Rooms(module for module in FILES if capability(module) not in without)
    print(f"{'room':<14}{'height':>7}{'files':>7}{'lines':>8}{'floors':>8}{'arrows':>8}")
    for name in sorted(rooms.names, key=lambda name: (-rooms.heights[name], name)):
        own = rooms.files(name)
        print(f"{name:<14}{rooms.heights[name]:>7}{len(own):>7}{lines(own):>8}{rooms.floors(name):>8}{len(rooms.below[name]):>8}")
    print(f"\n{rooms.told()}")
    for (one, other), count in sorted(rooms.arrows.items()) if wanted.arrows else ():
        print(f"{one} -> {other}: {count}")


if __name__ == "__main__":
    main()
