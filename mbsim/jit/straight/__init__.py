"""Straight-line code of one model: kernels run as Python over numbers that record what is done with them, and LLVM gets the operations.

`graph.py` records, `retarget.py` runs kernels so, `trigonometry.py` has the sines, `derivatives.py`
differentiates, `emission.py` makes a kernel for LANES runs at once.
"""
