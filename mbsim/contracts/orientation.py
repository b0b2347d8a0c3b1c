"""`ORIENTATION`: the work arrays of the watch over the orientation of the configuration (`mbsim.singular.orientation`)."""

from mbsim.jit.workspaces import Workspace, indices, matrix, vector

Workspace.know("n", "m", "larger", "n_q", "n_x")  # speeds, constraint rows, the larger of both, length of q, states
ORIENTATION = Workspace(  # m is 0 where it is not watched
    "orientation",
    weights=vector("n"),  # M_jj^-1/2, so that metres and radians compare
    q=vector("n_q"),  # of the last accepted state
    C=matrix("m", "n"),  # at the state looked at
    columns=indices("m * n"),  # those of C in which row i is ever written, even as zero, from i n on
    written=indices("m"),  # how many these are
    places=indices("n"),  # where a column of C stands in what follows, so that the entries of a row are close to each other
    rows=matrix("m", "n"),  # weighted unit rows at the state looked at
    unit=matrix("m", "n"),  # the same where it was last taken
    G=matrix("m", "m"),  # C_1 C_1' = G G' there, of the rows picked
    picked=indices("m"),  # which these are
    low=indices("m"),  # the first places of the rows of G that are not zero
    foremost=vector("m"),  # the vector that came to the fore last among powers
    first=indices("m"),  # the places in a row that were not zero so far: from here
    last=indices("m"),  # up to here
    Y=matrix("m", "n"),  # scratch, like all that follow
    X=matrix("m + 1", "m"),
    order=indices("m"),
    exchanged=indices("m"),
    begin=indices("m"),
    end=indices("m"),
    begins=indices("m"),
    ends=indices("m"),
    x=vector("m"),
    z=vector("m"),
    y=vector("n"),
)
