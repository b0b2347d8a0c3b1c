"""What the constraints of a system are like: consistent states, rank and redundancy, singular positions, advice.

consistent     positions and velocities that meet the constraints
redundancy     rank at a configuration, dependent rows by name; blocks: the same for large systems
ranks          changes of the rank along a motion
singular       starts on singular positions; crossing: whether branches of the motion meet
contradiction  rows that contradict each other
freer          joints that would remove redundancy
inertia        speeds without inertia
"""
