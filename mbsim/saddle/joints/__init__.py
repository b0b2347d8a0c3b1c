"""Elimination of rows, by blocks of joints, from the symmetric C M^-1 C', where some rows may depend on others: `cfa`."""
