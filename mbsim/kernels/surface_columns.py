"""The rows of `Arrays.laws` that tell of a surface z = f(x, y, t), in the plane of a line y = f(x, t), at the foot of a centre.

Columns: a derivative of f itself, its first and its second rate by time at the place that stays. FOOT has the coordinates of the foot.
"""

FOOT, HEIGHT, X, Y, XX, XY, YY, XXX, XXY, XYY, YYY = range(11)
COUNT = 11
