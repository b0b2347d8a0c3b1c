"""The language of expressions: what a user may write, its parsed form, values, derivatives, and the same for SymPy."""
