"""Why a sample could not be taken. A run imports this without what reads models."""


class SampleError(ValueError):
    """What gives held states has failed: a unit, a function, efforts that no solution has. The run ends there."""
