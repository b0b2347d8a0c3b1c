"""`Work.status` and `Work.counts`: how an evaluation ended, what is held between steps, what was counted."""

# Work.status
STATUS_CODE = 0  # one of the codes below
STATUS_INDEX = 1  # the speed or the constraint row to blame; with NOT_FINITE the entry of [z; constraint rows]
STATUS_RANK = 2  # of C, held until the next accepted state
STATUS_FRESH = 3  # other than zero: the next evaluation is at an accepted state, and finds the rank there
STATUS_CHANGED = 4  # whether the last ACCEPT returned CHANGED
STATUS_NEAR = 5  # other than zero close to a singular position, where PROJECT goes to round-off
STATUS_PAUSE = 6  # the evaluations (COUNT_EVALUATIONS) from which on a march returns to Python before its next step
STATUS_HELD = 7  # how many of Work.rows count; 0 where none were picked; less than 0 where others are to be picked
STATUSES = 8

# The codes: what RHS, ACCEPT and EXPAND return, and what Work.status[STATUS_CODE] says
OK = 0
SINGULAR_MASS = 1
DEPENDENT_CONSTRAINTS = 2
NOT_FINITE = 3
DRIFT_REMAINS = 4
NO_CONVERGENCE = 5  # an iteration of a step did not converge
STEP_TOO_SMALL = 6  # the step of an integrator became too small
STOPPED = 7  # the stop expression crossed zero: the step is not taken, and the driver locates the crossing
SOLVER_FAILED = 8  # an integrator in Python says why
COARSE = 9  # the step is too long for the constraints to be followed, and is not taken
CROSSED = 10  # the configuration turned over in the step, which is not taken
PAUSED = 11  # a march goes on where it was when it is called again
NO_HEADWAY = 12  # a march gets nowhere
BASIS_LOST = 13  # the independent speeds that the user has named no longer determine the motion
NO_EFFORT = 14  # a friction that slips has no effort that fits the reactions that load it
CHANGED = -1  # ACCEPT only: z has a new meaning (a renewed basis); a multistep integrator restarts its history

# Work.counts
COUNT_STEPS, COUNT_EVALUATIONS, COUNT_FACTORISATIONS, COUNT_SVDS, COUNT_CORRECTIONS, COUNT_ITERATIONS, COUNT_REJECTED = 0, 1, 2, 3, 4, 5, 6
COUNT_NAMES = ("steps", "evaluations", "factorisations", "svds", "corrections", "iterations", "rejected")
COUNTS = len(COUNT_NAMES)
