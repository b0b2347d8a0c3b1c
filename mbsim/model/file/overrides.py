"""What replaces values of a model's file, such as `--set` of a command: kept with the model, so that it can be read again as it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mbsim.model.file.plain import Plain


@dataclass(frozen=True, slots=True)
class Overrides:
    """Parameters, keys of the simulation block and blocks of tables, by name, that were given beside the file."""

    parameters: Mapping[str, float | str] = field(default_factory=dict)
    simulation: Mapping[str, Plain] = field(default_factory=dict)
    tables: Mapping[str, Plain] = field(default_factory=dict)

    def over(
        self, parameters: Mapping[str, float | str] | None, simulation: Mapping[str, Plain] | None, tables: Mapping[str, Plain] | None
    ) -> "Overrides":
        """These, and others that win."""
        return Overrides(
            {**self.parameters, **(parameters or {})}, {**self.simulation, **(simulation or {})}, {**self.tables, **(tables or {})}
        )
