"""The tolerances of ranks and singular positions: eight questions, each with its unit. `scripts/rank_tolerances.py` measures them.

Most are of a *pivot*: what is left of a row of C, made unit, after the rows before it, in the metric of M or with slides in arms of the
mechanism; the sine of an angle. A smallest singular value of C with unit rows, of the largest, has the same unit. An elimination of
C M^-1 C' has the squares of pivots: it compares them with the square of the tolerance.

What steers an algorithm and decides nothing about a rank stays with it:

- when a choice of rows is made anew (`singular/held_rows.py` POOR, WORN, `saddle/joints/independent.py` PUT_OFF, FALLEN, STRONG),
- how much weak directions are damped (`kernels/gauss.py` DAMPED, MOST, FADES),
- from which entry on a row takes part in a dependency that is there (`diagnosis/redundancy.py` DEPENDS) or is named in a message
  (`march/failures.py` TAKES_PART), and from where on a message names a dead point (`march/failures.py` DEAD_POINT, STUCK),
- at which residual a correction ends (`singular/projection.py` EXACT),
- how well a mass matrix is conditioned for a method (`march/conditioning.py` LOST, HIDDEN).

So do ranks of other equations than the constraints (`diagnosis/spectrum.py`), and the ratios of pivots that `singular/decomposition.py`
compares with the largest one of a run. Some follow from those below: `singular/projection.py` REDUNDANT, `diagnosis/redundancy.py` SURELY.
docs/methods/redundant_rows.md has both sides of each as measured.
"""

# Does a row depend on the others at this state? A pivot. A redundant row shows what positions are off the constraints, 1e-10 at most after
# a correction, and not round-off.
RANK_TOLERANCE = 1e-8

# Likewise, where the pivot is the root of a difference of squares, of which 1e-16 of the row's squared length is round-off: a pivot.
BLOCK_TOLERANCE = 3e-6

# Is this state on a singular position? A pivot. Where residuals of positions are known to 1e-10, positions are known to the root of that
# along a direction that the rows do not hold.
LANDED = 1e-5

# Does the error of the step decide what this direction gets? A pivot: a residual of 1e-10 over it is a displacement of 1e-6.
FOLDED = 1e-4

# Did the motion touch a singular position, so that the position may be singular itself? A pivot.
TOUCHING = 1e-3

# Is a singular position near, so that residuals are taken to round-off and squares of pivots lose three digits? A pivot.
# Twice that counts as far from one.
NEAR = 0.05

# Do rows that depend on each other ask for the same? Of the size of what they ask for, plus one where that may vanish.
CONSISTENT = 1e-6

# Is this pivot of a symmetric matrix round-off? Of the diagonal entry that it is left of, a square. What diagnoses it takes ten times that.
ROUND_OFF = 1e-13
