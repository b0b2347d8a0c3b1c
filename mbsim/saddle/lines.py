"""How kernels find their way in the table of an elimination, whose columns `columns.py` names."""

from mbsim.jit import helper
from mbsim.saddle import columns as col


@helper
def lines_of(table, section):
    """How many lines a section has."""
    return table[col.COUNTS + section // col.WIDTH, section % col.WIDTH]


@helper
def first_line(table, section):
    """The line at which a section begins."""
    return table[col.BEGINS + section // col.WIDTH, section % col.WIDTH]


@helper
def speeds_of_body(table):
    """3 in the plane, 6 in space; 0: there is no elimination."""
    return table[col.FACTS, col.SPEEDS]


@helper
def after(table, section):
    """The line after the last one of a section; where the section is a table's last, another table may begin there."""
    return first_line(table, section) + lines_of(table, section)
