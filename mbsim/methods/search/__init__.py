"""What a search for the multipliers of a step is made of: `broyden`."""
