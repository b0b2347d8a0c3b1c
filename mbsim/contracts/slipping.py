"""Dry friction that reactions load: `Work.slipping`, `groups` and `components`.

A bound is fixed + sum over groups of factor |components of the group|, and components = weights of multipliers.
"""

# Work.slipping, a row for each friction that reactions load
SLIP_PLACE = 0  # of its effort in Arrays.parameters; -1: it does not slip
SLIP_FACTOR = 1  # its effort over its bound: a sign
SLIP_FIXED = 2
SLIP_GROUP = 3  # the first of its groups
SLIP_GROUPS = 4  # how many these are
SLIPPING = 5
# Work.groups
GROUP_FIRST = 0  # the first of its components
GROUP_COUNT = 1
GROUP_FACTOR = 2  # coefficient, times a radius where the effort is a torque
GROUP = 3
