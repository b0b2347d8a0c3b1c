"""The constraint force algorithm with the matrix A of a whole tree: the paper's general form, and its odd-even form for chains."""

from mbsim.jit import helper

CHAINS = 1


@helper
def general(tree, data, work, store, joints, A, tau, x, first):
    return -1


@helper
def odd_even(tree, data, work, store, joints, A, chains, spare, tau, x, first, order):
    return -1
