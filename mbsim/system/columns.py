"""Which columns of the tangents are found as one (`column_groups`): asked by what has tangents; runs need none."""

from mbsim.system.system import System


def columns(system: System) -> object:
    """The groups of the columns, `mbsim.system.tangents.Columns`."""
    from mbsim.system.column_groups import column_groups

    return column_groups(system)
