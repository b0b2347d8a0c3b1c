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
# of a cable on a circle, whose factor is 2 tanh(coefficient angle/2) of the last evaluation
GROUP_COEFFICIENT = 3  # 0: the factor is a number
GROUP_DRAWN = 4  # the angle of the drawing, rad
GROUP_REACHES = 5  # the relative coordinates by which it changes, each with what it counts
GROUP_REACHES_BY = 6
GROUP_LEAVES = 7
GROUP_LEAVES_BY = 8
GROUP = 9
