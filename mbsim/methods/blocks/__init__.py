"""What `cfa` does with bodies in absolute coordinates beside its equations: which rows it holds, the drift, the start."""
