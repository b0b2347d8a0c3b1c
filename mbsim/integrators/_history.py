"""What a march by Adams' formulas knows of its earlier steps: the places in its first work row."""

NUMBER, SPACING = 0, 1  # how many earlier derivatives f_i, and the step between them
EQUAL_STEPS = 1e-6  # relative difference of two steps that differ only by round-off of output times
