"""Trees in joint coordinates: what `aba`, `kane` and `cfa` share, and their forms for constraint rows."""
