"""What `broyden` does beside its equations: a trial of a step, how the derivative is learned, where a search begins and ends."""
