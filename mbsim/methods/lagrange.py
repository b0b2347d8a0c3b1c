"""Direct augmentation, index 1: the yardstick every other method is tested against.

    [[M, -C'], [C, 0]] [v_dot; lam] = [h; -eta],   z = [v; q; W]

solved plainly at every evaluation by a rank-revealing factorisation (`mbsim.kernels.gauss`): with redundant rows v_dot stays
unique and lam is the shortest one. The rank is found at the start and after each accepted step, where q lies on the constraints, and
held over the stages between, whose q is off by the stage error and would make redundant rows look independent.
W is the work of the non-conservative and driving forces, W_dot = power - lam' xi. docs/methods/lagrange.md.
"""

from mbsim.methods._augmented import WORKSPACE, accept, expand, rhs, start

__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start"]

CROSSES = True  # singular positions: reads Work.beside
SOURCE = {"paper": "Yang, Duan & Di 2006", "equations": "their (11), direct augmentation, with a projection after each step"}
