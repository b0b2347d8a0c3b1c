"""Columns of a tyre's row of `Arrays.load_data`, behind the centre of the wheel and a point of the road, three numbers each."""

AXIS, NORMAL, RADIUS, STIFFNESS, DAMPING, LOAD, LOW_SPEED, LAG, CURVES = 6, 9, 12, 13, 14, 15, 16, 17, 18
NO_LAG, LAG_ASIDE, LAG_AHEAD, LAG_BOTH = 0.0, 1.0, 2.0, 3.0  # LAG: which slips lag behind
