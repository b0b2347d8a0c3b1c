"""Elimination of bodies, with the rows that hold them, from the whole matrix with its tangents: implicit steps."""
