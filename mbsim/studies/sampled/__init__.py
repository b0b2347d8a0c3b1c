"""Studies: many runs of one model, over grids and samples of its numbers, on one machine or on a cluster (docs/studies.md)."""
